package export

import (
	"errors"

	"github.com/wideswe/wideswe/pipeline/settings"
)

// Options are the settings under export in wideswe.yaml.
type Options struct {
	Name    string `yaml:"name" default:"wideswe"`
	Version string `yaml:"version" default:"'1'"`
	// context repositories: targets of the ecosystem's other tasks, or nearest
	Context string `yaml:"context" default:"targets"`
	// sha256 of strings that the credential scan may let pass
	AllowCredentials []string `yaml:"allow_credentials" default:"[]"`
	// an evaluation's tests may take so many times as long as gold's longest run took here,
	TimeFactor float64 `yaml:"time_factor" default:"5"`
	// and never less than this
	TimeFloor settings.Duration `yaml:"time_floor" default:"2m"`
}

// Check returns what is wrong with the settings.
func (o Options) Check() error {
	if err := settings.OneOf("export.context", o.Context, ContextEcosystem, ContextNearest); err != nil {
		return err
	}
	if o.TimeFactor < 1 || o.TimeFloor.Duration <= 0 {
		return errors.New("export.time_factor must be 1 or more, and export.time_floor a duration as 2m")
	}
	return nil
}
