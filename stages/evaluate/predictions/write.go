package predictions

import (
	"encoding/json"
	"io"

	"github.com/wideswe/wideswe/schema"
)

// Write writes native lines, every byte of the patches kept.
func Write(w io.Writer, list []schema.Prediction) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for _, p := range list {
		if err := e.Encode(p.Encoded()); err != nil {
			return err
		}
	}
	return nil
}
