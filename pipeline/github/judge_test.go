package github

import (
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"
)

// FuzzAnswer gives a host's bytes to everything that reads them.
func FuzzAnswer(f *testing.F) {
	f.Add(403, `{"message":"API rate limit exceeded"}`, "5", `<https://h/x?page=2>; rel="next"`)
	f.Add(429, `<html>`, "Sun, 01 Mar 2026 12:00:09 GMT", `<`)
	f.Add(451, `{"message":"\u001b[31m","block":{}}`, "-1", `;;,,`)
	f.Add(200, `{"message":7}`, "99999999999999999999", ``)
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, status int, body, after, link string) {
		a := &answer{status, http.Header{"Retry-After": {after}, "X-Ratelimit-Remaining": {after},
			"X-Ratelimit-Limit": {after}, "X-Ratelimit-Reset": {after}}, []byte(body)}
		v, err := judge(a, true)
		if (v == whole) != (err == nil) && !(v == whole && (status == 403 || status == 429)) {
			t.Errorf("verdict %d with error %v", v, err)
		}
		p := a.problem()
		if !utf8.ValidString(p.Message) || len(p.Message) > 1000 || strings.ContainsFunc(p.Message, unicode.IsControl) {
			t.Errorf("message %q", p.Message)
		}
		if d, ok := retryAfter(a.header, now); ok && d < 0 {
			t.Errorf("%q waits %v", after, d)
		}
		c := clock{now: func() time.Time { return now }}
		g := newGate(c)
		g.learn(core, a.header)
		g.limited(core, a.header, true)
		if shut := g.opens(core).Sub(now); shut <= 0 || shut > longestWait {
			t.Errorf("%q shuts the gate for %v", after, shut)
		}
		if n := nextLink(link); n != "" && !strings.Contains(link, n) {
			t.Errorf("next of %q is %q", link, n)
		}
	})
}
