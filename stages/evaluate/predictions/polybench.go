package predictions

import "io"

// polyBenchRow is a prediction as SWE-PolyBench takes them: a row without a model.
type polyBenchRow struct {
	Instance string `json:"instance_id"`
	Patch    string `json:"model_patch"`
}

// polyBenchShape is SWE-PolyBench's rows, one a line.
func polyBenchShape() Shape {
	return Shape{Name: "swe-polybench", Form: `lines {"instance_id": …, "model_patch": …}, with --model`,
		room:  room{byID: true, context: true},
		wants: []string{"instance_id", "model_patch"},
		known: func(e entry) bool {
			return e.has("instance_id", "model_patch") && !e.has("model_name_or_path") && !e.has("prefix")
		},
		read: readSWEBench,
		write: func(w io.Writer, list []part) error {
			return writeLines(w, list, func(p part) any { return polyBenchRow{p.Instance, p.Patch} })
		}}
}
