package release

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path"

	"github.com/wideswe/wideswe/schema"
)

// agentImages says in which images agents work on several targets at once.
const agentImages = "images/agents.json"

// KeepAgentImages writes down in which images agents work on the tasks, in place of
// what stood there.
func (r *Release) KeepAgentImages(list []schema.AgentImage) error {
	return r.keepImageList(agentImages, list)
}

// AgentImages tells in which images agents work on tasks of several targets; none
// where the release came without them.
func (r *Release) AgentImages() ([]schema.AgentImage, error) {
	text, err := r.read(agentImages)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	sums, err := r.imageSums()
	if err != nil {
		return nil, err
	}
	if sums[path.Base(agentImages)] != digest(text) {
		return nil, r.damaged(agentImages + " is not the file that " + imageSums + " tells of")
	}
	var list []schema.AgentImage
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, r.damaged(agentImages + ": " + err.Error())
	}
	return list, nil
}
