package evaluate

import "path/filepath"

// folders are where a task's trees are.
type folders struct{ dir string }

func (f folders) pristine() string { return filepath.Join(f.dir, "pristine") }
func (f folders) base() string     { return filepath.Join(f.dir, "base") }
func (f folders) gold() string     { return filepath.Join(f.dir, "gold") }
