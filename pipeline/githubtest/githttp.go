package githubtest

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"

	"github.com/wideswe/wideswe/schema"
)

// maxGitRequest bounds what one fetch may ask.
const maxGitRequest = 32 << 20

// isGit says whether a path is one of git's: /OWNER/NAME.git/…
func isGit(path string) bool { return strings.Contains(path, ".git/") }

// serveGit answers git's smart protocol, for reading only. It runs the same
// program behind every git server, git upload-pack, which go-git can't stand in
// for: it has no object filters and serves no single commits.
func (s *Server) serveGit(w http.ResponseWriter, r *http.Request) {
	name, service, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), ".git/")
	repository, renamed, ok := s.find(name)
	switch {
	case !ok:
		http.NotFound(w, r)
	case renamed:
		to := "/" + repository.Name + ".git/" + service
		if r.URL.RawQuery != "" {
			to += "?" + r.URL.RawQuery
		}
		http.Redirect(w, r, to, http.StatusMovedPermanently)
	case r.Method == http.MethodGet && service == "info/refs" && r.URL.Query().Get("service") == "git-upload-pack":
		s.advertise(w, r, repository.Name)
	case r.Method == http.MethodPost && service == "git-upload-pack":
		s.uploadPack(w, r, repository.Name)
	default:
		http.Error(w, "only fetching is served", http.StatusForbidden)
	}
}

func (s *Server) advertise(w http.ResponseWriter, r *http.Request, repository string) {
	var out bytes.Buffer
	if err := s.git(r, repository, nil, &out, "--advertise-refs"); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
	w.Header().Set("Cache-Control", "no-cache")
	if !strings.Contains(r.Header.Get("Git-Protocol"), "version=2") {
		io.WriteString(w, "001e# service=git-upload-pack\n0000")
	}
	w.Write(out.Bytes())
}

func (s *Server) uploadPack(w http.ResponseWriter, r *http.Request, repository string) {
	body := io.Reader(http.MaxBytesReader(w, r.Body, maxGitRequest))
	if r.Header.Get("Content-Encoding") == "gzip" {
		unzipped, err := gzip.NewReader(body)
		if err != nil {
			http.Error(w, "reading the request: "+err.Error(), http.StatusBadRequest)
			return
		}
		body = io.LimitReader(unzipped, maxGitRequest)
	}
	w.Header().Set("Content-Type", "application/x-git-upload-pack-result")
	w.Header().Set("Cache-Control", "no-cache")
	// An error after the first byte shows to git as a cut answer.
	_ = s.git(r, repository, body, w)
}

func (s *Server) git(r *http.Request, repository string, in io.Reader, out io.Writer, args ...string) error {
	args = append(append([]string{"upload-pack", "--stateless-rpc", "--strict"}, args...), s.built.GitDir(repository))
	cmd := exec.CommandContext(r.Context(), "git", args...)
	cmd.Stdin, cmd.Stdout = in, out
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*",
		"GIT_PROTOCOL=" + protocol(r),
	}
	return cmd.Run()
}

// protocol passes on only the versions git knows.
func protocol(r *http.Request) string {
	if v := r.Header.Get("Git-Protocol"); v == "version=1" || v == "version=2" {
		return v
	}
	return ""
}

// find looks a repository up by a present or an old name, in any case.
func (s *Server) find(name string) (r Repository, renamed, ok bool) {
	if _, _, valid := schema.SplitRepository(name); !valid {
		return Repository{}, false, false
	}
	for _, r := range s.built.Repositories {
		if strings.EqualFold(r.Name, name) {
			return r, false, true
		}
		for _, old := range r.OldNames {
			if strings.EqualFold(old, name) {
				return r, true, true
			}
		}
	}
	return Repository{}, false, false
}
