package predictions

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/wideswe/wideswe/schema"
)

// nativeShape is ours: a line a prediction, which holds everything.
func nativeShape() Shape {
	return Shape{Name: "native",
		Form:  `a line {"task_id": …, "model_name_or_path": …, "patches": {"owner/name": "diff --git …"}}`,
		wants: []string{"task_id", "model_name_or_path", "patches"},
		known: func(e entry) bool { return e.has("task_id") || e.has("patches") }}
}

// native reads a native line.
func (c *collector) native(e entry, place string) error {
	if e.id != "" {
		return fmt.Errorf("a native line stands alone and not under the name %q", e.id)
	}
	if err := keepsBytes(e.text); err != nil {
		return err
	}
	var p schema.Prediction
	d := json.NewDecoder(bytes.NewReader(e.text))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		return plainJSON(err)
	}
	p, err := p.Decoded()
	if err != nil {
		return err
	}
	return c.add(p, place)
}
