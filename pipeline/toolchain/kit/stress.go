package kit

// CanShuffle says why a recipe's tests can't run in another order; "" they can.
func CanShuffle(tc Toolchain, ownTest bool) (why string) {
	if !tc.Facts().Shuffles.Known() {
		return "no way is known to run the tests of the toolchain " + tc.Name() + " in another order"
	}
	if ownTest {
		return "the recipe's own test command sets the order"
	}
	return ""
}

// Clock gives the command that reads the tests' clock, or why it can't be shifted.
func Clock(tc Toolchain) (command, why string) {
	clock := tc.Facts().Clock
	if !clock.Known() {
		return "", "no way is known to shift the clock that programs of the toolchain " + tc.Name() + " read"
	}
	return clock.Value, ""
}
