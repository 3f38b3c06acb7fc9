package registry

// Declares asks the toolchain that a file belongs to which names it declares for all
// of its package.
func Declares(file string, text []byte) []string {
	for _, t := range All() {
		if d := t.Facts().Declares; d.Known() {
			if names := d.Value(file, text); len(names) > 0 {
				return names
			}
		}
	}
	return nil
}
