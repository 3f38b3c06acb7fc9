package crawl

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/github"
)

// The states of a repository. Only ok ones are read for pulls.
const (
	ok       = "ok"
	archived = "archived"
	fork     = "fork"
	disabled = "disabled"
	empty    = "empty"
	pullsOff = "pulls_off"
	blocked  = "blocked"
	quiet    = "quiet"
	gone     = "gone"
)

// why says in words why a state is not read for pulls.
var why = map[string]string{
	archived: "archived",
	fork:     "a fork",
	disabled: "disabled by the host",
	empty:    "nothing was ever pushed",
	pullsOff: "pull requests are switched off",
	blocked:  "blocked by the host or by its owner's rules",
	quiet:    "nothing pushed since the cut-off",
	gone:     "gone from the host",
}

// repository is a row of repository_versions.
type repository struct {
	ID                       int64
	Name, Ecosystem          string
	Archived, Disabled, Fork bool
	Stars                    int64
	Language, License        string
	DefaultBranch            string
	Description              string
	PushedAt                 sql.NullTime
	State                    string

	look time.Time // at it although nothing was pushed: the last one, or this one where it is due
	due  bool
}

// fromHost takes over what a list says of a repository.
func fromHost(r github.Repository, ecosystem string, since time.Time) repository {
	out := repository{ID: r.ID, Name: clean(r.FullName), Ecosystem: ecosystem, Archived: r.Archived, Disabled: r.Disabled,
		Fork: r.Fork, Stars: r.Stars, Language: clean(r.Language), DefaultBranch: clean(r.DefaultBranch),
		Description: clean(r.Description)}
	if r.License != nil && r.License.SPDX != "NOASSERTION" {
		out.License = clean(r.License.SPDX)
	}
	if r.PushedAt != nil {
		out.PushedAt = sql.NullTime{Time: r.PushedAt.UTC(), Valid: true}
	}
	out.State = listedState(r, since)
	return out
}

func listedState(r github.Repository, since time.Time) string {
	switch {
	case r.Fork:
		return fork
	case r.Disabled:
		return disabled
	case r.Archived:
		return archived
	case r.HasPullRequests != nil && !*r.HasPullRequests:
		return pullsOff
	case r.PushedAt == nil:
		return empty
	case r.PushedAt.Before(since):
		// A merge pushes to the base branch: nothing was merged since either.
		return quiet
	}
	return ok
}

// carry keeps what a pass found out and a list can't tell, until something is
// pushed again.
func carry(old, now repository, hasPulls *bool) string {
	if now.State != ok || !old.PushedAt.Time.Equal(now.PushedAt.Time) {
		return now.State
	}
	switch old.State {
	case blocked, empty:
		return old.State
	case pullsOff:
		if hasPulls == nil {
			return old.State
		}
	}
	return now.State
}

func (r repository) row(at time.Time) []any {
	var pushed any
	if r.PushedAt.Valid {
		pushed = r.PushedAt.Time
	}
	return []any{r.ID, r.Name, r.Ecosystem, r.Archived, r.Disabled, r.Fork, r.Stars, r.Language, r.License,
		r.DefaultBranch, r.Description, pushed, r.State, at}
}

// repositoriesSQL reads the latest version of each repository in each ecosystem.
const repositoriesSQL = `SELECT repository_id, repository, ecosystem, archived, disabled, fork, stars, language, license,
	default_branch, description, pushed_at, state
	FROM (SELECT * FROM repository_versions
		QUALIFY row_number() OVER (PARTITION BY repository_id, ecosystem ORDER BY fetched_at DESC, rowid DESC) = 1)`

// repositories gives the latest versions of an ecosystem's repositories.
func (s Stage) repositories(ctx context.Context, ecosystem string) (map[int64]repository, error) {
	list, err := scanRepositories(s.DB.Query(ctx, repositoriesSQL+" WHERE ecosystem = ?", ecosystem))
	out := make(map[int64]repository, len(list))
	for _, r := range list {
		out[r.ID] = r
	}
	return out, err
}

// inventory gives the repositories of all ecosystems, by name; one that two
// ecosystems list comes once, as the view repositories has it.
func (s Stage) inventory(ctx context.Context) ([]repository, error) {
	return scanRepositories(s.DB.Query(ctx, `SELECT repository_id, repository, ecosystem, archived, disabled, fork, stars, language,
		license, default_branch, description, pushed_at, state FROM repositories WHERE state <> 'gone' ORDER BY lower(repository), repository_id`))
}

func scanRepositories(rows *sql.Rows, err error) ([]repository, error) {
	if err != nil {
		return nil, err
	}
	list, err := pipeline.Scan(rows, func(r *repository) []any {
		return []any{&r.ID, &r.Name, &r.Ecosystem, &r.Archived, &r.Disabled, &r.Fork, &r.Stars, &r.Language, &r.License,
			&r.DefaultBranch, &r.Description, &r.PushedAt, &r.State}
	})
	if err != nil {
		return nil, fmt.Errorf("reading repositories: %w", err)
	}
	return list, nil
}

// clean makes text that tables and tools can hold: NUL is what CommonMark makes
// of it. Bytes that are not UTF-8 were replaced when the JSON was read.
func clean(s string) string { return strings.ReplaceAll(s, "\x00", "\uFFFD") }
