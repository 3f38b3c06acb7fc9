package agent

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline/agent/agenttest"
	"github.com/wideswe/wideswe/pipeline/agent/runs"
	"github.com/wideswe/wideswe/pipeline/testscope"
	"github.com/wideswe/wideswe/schema"
)

// client asks the API at $API_URL for a path, and tells what it got; asks of another
// address go through the proxy, as clients do.
const client = `
api() { perl -MIO::Socket::INET -e 'my ($base, $path) = @ARGV; my ($at, $prefix) = $base =~ m{^http://([^/]+)(.*)$} or die "no address $base";
	my $s = IO::Socket::INET->new(PeerAddr=>$at, Timeout=>10) or do { print "unreachable\n"; exit 1 }; my $body = "{\"key\":\"$ENV{WIDESWE_TEST_KEY}\"}";
	print $s "POST $prefix$path HTTP/1.1\r\nHost: $at\r\nX-Api-Key: $ENV{WIDESWE_TEST_KEY}\r\nContent-Length: ".length($body)."\r\nConnection: close\r\n\r\n$body";
	my $line = <$s>; print $line; my $ok = $line =~ / 200 /; local $/; <$s>; exit !$ok' "$API_URL" "$1"; }
through() { perl -MIO::Socket::INET -e 'my ($at) = $ENV{HTTP_PROXY} =~ m{^http://([^/]+)}; my $s = IO::Socket::INET->new(PeerAddr=>$at, Timeout=>10) or die "no proxy";
	print $s "GET $ARGV[0] HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"; my $line = <$s>; print $line' "$1"; }
`

func TestAnAgentSpeaksToItsModelAndToNobodyElse(t *testing.T) {
	api := agenttest.ModelAPI(t)
	var keys []string
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		keys = append(keys, r.Header.Get("X-Api-Key"))
		api.Config.Handler.ServeHTTP(w, r)
	}))
	defer front.Close()
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter,
		*http.Request) {
		t.Error("another server of this machine was reached")
	}))
	defer other.Close()
	backends(t, func(t *testing.T, r *Runner) {
		keys = nil
		at := strings.TrimPrefix(front.URL, "http://")
		r.Agent = fileAgent(t, fmt.Sprintf("name: caller\nenv: [WIDESWE_TEST_KEY]\nnetwork: {private: ['%s'], "+
			"base_urls: {API_URL: '%s'}}\ncommand: |\n%s\n", at, front.URL,
			indent(client+"api /chat && api /messages || exit 9\nthrough "+other.URL+
				"/x\nthrough http://example.org/\necho right > o/lib/lib.txt\n")))
		r.Getenv = func(string) (string, bool) { return "value-of-the-key", true }
		_, got, err := r.run(t, schema.Joint, 1, "t1")
		must(t, err)
		p := got["t1 joint"]
		if p.Run == nil || p.Run.APIRequests != 2 || p.Run.InputTokens != 83 || p.Run.CachedTokens != 54 ||
			p.Run.OutputTokens != 47 || p.Run.Status != runs.Ended {
			t.Errorf("%+v\n%s", p.Run, everything(t, r.Out))
		}
		rec := r.record(t, runs.Job{Task: "t1", Mode: schema.Joint, Target: "", Attempt: 1})
		if d := cmp.Diff([]string{"value-of-the-key", "value-of-the-key"}, keys); d != "" {
			t.Error(d)
		}
		if rec.Traffic == nil || rec.Traffic.Refused != 2 || len(rec.Traffic.Hosts) != 1 ||
			rec.Traffic.Hosts[0].Requests != 2 {
			t.Errorf("%+v", rec.Traffic)
		}
		all := everything(t, r.Out)
		if strings.Contains(all, "value-of-the-key") || strings.Count(all, "HTTP/1.1 403") != 2 {
			t.Errorf("%s", all)
		}
	})
}

// Whether the agent tells of it by its code, or keeps it to itself, or asks until its
// time is over.
func TestAnAPIThatAnswersNothingIsTroubleOfOurs(t *testing.T) {
	testscope.NotShort(t, "it runs agents")
	api := agenttest.ModelAPI(t)
	backends(t, func(t *testing.T, r *Runner) {
		for name, end := range map[string]string{"with a code": "exit 1", "in silence": "exit 0",
			"by the time": "exec sleep 60"} {
			t.Run(name, func(t *testing.T) {
				r, at := r.copy(), strings.TrimPrefix(api.URL, "http://")
				r.Out = filepath.Join(t.TempDir(), "out")
				r.Agent = fileAgent(t, fmt.Sprintf("name: caller\ntimeout: 5\nnetwork: {private: ['%s'], "+
					"base_urls: {API_URL: '%s'}}\ncommand: |\n%s\n", at, api.URL,
					indent(client+"api /busy; api /busy; echo gave up >&2; "+end+"\n")))
				var said []string
				r.Say = func(s string) { said = append(said, s) }
				sum, got, err := r.run(t, schema.Joint, 1, "t1")
				if err != nil || sum.Failed != 1 || len(got) > 0 ||
					!strings.Contains(strings.Join(said, " "), "answered none of its requests (2 failed): gave up") {
					t.Errorf("%+v %v %v %q", sum, got, err, said)
				}
			})
		}
	})
}

