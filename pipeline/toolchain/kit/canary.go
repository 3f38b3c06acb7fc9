package kit

import (
	"github.com/wideswe/wideswe/schema"
)

// Canary is a group of tests that a plan adds to one report. Nobody but the
// runner knows which of them pass and which are skipped, so a program that writes
// its results itself can only guess.
type Canary struct {
	// File is the report that holds them, With the files that it is read with.
	File string
	With []string
	// Want is what each of the tests before all others has to end with, by its name, and
	// Last what those after them have to, where the toolchain can put any there.
	Want, Last map[string]schema.TestOutcome
}

// Outcome is what one of the canary's tests has to end with.
func (c Canary) Outcome(name string) (schema.TestOutcome, bool) {
	if o, ok := c.Want[name]; ok {
		return o, true
	}
	o, ok := c.Last[name]
	return o, ok
}

// CanarySize is how many tests a canary has: a guess is right once in about 2^8.
const CanarySize = 8

// CanaryOff is the recipe's environment variable that, set to off, leaves the
// canaries out: for a package whose TestMain chooses by itself what runs.
const CanaryOff = "WIDESWE_CANARY"
