package results

import (
	"fmt"
	"path"
	"path/filepath"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
	"github.com/wideswe/wideswe/stages/evaluate/verdict"
)

// Key names one task in one run: what one verdict is about.
type Key struct {
	schema.RunKey
	Task string
}

// ID is the key as outcomes and tables have it.
func (k Key) ID() string {
	return fmt.Sprintf("%s/%s/%s/%d", k.Task, k.Model, k.Mode, k.Attempt)
}

// LogPath is where a target's log lies in the evaluation's folder.
func (k Key) LogPath(target, variant string) string {
	name := schema.FileName(target)
	if variant != verdict.Submitted {
		name += "." + variant
	}
	return filepath.ToSlash(filepath.Join("logs", k.folder(), name+".log"))
}

// PatchPath is where a repository's patch lies in the evaluation's folder. target is
// the one that an independent prediction is for.
func (k Key) PatchPath(target, repository string) string {
	dir := path.Join("patches", k.folder())
	if target != "" {
		dir = path.Join(dir, "for-"+schema.FileName(target))
	}
	return path.Join(dir, schema.FileName(repository)+".patch")
}

// folder is the task's and the run's. Models are named by strangers; the digest keeps
// two of them apart.
func (k Key) folder() string {
	model := plainName(k.Model) + "-" + pipeline.Hash(k.Model)[:8]
	return path.Join(plainName(k.Task), fmt.Sprintf("%s-%s-%d", model, k.Mode, k.Attempt))
}

// plainName keeps letters, digits, "-" and "_" of a name, at most 80 bytes.
func plainName(s string) string {
	b := []byte(s)
	for i, c := range b {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_') {
			b[i] = '-'
		}
	}
	return string(b[:min(len(b), 80)])
}
