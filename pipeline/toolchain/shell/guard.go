package shell

import (
	"regexp"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

// shellguard knows what bats and shellspec load beside a test, what scripts of any kind are
// built on in a folder of tests, and files that commands run by.
func guard(c kit.Change) kit.Guard {
	switch base := c.Name(); {
	case base == ".env", base == "justfile", base == "taskfile.yml", base == "taskfile.yaml",
		shellSupport.MatchString(c.Path), supportFile.MatchString(c.Path):
		return kit.Whole
	}
	return kit.Guard{}
}

// supportFile knows what test scripts are built on: helpers in test folders.
var supportFile = regexp.MustCompile(`(^|/)(tests?|t|spec|__tests__)/(.*/)?(lib|helpers?|common|utils?|support|` +
	`bootstrap|harness|setup|runner|run|asserts?|assertions?|expect|expectations?|matchers?)([-_.][^/]*)?$|(^|/)(tests?|` +
	`t)/(lib|helpers?|support)/|(^|/)(tests?|t)/(.*/)?__init__\.py$`)

var shellSupport = regexp.MustCompile(`(^|/)(\.shellspec|spec_helper\.sh|test_helper\.(bash|sh)|test_helper/.*|` +
	`setup_suite\.(bash|sh)|\.batsrc|bats_helper\.(bash|sh))$`)
