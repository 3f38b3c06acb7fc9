// Package githubtest is a small GitHub inside the process: it reads the
// description of an ecosystem, builds its git histories, and serves the part of
// the REST API and of git over HTTP that wideswe asks for. The demo and the
// tests of the stages run against it, offline.
//
// A description is a folder (see [Load]): demo.yaml lists owners, people,
// repositories and issues; one txtar archive a repository holds its first tree;
// one txtar archive a pull holds its text and its changes. Everything that is
// built from it is fixed: the same description gives the same commit ids on
// every machine.
//
// It imitates answers, not policies: it keeps no quota, and every request is
// answered whatever token it carries. Tests that want trouble ask for it with
// [Server.Fail] and [Server.Intercept]. Reading GitHub's answers is left to
// pipeline/github, mirrors to pipeline/git.
package githubtest
