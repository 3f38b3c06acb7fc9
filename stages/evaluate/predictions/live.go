package predictions

import "io"

// liveRow is a prediction as SWE-bench-Live takes them: it says nothing but the patch.
type liveRow struct {
	Patch string `json:"model_patch"`
}

// liveShape is SWE-bench-Live's object by instance id.
func liveShape() Shape {
	return Shape{Name: "swe-bench-live", Form: `an object {ID: {"model_patch": …}}, with --model`,
		room:  room{byID: true, context: true},
		wants: []string{"model_patch"},
		known: func(e entry) bool {
			return e.id != "" && e.has("model_patch") && !e.has("model_name_or_path") && !e.has("instance_id")
		},
		read: readSWEBench,
		write: func(w io.Writer, list []part) error {
			return writeObject(w, list, func(p part) any { return liveRow{p.Patch} })
		}}
}
