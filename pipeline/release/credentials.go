package release

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
)

// Guard finds credentials in what is about to be published.
type Guard struct {
	// Allow lists the sha256 of matches that a person has looked at: keys made for
	// tests, examples in documentation.
	Allow []string
	// Secrets are the credentials in use, refused wherever they stand.
	Secrets []string
}

// Finding is one credential.
type Finding struct {
	Path   string
	Line   int
	What   string
	SHA256 string // of the match, for Allow; the match itself is shown nowhere
}

var patterns = []struct {
	what string
	re   *regexp.Regexp
}{
	{"a GitHub token", regexp.MustCompile(`\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{50,255})`)},
	{"a GitLab token", regexp.MustCompile(`\bglpat-[A-Za-z0-9_-]{20,}`)},
	{"an AWS access key", regexp.MustCompile(`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`)},
	{"a private key", regexp.MustCompile(`-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----`)},
	{"a Slack token", regexp.MustCompile(`\bxox[abeoprs]-[A-Za-z0-9-]{10,}`)},
	{"a Google API key", regexp.MustCompile(`\bAIza[A-Za-z0-9_-]{35}`)},
	{"a Stripe key", regexp.MustCompile(`\b[rs]k_live_[A-Za-z0-9]{20,}`)},
	{"an npm token", regexp.MustCompile(`\bnpm_[A-Za-z0-9]{36}\b`)},
	{"a PyPI token", regexp.MustCompile(`\bpypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{20,}`)},
	{"a model provider's key", regexp.MustCompile(`\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{40,}`)},
	{"a JSON web token", regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{20,}`)},
}

// assigned finds names that promise a secret; the value must look random to count.
var assigned = regexp.MustCompile(`(?i)(?:passw(?:or)?d|secret|token|api[_-]?key|access[_-]?key|` +
	`credential)[a-z0-9_]*["']?\s*(?::=|[:=])\s*["']([A-Za-z0-9+/=_.-]{24,128})["']`)

// Scan lists the credentials in one file.
func (g Guard) Scan(path string, b []byte) []Finding {
	var out []Finding
	seen := map[string]bool{}
	add := func(what string, at int, match []byte) {
		f := Finding{path, 1 + bytes.Count(b[:at], []byte("\n")), what, digest(match)}
		if key := fmt.Sprint(f.Line, f.SHA256); !seen[key] && !g.allowed(f.SHA256) {
			seen[key] = true
			out = append(out, f)
		}
	}
	for _, s := range g.Secrets {
		if i := bytes.Index(b, []byte(s)); len(s) >= 8 && i >= 0 {
			// Never allowed: it is a credential of this very machine.
			out = append(out, Finding{path, 1 + bytes.Count(b[:i], []byte("\n")), "a token in use here", digest([]byte(s))})
			seen[fmt.Sprint(out[len(out)-1].Line, out[len(out)-1].SHA256)] = true
		}
	}
	for _, p := range patterns {
		for _, m := range p.re.FindAllIndex(b, -1) {
			add(p.what, m[0], keyBlock(b, m))
		}
	}
	for _, m := range assigned.FindAllSubmatchIndex(b, -1) {
		if value := b[m[2]:m[3]]; looksRandom(string(value)) {
			add("what looks like a secret", m[2], value)
		}
	}
	return out
}

// keyBlock widens the head of a private key to the whole block, so that allowing
// one key does not allow every key.
func keyBlock(b []byte, m []int) []byte {
	match := b[m[0]:m[1]]
	if !bytes.HasPrefix(match, []byte("-----BEGIN")) {
		return match
	}
	rest := b[m[0]:min(len(b), m[0]+16<<10)]
	if i := bytes.Index(rest, []byte("-----END")); i >= 0 {
		return rest[:i]
	}
	return rest
}

func (g Guard) allowed(sum string) bool {
	for _, a := range g.Allow {
		if strings.EqualFold(a, sum) {
			return true
		}
	}
	return false
}

// looksRandom says whether a value mixes letters and digits as keys do, rather
// than being words.
func looksRandom(s string) bool {
	var digits, letters int
	counts := map[rune]int{}
	for _, r := range s {
		counts[r]++
		switch {
		case r >= '0' && r <= '9':
			digits++
		case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
			letters++
		}
	}
	entropy := 0.0
	for _, n := range counts {
		p := float64(n) / float64(len(s))
		entropy -= p * math.Log2(p)
	}
	return digits >= 4 && letters >= 4 && entropy >= 4
}

func refuse(found []Finding) error {
	var lines []string
	for i, f := range found {
		if i == 5 {
			lines = append(lines, fmt.Sprintf("and %d more", len(found)-5))
			break
		}
		lines = append(lines, fmt.Sprintf("%s:%d holds %s (sha256 %s)", f.Path, f.Line, f.What, f.SHA256))
	}
	return pipeline.Usage("the release would publish credentials: %s; take them out, or list the sha256 of those that "+
		"are safe under export.allow_credentials",
		strings.Join(lines, "; "))
}
