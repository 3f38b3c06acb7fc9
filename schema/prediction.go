package schema

import (
	"encoding/base64"
	"fmt"
	"maps"
	"unicode/utf8"
)

// RunKey identifies a run: one model's attempt in one mode.
type RunKey struct {
	Model   string
	Mode    string
	Attempt int
}

// String returns the name of the run; it leaves out the number of a first attempt.
func (k RunKey) String() string {
	if k.Attempt > 1 {
		return fmt.Sprintf("%s %s, attempt %d", k.Model, k.Mode, k.Attempt)
	}
	return k.Model + " " + k.Mode
}

// RunKey returns the run that the prediction belongs to.
func (p Prediction) RunKey() RunKey { return RunKey{p.Model, p.Mode, p.Attempt} }

// Encoded returns the prediction as it is written to a file. JSON cannot hold bytes
// that are not UTF-8, so such patches move to PatchB64.
func (p Prediction) Encoded() Prediction {
	text := map[string]string{}
	b64 := maps.Clone(p.PatchB64)
	for repository, patch := range p.Patches {
		if utf8.ValidString(patch) {
			text[repository] = patch
			continue
		}
		if b64 == nil {
			b64 = map[string]string{}
		}
		b64[repository] = base64.StdEncoding.EncodeToString([]byte(patch))
	}
	p.Patches, p.PatchB64 = text, b64
	return p
}

// Decoded is the inverse of [Prediction.Encoded]: it returns the prediction with every
// patch in Patches, byte for byte.
func (p Prediction) Decoded() (Prediction, error) {
	if p.PatchB64 == nil {
		return p, nil
	}
	all := map[string]string{}
	maps.Copy(all, p.Patches)
	for repository, text := range p.PatchB64 {
		if _, twice := all[repository]; twice {
			return p, fmt.Errorf("%q is in both patches and patch_b64", repository)
		}
		b, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return p, fmt.Errorf("patch_b64 of %q is not base64: %w", repository, err)
		}
		all[repository] = string(b)
	}
	p.Patches, p.PatchB64 = all, nil
	return p, nil
}
