package github

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestArchiveKeepsPagesAndGivesThemBackInOrder(t *testing.T) {
	dir := t.TempDir()
	a, err := OpenArchive(dir)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 3, 1, 23, 59, 59, 0, time.UTC)
	var want []string
	for i := range 3 {
		p := &Page{URL: fmt.Sprintf("http://h/x?page=%d", i), Status: 200, ETag: `"e"`, Body: []byte("[1,\n2,\"\xff\x00\"]"),
			FetchedAt: at.Add(time.Duration(i) * time.Second)}
		key, err := a.Put(p)
		if err != nil {
			t.Fatal(err)
		}
		h, body, err := a.Get(key)
		if err != nil || string(body) != string(p.Body) || h.ETag != p.ETag || !h.FetchedAt.Equal(p.FetchedAt) {
			t.Errorf("got back %+v %q, %v", h, body, err)
		}
		want = append(want, p.URL)
	}
	// What a killed process leaves is no page.
	if err := os.WriteFile(filepath.Join(dir, "2026-03-01", ".page-123"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	var got []string
	if err := a.Each(t.Context(), func(_ string, h Header, _ []byte) error {
		got = append(got,
			h.URL)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if _, _, err := a.Get("../../etc/passwd"); err == nil {
		t.Error("a key outside the archive was read")
	}
}

func TestArchiveNamesABrokenPage(t *testing.T) {
	a, err := OpenArchive(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	key, err := a.Put(&Page{URL: "u", Body: []byte("{}"), FetchedAt: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(a.path(key), 10); err != nil {
		t.Fatal(err)
	}
	err = a.Each(context.Background(), func(string, Header, []byte) error { return nil })
	if err == nil || !strings.Contains(err.Error(), key) {
		t.Errorf("got %v", err)
	}
}

func TestFetchKeepsThePageWithoutTheToken(t *testing.T) {
	dir := t.TempDir()
	a, err := OpenArchive(dir)
	if err != nil {
		t.Fatal(err)
	}
	p, _, _ := host(t, Options{Tokens: []string{"ghp_secret"}, Archive: a}, say(404, `{}`), say(200, `{"x":1}`))
	if _, err := p.Fetch(t.Context(), Request{Pin: "o/n", Path: "gone"}); err == nil {
		t.Fatal("404 is an error")
	}
	pg, err := p.Fetch(t.Context(), Request{Pin: "o/n", Path: "repos/o/n?access_token=ghp_secret"})
	if err != nil {
		t.Fatal(err)
	}
	h, body, err := a.Get(pg.Key)
	if err != nil || string(body) != `{"x":1}` || strings.Contains(h.URL, "ghp_secret") {
		t.Errorf("kept %+v %q, %v", h, body, err)
	}
}
