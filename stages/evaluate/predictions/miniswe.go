package predictions

import "io"

// miniShape is mini-swe-agent's preds.json, an object of rows by instance id.
func miniShape() Shape {
	return Shape{Name: "mini-swe-agent",
		Form:  `an object {ID: {"instance_id": ID, "model_name_or_path": …, "model_patch": …}}`,
		room:  room{model: true, byID: true, context: true},
		wants: []string{"instance_id", "model_name_or_path", "model_patch"},
		known: func(e entry) bool { return e.id != "" && (e.has("model_patch") || e.has("patch_b64")) },
		read:  readSWEBench, write: writeMini}
}

func writeMini(w io.Writer, list []part) error {
	return writeObject(w, list, func(p part) any {
		return sweBenchRow{Instance: p.Instance, Model: p.Model, Patch: &p.Patch}
	})
}
