package github

import (
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Kind is what a final refusal says about the thing asked for.
type Kind string

// The refusals that no repetition changes.
const (
	Missing   Kind = "missing"   // 404: not there, or not for us to see
	Deleted   Kind = "deleted"   // 410
	Blocked   Kind = "blocked"   // 451, or 403 with a block: taken down by the host
	Empty     Kind = "empty"     // 409: a repository without a commit
	Invalid   Kind = "invalid"   // 422: the host does not serve this question, or not this deep
	Forbidden Kind = "forbidden" // 403 by the owner's rules: single sign-on, allow lists
	Refused   Kind = "refused"   // any other answer that is not 2xx
)

// StatusError is a final answer that is not the thing asked for.
type StatusError struct {
	Kind      Kind
	Status    int
	URL       string
	Message   string // the host's words
	RequestID string // for the host's support
	FetchedAt time.Time
}

func (e *StatusError) Error() string {
	text := fmt.Sprintf("GET %s: %d %s", e.URL, e.Status, http.StatusText(e.Status))
	if e.Message != "" {
		text += ": " + e.Message
	}
	if e.RequestID != "" {
		text += " (request " + e.RequestID + ")"
	}
	return text
}

// KindOf gives the kind of a [StatusError], or "".
func KindOf(err error) Kind {
	var s *StatusError
	if errors.As(err, &s) {
		return s.Kind
	}
	return ""
}

// TroubleError says that an answer did not come whole in all attempts: a server
// error, a cut or unreadable body, a timeout. A smaller page may come through.
type TroubleError struct {
	URL      string
	Attempts int
	Last     error
}

func (e *TroubleError) Error() string {
	return fmt.Sprintf("GET %s: no whole answer in %d attempts: %v", e.URL, e.Attempts, e.Last)
}

func (e *TroubleError) Unwrap() error { return e.Last }

// IsTrouble says whether err is a [TroubleError].
func IsTrouble(err error) bool {
	var t *TroubleError
	return errors.As(err, &t)
}
