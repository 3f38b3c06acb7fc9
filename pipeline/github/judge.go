package github

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"unicode"
)

// verdict is what to do about an answer.
type verdict int

const (
	whole     verdict = iota // hand it on, also where it is a final refusal
	primary                  // the token's quota is spent
	secondary                // asked too fast
	broken                   // ask again
	refused                  // the token is not accepted
)

// answer is a response whose body has been read.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// problem is the body of an answer that is no success.
type problem struct {
	Message          string          `json:"message"`
	DocumentationURL string          `json:"documentation_url"`
	Block            json.RawMessage `json:"block"`
}

func (a *answer) problem() problem {
	var p problem
	_ = json.Unmarshal(a.body, &p) // an HTML page leaves it empty
	p.Message = sentence(p.Message)
	return p
}

// sentence makes a stranger's words fit for a log and a terminal.
func sentence(s string) string {
	s = strings.ToValidUTF8(s[:min(len(s), 300)], "\uFFFD")
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}

// judge tells the answers that a repetition changes from the final ones. Both
// limits come as 403 and as 429; a 403 may as well be a block or a sign-on rule,
// which no wait lifts.
func judge(a *answer, wantJSON bool) (verdict, error) {
	switch s := a.status; {
	case s >= 200 && s < 300:
		if wantJSON && !json.Valid(a.body) {
			return broken, fmt.Errorf("the body of %d bytes is not JSON", len(a.body))
		}
		return whole, nil
	case s == http.StatusUnauthorized:
		return refused, fmt.Errorf("401 %s", a.problem().Message)
	case s == http.StatusForbidden, s == http.StatusTooManyRequests:
		return limit(a), fmt.Errorf("%d %s", s, a.problem().Message)
	case s >= 500, s == http.StatusRequestTimeout, s == http.StatusBadRequest && !json.Valid(a.body):
		// A 400 with an HTML page is a server error by another name.
		return broken, fmt.Errorf("%d %s", s, http.StatusText(s))
	}
	return whole, nil
}

func limit(a *answer) verdict {
	p := a.problem()
	text := strings.ToLower(p.Message + " " + p.DocumentationURL)
	switch {
	case isBlock(p):
		return whole
	case strings.Contains(text, "secondary rate limit"), strings.Contains(text, "secondary-rate-limit"),
		strings.Contains(text, "abuse"):
		return secondary
	case a.header.Get("X-RateLimit-Remaining") == "0":
		return primary
	case a.status == http.StatusTooManyRequests, a.header.Get("Retry-After") != "", strings.Contains(text, "rate limit"):
		return secondary
	}
	return whole
}

func isBlock(p problem) bool {
	return len(p.Block) > 0 && string(p.Block) != "null" || strings.Contains(strings.ToLower(p.Message), "access blocked")
}

// isRule says whether the owner's rules keep this token out. Any other 403 may be
// a proxy's, and says nothing of the repository.
func isRule(p problem) bool {
	text := strings.ToLower(p.Message)
	return strings.Contains(text, "saml enforcement") || strings.Contains(text, "allow list") || strings.Contains(text,
		"third-party application restrictions")
}

// kindOf names a final refusal.
func kindOf(status int, p problem) Kind {
	switch status {
	case http.StatusNotFound:
		return Missing
	case http.StatusGone:
		return Deleted
	case http.StatusUnavailableForLegalReasons:
		return Blocked
	case http.StatusConflict:
		return Empty
	case http.StatusUnprocessableEntity:
		return Invalid
	case http.StatusForbidden:
		if isBlock(p) {
			return Blocked
		}
		if isRule(p) {
			return Forbidden
		}
	}
	return Refused
}
