package predictions

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/wideswe/wideswe/schema"
)

// sweBenchRow is a prediction as SWE-bench's tools write them, and, by name in an
// object, mini-swe-agent's. Names beside these are passed over, since agents add theirs.
type sweBenchRow struct {
	Instance string  `json:"instance_id"`
	Model    string  `json:"model_name_or_path,omitempty"`
	Patch    *string `json:"model_patch,omitempty"` // null and "" change nothing
	B64      *string `json:"patch_b64,omitempty"`   // instead of model_patch
	Repo     string  `json:"repo,omitempty"`
	Mode     string  `json:"mode,omitempty"`
	Target   string  `json:"target,omitempty"`
	Attempt  int     `json:"attempt,omitempty"`
}

// sweBenchShape is SWE-bench's rows, one a line or in a list.
func sweBenchShape() Shape {
	return Shape{Name: "swe-bench",
		Form:  `rows {"instance_id": …, "model_name_or_path": …, "model_patch": …}`,
		room:  room{model: true, mode: true, attempt: true, bytes: true, context: true},
		wants: []string{"instance_id", "model_name_or_path", "model_patch"},
		known: func(e entry) bool { return e.has("model_patch") || e.has("patch_b64") },
		read:  readSWEBench, write: writeSWEBench}
}

func readSWEBench(e entry) (row, error) {
	if err := keepsBytes(e.text); err != nil {
		return row{}, err
	}
	var r sweBenchRow
	if err := json.Unmarshal(e.text, &r); err != nil {
		return row{}, plainJSON(err)
	}
	id, err := e.instance(r.Instance)
	if err != nil {
		return row{}, err
	}
	diff, err := r.diff()
	return row{Instance: id, Repository: r.Repo, Model: r.Model, Patch: diff, Mode: r.Mode, Target: r.Target,
		Attempt: r.Attempt}, err
}

// instance gives an entry's id: what it says itself, or the name that it stands under.
func (e entry) instance(said string) (string, error) {
	if e.id != "" && said != "" && said != e.id {
		return "", fmt.Errorf("it stands under %q, and its instance_id is %q", e.id, said)
	}
	if said == "" {
		said = e.id
	}
	return said, nil
}

// diff gives the row's bytes.
func (r sweBenchRow) diff() (string, error) {
	switch {
	case r.B64 == nil && r.Patch == nil:
		return "", nil
	case r.B64 == nil:
		return *r.Patch, nil
	case r.Patch != nil:
		return "", errors.New("both model_patch and patch_b64")
	}
	b, err := base64.StdEncoding.DecodeString(*r.B64)
	if err != nil {
		return "", fmt.Errorf("patch_b64 is not base64: %w", err)
	}
	return string(b), nil
}

func writeSWEBench(w io.Writer, list []part) error {
	return writeLines(w, list, func(p part) any {
		r := sweBenchRow{Instance: p.Instance, Model: p.Model, Repo: p.Repository}
		r.Patch, r.B64 = p.encoded()
		if p.Mode == schema.Independent {
			r.Mode = p.Mode
		}
		if p.Attempt > 1 {
			r.Attempt = p.Attempt
		}
		return r
	})
}
