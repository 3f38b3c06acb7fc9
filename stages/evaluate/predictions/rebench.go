package predictions

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
)

// patchRow is an entry of the lists that SWE-rebench and SWE-bench Pro take.
type patchRow struct {
	Instance string  `json:"instance_id"`
	Patch    *string `json:"patch,omitempty"`
	Model    *string `json:"model_patch,omitempty"` // Pro takes either
	Prefix   string  `json:"prefix,omitempty"`      // Pro's name of the run
	Name     string  `json:"model_name_or_path,omitempty"`
}

// rebenchShape is SWE-rebench's list of patches.
func rebenchShape() Shape {
	return Shape{Name: "swe-rebench", Form: `a list [{"instance_id": …, "patch": …}], with --model`,
		room:  room{byID: true, context: true},
		wants: []string{"instance_id", "patch"},
		known: func(e entry) bool { return e.has("patch") && (e.has("instance_id") || e.id != "") },
		read:  readPatchRow,
		write: func(w io.Writer, list []part) error {
			return writeList(w, list, func(p part) any { return patchRow{Instance: p.Instance, Patch: &p.Patch} })
		}}
}

func readPatchRow(e entry) (row, error) {
	if err := notInstance(e); err != nil {
		return row{}, err
	}
	if err := keepsBytes(e.text); err != nil {
		return row{}, err
	}
	var r patchRow
	if err := json.Unmarshal(e.text, &r); err != nil {
		return row{}, plainJSON(err)
	}
	id, err := e.instance(r.Instance)
	if err == nil && r.Patch != nil && r.Model != nil {
		err = errors.New("both patch and model_patch")
	}
	out := row{Instance: id, Model: r.Name, Agent: r.Prefix}
	if diff := cmp.Or(r.Patch, r.Model); diff != nil {
		out.Patch = *diff
	}
	return out, err
}
