// Package agentfile reads an agent's file: the command that is run, the image, the limits, the environment and the
// network
// that it gets. It also knows the built-in agents. It runs nothing.
package agentfile
