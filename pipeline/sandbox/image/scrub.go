package image

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
)

// marker is a file as old as the build container: what changed later is newer.
const marker = "/tmp/.wideswe-begun"

// placeholder stands where a tool wrote down a mirror's address.
const placeholder = "https://mirror.invalid"

// certificates is where a Debian image takes certificates from when it makes its bundle.
const certificates = "/usr/local/share/ca-certificates/"

var (
	address    = regexp.MustCompile(`[a-z][a-z0-9+.-]*://[^\s"'<>\\,|]{4,}`)
	userinfo   = regexp.MustCompile(`://([^/@\s]+)@`)
	secretName = regexp.MustCompile(`(?i)token|secret|passw|credential|_auth|auth_|api_?key`)
	secretLine = regexp.MustCompile(`(?im)(?:_authToken|_auth|_password|password` +
		`|token)["']?\s*[=:]\s*["']?([^\s"']{6,})`)
)

// privates are the words of a build's settings that no layer may hold: addresses
// of mirrors and proxies, and what opens them. Tools write both down: in lock files,
// in receipts, in settings of their own.
func privates(env map[string]string, files map[string][]byte) []string {
	found := map[string]bool{}
	add := func(words ...string) {
		for _, w := range words {
			if w = strings.TrimRight(w, "/,;)"); len(w) >= 6 {
				found[w] = true
			}
		}
	}
	addresses := func(text string) {
		for _, url := range address.FindAllString(text, 100) {
			add(url)
			if m := userinfo.FindStringSubmatch(url); m != nil {
				add(m[1])
				add(userinfo.ReplaceAllString(url, "://")) // tools drop the password and keep the rest
			}
		}
	}
	for name, value := range env {
		addresses(value)
		if secretName.MatchString(name) && !strings.HasPrefix(value, "/") {
			add(value)
		}
	}
	for _, body := range files {
		if len(body) > 64<<10 || bytes.Contains(body, []byte("-----BEGIN ")) {
			continue // certificates are nobody's secret, and their lines stand in every bundle
		}
		addresses(string(body))
		for _, m := range secretLine.FindAllStringSubmatch(string(body), 20) {
			add(m[1])
		}
	}
	// The longest first, so that none is cut up by a part of it.
	return slices.SortedFunc(maps.Keys(found), func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
}

// scrub takes the build's settings out of every file the steps changed. Text gets a
// placeholder; in what is no text the same number of bytes is overwritten, so that
// offsets in it stay right.
func (b *builder) scrub(ctx context.Context) error {
	words := privates(b.s.BuildEnv, b.s.BuildFiles)
	if len(words) == 0 {
		return nil
	}
	var text, raw strings.Builder
	for _, w := range words {
		fmt.Fprintf(&text, "s#%s#%s#g\n", sedWord(w), placeholder)
		fmt.Fprintf(&raw, "s#%s#%s#g\n", sedWord(w), strings.Repeat("x", len(w)))
	}
	script := "export LC_ALL=C\nmkdir -p " + buildDir + "\ncd " + buildDir + "\n" +
		"printf '%s\\n' " + pipeline.ShellWord(strings.Join(words, "\n")) + " > words\n" +
		"printf '%s' " + pipeline.ShellWord(text.String()) + " > text.sed\n" +
		"printf '%s' " + pipeline.ShellWord(raw.String()) + " > raw.sed\n" +
		`hits() { find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path ` + buildDir + ` \) -prune ` +
		`-o -type f -cnewer ` + marker + ` -print0 |
	xargs -0 -r grep -lF -f words -- 2>/dev/null || :; }
hits | while IFS= read -r f; do
	how=raw.sed
	if grep -qI . "$f"; then how=text.sed; fi
	echo "taking the build's settings out of $f"
	sed -i -f "$how" "$f"
done
left=$(hits | head -n 1)
if [ -n "$left" ]; then echo "the build's settings stay in $left"; exit 1; fi
`
	return b.root(ctx, "taking the build's settings away", script)
}

// sedWord quotes a literal for a sed pattern between #.
func sedWord(s string) string {
	return regexp.MustCompile(`[\\.*\[\]^$#]`).ReplaceAllString(s, `\$0`)
}

// bundles says whether build files add certificates to the image's own bundle.
func (b *builder) bundles() bool {
	for p := range b.s.BuildFiles {
		if strings.HasPrefix(p, certificates) {
			return true
		}
	}
	return false
}
