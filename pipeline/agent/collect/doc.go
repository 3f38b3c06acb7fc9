// Package collect compares the workspace that an agent left with the one it got and makes a patch for each repository.
// Whatever no patch holds is listed with the reason. It reads one stream of files and writes nothing.
package collect
