package toolchain

import "regexp"

// Guard knows what bats and shellspec load beside a test; helpers in test folders are
// known to every toolchain.
func (Shell) Guard(c Change) Guard {
	return Guard{Touched: shellSupport.MatchString(c.Path)}
}

var shellSupport = regexp.MustCompile(`(^|/)(\.shellspec|spec_helper\.sh|test_helper\.(bash|sh)|test_helper/.*|setup_suite\.(bash|sh)|\.batsrc|bats_helper\.(bash|sh))$`)
