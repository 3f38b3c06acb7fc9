// Package agent lets a command-line agent loose on the tasks of a release and brings
// home what it did: an agent's file says what is run and within which bounds, each
// task runs in a fresh workspace, what came of every repository is collected as a
// patch, and a prediction is written for each run, once.
//
// An agent is a stranger with a shell. It reaches nothing but the hosts that its file
// allows, through a proxy of ours that counts; no environment value that it is given
// is in any output; and what it did is read from its files alone, compared with what
// it got: nothing that its git says is believed.
//
// Containers are pipeline/sandbox's, trees and patches pipeline/workspace's; images
// in which targets' tests run are the caller's to give. Scoring is evaluate's.
package agent
