package doctor

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/config"
)

func TestCheckTokensAsksTheHost(t *testing.T) {
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.Header.Get("Authorization"), " good") {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"message": "Bad credentials"}`)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"resources": {}}`)
	}))
	t.Cleanup(host.Close)
	for _, tt := range []struct {
		name, api string
		tokens    []string
		ok        bool
		detail    string
	}{
		{"none", host.URL, nil, false, "export GITHUB_TOKEN"},
		{"good", host.URL, []string{"good"}, true, "1 found"},
		{"one of two refused", host.URL, []string{"good", "secret"}, false, "refuses token 2 of 2"},
		{"no host", "http://127.0.0.1:1", []string{"good"}, true, "not tried"},
		{"demo", config.DemoURL, nil, true, "wants none"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := checkTokens(t.Context(), tt.api, tt.tokens, tt.api == host.URL)
			if c.OK != tt.ok || !strings.Contains(c.Detail, tt.detail) || strings.Contains(c.Detail, "secret") {
				t.Errorf("got %+v", c)
			}
		})
	}
}
