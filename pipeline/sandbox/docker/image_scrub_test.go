package docker

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/wideswe/wideswe/pipeline/sandbox"
)

// Tools write the mirror they fetched from into files of their own.
func TestBuildImageTakesMirrorsOutOfWhatToolsWrote(t *testing.T) {
	d, img := dockerAndImage(t)
	key := "test-" + random()
	const mirror, secret = "https://user:hunter22@mirror.example/simple", "tok-of-npm-77"
	var log bytes.Buffer
	made, err := d.BuildImage(t.Context(), sandbox.ImageSpec{
		Base: img, Name: "wideswe/test:" + key, Key: key, Clear: []string{"/workspace"}, Log: &log,
		BuildEnv: map[string]string{"PIP_INDEX_URL": mirror},
		BuildFiles: map[string][]byte{"/etc/npmrc": []byte("//npm.example/:_authToken=" + secret +
			"\nregistry=https://npm.example/all\n")},
		Steps: []sandbox.Step{{Name: "setup", User: "0:0", Network: true,
			Script: `mkdir -p /home/x/.config/pip "/home/x/node modules" /home/x/.cache
printf '[global]\nindex-url = %s\n' "$PIP_INDEX_URL" > /home/x/.config/pip/pip.conf
printf '{"resolved": "https://npm.example/all/left/-/left.tgz"}\n' > "/home/x/node modules/.package-lock.json"
cp /etc/npmrc /home/x/.npmrc
printf 'a\000b https://mirror.example/simple/acme c\000' > /home/x/.cache/db
printf 'untouched https://public.example/\n' > /home/x/other`}},
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, log.String())
	}
	t.Cleanup(func() { _ = d.RemoveImage(context.WithoutCancel(t.Context()), made.ID) })
	inspect, _ := d.api.ImageInspect(t.Context(), made.ID)
	history, _ := d.api.ImageHistory(t.Context(), made.ID)
	told, _ := json.Marshal([]any{inspect, history})
	files := export(t, d, made.ID)
	for _, word := range []string{"hunter22", "mirror.example", "npm.example/all", secret} {
		if bytes.Contains(told, []byte(word)) {
			t.Errorf("the configuration tells %s", word)
		}
		for name, body := range files {
			if strings.Contains(body, word) {
				t.Errorf("%s tells %s: %q", name, word, body)
			}
		}
	}
	for name, want := range map[string]string{
		"home/x/other":                           "untouched https://public.example/\n",
		"home/x/.config/pip/pip.conf":            "[global]\nindex-url = https://mirror.invalid\n",
		"home/x/node modules/.package-lock.json": `{"resolved": "https://mirror.invalid/left/-/left.tgz"}` + "\n",
	} {
		if d := cmp.Diff(want, files[name]); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	if got := files["home/x/.cache/db"]; len(got) != len("a\000b https://mirror.example/simple/acme c\000") ||
		!strings.HasSuffix(got, "/acme c\000") {
		t.Errorf("a file that is no text changed its shape: %q", got)
	}
}
