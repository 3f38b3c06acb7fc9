package validate

import (
	"errors"

	"github.com/wideswe/wideswe/pipeline/sandbox"
	"github.com/wideswe/wideswe/pipeline/settings"
)

// Options are the settings under validate in wideswe.yaml.
type Options struct {
	// docker, or process for code you trust (the demo)
	Sandbox string `yaml:"sandbox" default:"docker"`
	// runs of base and of gold
	Repeats int `yaml:"repeats" default:"3"`
	// gold also in another order, on one CPU, in another time zone, with a shifted clock; what breaks is unstable
	Stress bool `yaml:"stress" default:"false"`
	// tasks at once; 0 is as many as fit. Runs share the machine's CPUs and memory: one waits for its part
	Workers int `yaml:"workers" default:"0"`
	// of one run of one target
	Timeout settings.Duration `yaml:"timeout" default:"30m"`
	Memory  settings.Size     `yaml:"memory" default:"8g"`
	CPUs    float64           `yaml:"cpus" default:"2"`
	PIDs    int64             `yaml:"pids" default:"4096"`
	// a run that has written more is ended
	Disk settings.Size `yaml:"disk" default:"20g"`
}

// defaults are the options of a folder that sets none.
var defaults = settings.Fill(Options{})

// Check returns what is wrong with the settings.
func (o Options) Check() error {
	switch err := settings.OneOf("validate.sandbox", o.Sandbox, "docker", "process"); {
	case err != nil:
		return err
	case o.Repeats < 1:
		return errors.New("validate.repeats must be at least 1")
	case o.Workers < 0:
		return errors.New("validate.workers must not be negative")
	}
	return nil
}

// Limits returns the limits of one run of one target.
func (o Options) Limits() sandbox.Limits {
	return sandbox.Limits{Memory: int64(o.Memory), CPUs: o.CPUs, Pids: o.PIDs, Disk: int64(o.Disk),
		Timeout: o.Timeout.Duration}
}
