package sandbox

// Check is one thing a person can be told about the machine.
type Check struct {
	Name   string
	OK     bool
	Detail string // what was found, or the next step
}

// Host is where runs take place, for records.
type Host struct {
	Platform string // os/architecture of what runs
	Engine   string // and its version; empty where there is none
	Kernel   string
}