func TestAnAgentWithoutNetworkReachesNothing(t *testing.T) {
	backends(t, func(t *testing.T, r *Runner) {
		if r.Backend.Name() == "process" {
			t.Skip("the process sandbox is no wall")
		}
		r.Agent = scriptAgent(t, "[ \"$(ls /sys/class/net)\" = lo ] && echo right > o/lib/lib.txt\n[ -z "+
			"\"$HTTP_PROXY$API_URL\" ] || exit 3\n")
		_, got, err := r.run(t, schema.Joint, 1, "t1")
		must(t, err)
		if p := got["t1 joint"]; !strings.Contains(p.Patches["o/lib"], "+right") || p.Run.Status != runs.Ended {
			t.Errorf("%+v", p)
		}
	})
}

func indent(s string) string { return "  " + strings.ReplaceAll(s, "\n", "\n  ") }

// Setup lines make an image once, as the agent's account.
func TestSetupMakesAnImageOnce(t *testing.T) {
	backends(t, func(t *testing.T, r *Runner) {
		if r.Backend.Name() == "process" {
			t.Skip("the process sandbox makes no images")
		}
		mark := t.Name() + r.Out
		r.Agent = fileAgent(t, "name: a\nsetup:\n  - 'mkdir -p ~/.local/bin; printf \"#!/bin/sh\\necho made by "+
			"$(id -u)\\n\" > ~/.local/bin/made-tool; chmod +x ~/.local/bin/made-tool # "+mark+
			"'\ncommand: made-tool > o/lib/lib.txt\n")
		_, got, err := r.run(t, schema.Joint, 1, "t1")
		must(t, err)
		if p := got["t1 joint"]; !strings.Contains(p.Patches["o/lib"], "+made by 1000") {
			t.Errorf("%+v\n%s", p, everything(t, r.Out))
		}
		first := r.record(t, runs.Job{Task: "t1", Mode: schema.Joint, Target: "", Attempt: 1}).Image
		_, _, err = r.run(t, schema.Joint, 1, "t2")
		must(t, err)
		if second := r.record(t, runs.Job{Task: "t2", Mode: schema.Joint, Target: "",
			Attempt: 1}).Image; second != first {
			t.Errorf("two images: %s, %s", first, second)
		}
		removeImage(t, r, first)
	})
}

// A run that is no prediction is looked into: what it said is kept until the run was done.
func TestWhatAFailedRunSaidIsKept(t *testing.T) {
	backends(t, func(t *testing.T, r *Runner) {
		up := false
		api := agenttest.ModelAPI(t)
		front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			if !up {
				http.Error(w, "busy", http.StatusServiceUnavailable)
				return
			}
			api.Config.Handler.ServeHTTP(w, q)
		}))
		defer front.Close()
		r.Agent = fileAgent(t, fmt.Sprintf("name: caller\nenv: [WIDESWE_TEST_KEY]\ntrajectory: "+
			"[~/story.jsonl]\nnetwork: {private: ['%s'], base_urls: {API_URL: '%s'}}\ncommand: |\n%s\n",
			strings.TrimPrefix(front.URL, "http://"), front.URL,
			indent(client+"echo $WIDESWE_TEST_KEY | tee ~/story.jsonl; api /chat || { echo gave up >&2; exit 1; }\n")))
		r.Getenv = func(string) (string, bool) { return "value-of-the-key", true }
		var said []string
		r.Say = func(s string) { said = append(said, s) }
		for range 2 { // the second takes the place of the first
			sum, got, err := r.run(t, schema.Joint, 1, "t1")
			if err != nil || sum.Failed != 1 || len(got) > 0 {
				t.Fatalf("%+v %v %v", sum, got, err)
			}
		}
		dir := filepath.Join(r.Out, "failed", "t1", "joint-1")
		for name, want := range map[string]string{"stderr.log": "gave up\n", "stdout.log": "HTTP/1.1 503",
			"run.json": `"failed": 1`, "trajectory" + storyAt(r): "[WIDESWE_TEST_KEY]"} {
			if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !strings.Contains(string(b), want) {
				t.Errorf("%s: %q %v", name, b, err)
			}
		}
		if all := strings.Join(said, " "); !strings.Contains(all, dir) ||
			strings.Contains(everything(t, r.Out), "value-of-the-key") {
			t.Errorf("%s", all)
		}
		up = true
		sum, got, err := r.run(t, schema.Joint, 1, "t1")
		if err != nil || sum.Done != 1 || len(got) != 1 {
			t.Fatalf("%+v %v %v", sum, got, err)
		}
		if _, err := os.Stat(filepath.Join(r.Out, "failed")); !os.IsNotExist(err) {
			t.Errorf("what failed before is there still: %v", err)
		}
	})
}

// storyAt is where the trajectory of that test lies below its folder.
func storyAt(r *Runner) string {
	if r.Backend.Name() == "process" {
		return "/home/story.jsonl"
	}
	return "/home/wideswe/story.jsonl"
}
