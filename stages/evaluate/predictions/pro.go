package predictions

import "io"

// proShape is SWE-bench Pro's list of patches.
func proShape() Shape {
	return Shape{Name: "swe-bench-pro", Form: `a list [{"instance_id": …, "patch": …, "prefix": MODEL}]`,
		room:  room{model: true, byID: true, context: true},
		wants: []string{"instance_id", "patch", "prefix"},
		known: func(e entry) bool { return e.has("instance_id", "prefix") && (e.has("patch") || e.has("model_patch")) },
		read:  readPatchRow,
		write: func(w io.Writer, list []part) error {
			return writeList(w, list, func(p part) any {
				return patchRow{Instance: p.Instance, Patch: &p.Patch, Prefix: p.Model}
			})
		}}
}
