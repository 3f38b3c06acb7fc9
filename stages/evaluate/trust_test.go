package evaluate

import (
	"errors"
	"testing"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

func TestProcessSandboxRefusesStrangers(t *testing.T) {
	rel := makeRelease(t)
	tests := map[string]struct {
		p      schema.Prediction
		trust  bool
		demo   bool
		refuse bool
	}{
		"gold":        {p: schema.Prediction{Patches: patches("o/lib", goldLib)}},
		"empty":       {p: schema.Prediction{Patches: patches("o/lib", " \n")}},
		"stranger":    {p: schema.Prediction{Patches: patches("o/lib", goldLib+"\n")}, refuse: true},
		"swapped":     {p: schema.Prediction{Patches: patches("o/tool", goldLib)}, refuse: true},
		"trusted":     {p: schema.Prediction{Patches: patches("o/lib", goldLib+"\n")}, trust: true},
		"of the demo": {p: schema.Prediction{Patches: patches("o/lib", goldLib+"\n")}, demo: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, rel, tc.p)
			images := 0
			r.Runner = fake{allPass, &images}
			r.TrustPatches = tc.trust
			r.Trusted = func(schema.Prediction) bool { return tc.demo }
			_, err := r.run(t)
			var usage *pipeline.UsageError
			if errors.As(err, &usage) != tc.refuse {
				t.Errorf("got %v", err)
			}
		})
	}
}
