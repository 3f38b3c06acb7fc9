// Package agent runs a command-line agent on the tasks of a release and collects what it changed. Each job runs in a
// fresh workspace and ends as one prediction, or as none where our own machinery failed.
//
// An agent is a stranger with a shell. It reaches only the hosts that its file allows, through a proxy that counts; no
// output holds a value of the environment that it gets; and its changes are read from its files alone, never from what
// its git says.
//
// What lives here is the run itself: jobs on workers, the image, the sandbox's specification and what becomes of a
// result. The agent's file is agentfile's, the network proxy's, patches are collect's and the OUT folder is runs'.
// Images
// in which targets' tests run are the caller's to give; scoring is evaluate's.
package agent
