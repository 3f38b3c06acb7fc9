package sandbox

import "io"

// Image is a built or found image.
type Image struct {
	ID   string
	Name string
	Key  string
}

// ImageSpec says how an image is made from another.
type ImageSpec struct {
	Base   string // name or id
	Name   string // tag
	Key    string // digest of all that decides the image; found again by it
	Steps  []Step
	Env    map[string]string // stays in the image
	Labels map[string]string
	Limits Limits
	// BuildEnv and BuildFiles (path → content) are there during the steps only.
	BuildEnv   map[string]string
	BuildFiles map[string][]byte
	// Clear lists folders that are removed before a step lays new sources and
	// before the commit.
	Clear []string
	Log   io.Writer
	// Explain says in one line why a step failed, by what it printed last and its exit
	// code; nil knows the words of no language.
	Explain func(output string, exitCode int) string
}

// Step is one script of an image's making.
type Step struct {
	Name    string
	Script  string
	User    string // default [User]
	Dir     string
	Env     map[string]string
	Network bool
	In      []Source
}
