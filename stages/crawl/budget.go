package crawl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"text/tabwriter"
	"time"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/github"
)

// What a repository that was never read costs, where nothing better is known: the
// paper's 1.73 million pulls, as estimated over 12,000 repositories.
const (
	usualPages     = 3.0
	lowShare       = 0.69
	highShare      = 1.61
	touchedAgain   = 1.15 // pulls that someone touches after their merge come again
	enoughToKnow   = 10   // repositories that were read, for a mean of our own
	usualAnswer    = 1500 * time.Millisecond
	limitWithout   = 60
	limitWithToken = 5000
)

// Budget is what a crawl would ask for.
type Budget struct {
	Listed     int        `json:"repositories"` // in the inventory
	Unread     int        `json:"never_read"`   // to be read for the first time
	Due        int        `json:"read_again"`   // pushed to since they were read
	Unchanged  int        `json:"unchanged"`    // nothing to ask
	Left       int        `json:"not_read"`     // archived, forks, quiet and the like
	MeanPages  float64    `json:"pages_a_first_read"`
	MeanOf     int        `json:"mean_over"` // repositories; 0: the paper's
	Requests   [3]int     `json:"requests"`  // low, likely, high
	Tokens     int        `json:"tokens"`
	PerHour    int        `json:"requests_an_hour"` // all tokens together
	Answer     float64    `json:"seconds_an_answer"`
	Measured   bool       `json:"measured"`
	Hours      [3]float64 `json:"hours"`
	QuotaLeft  int        `json:"quota_left"`
	QuotaReset time.Time  `json:"quota_reset,omitzero"`
}

// Budget says what a crawl would ask for, from what is known: the repositories,
// which are listed anew where the list is due, and the passes that ended. Beside
// those lists nothing is asked. tokens is how many there are.
func (s Stage) Budget(ctx context.Context, run *pipeline.Run, tokens int) (Budget, error) {
	b := Budget{Tokens: tokens}
	wrong, redo := &mistakes{}, run.Redo
	run.Redo = false
	err := s.lookAround(ctx, run, false, wrong)
	run.Redo = redo
	if err = errors.Join(err, wrong.err()); err != nil {
		return b, err
	}
	latest, err := run.Ledger.Latest(ctx, s.Name())
	if err != nil {
		return b, err
	}
	items, err := s.pullsItems(ctx)
	if err != nil {
		return b, err
	}
	past, err := s.past(ctx)
	if err != nil {
		return b, err
	}
	b.mean(past)
	var first, again float64
	for _, it := range items {
		o, known := latest[it.ID]
		p, read := past[it.Value.ID]
		b.Listed++
		switch {
		case it.Value.State != ok:
			b.Left++
		case known && !run.Redo && pipeline.Stands(o, s.Version(), it.Hash):
			b.Unchanged++
		case !read:
			b.Unread++
			first += b.MeanPages
		default:
			b.Due++
			again += p.next(s.now())
		}
	}
	for i, share := range []float64{lowShare, 1, highShare} {
		if b.MeanOf > 0 { // our own mean is nearer
			share = (share + 1) / 2
		}
		b.Requests[i] = int(math.Ceil(first*share + again))
	}
	b.time(s.GitHub.Stats())
	return b, nil
}

// history is what a repository's passes cost.
type history struct {
	id        int64
	first     int64 // pages of the first pass
	rows      int64 // of it
	days      float64
	highWater time.Time
}

func (s Stage) past(ctx context.Context) (map[int64]history, error) {
	rows, err := s.DB.Query(ctx, `SELECT repository_id, arg_min(pages, pass_started)::BIGINT, arg_min(rows, pass_started),
			greatest(date_diff('hour', arg_min(since, pass_started), min(high_water)) / 24.0, 1.0), max(high_water)
		FROM crawl_passes GROUP BY repository_id`)
	if err != nil {
		return nil, err
	}
	list, err := pipeline.Scan(rows, func(h *history) []any {
		return []any{&h.id, &h.first, &h.rows, &h.days,
			&h.highWater}
	})
	out := make(map[int64]history, len(list))
	for _, h := range list {
		out[h.id] = h
	}
	return out, err
}

// next is how many pages a repository takes that was pushed to: at its usual pace,
// and a look at the front where that is more than one.
func (h history) next(now time.Time) float64 {
	closed := float64(h.rows) / h.days * max(now.Sub(h.highWater).Hours()/24, 0) * touchedAgain
	if pages := math.Ceil(closed / fullPage); pages > 1 {
		return pages + 1
	}
	return 1
}

func (b *Budget) mean(past map[int64]history) {
	b.MeanPages = usualPages
	if len(past) < enoughToKnow {
		return
	}
	sum := int64(0)
	for _, h := range past {
		sum += h.first
	}
	b.MeanOf, b.MeanPages = len(past), max(float64(sum)/float64(len(past)), 1)
}

// time says how long the requests take: one after the other for each token, and
// no more than the host allows an hour.
func (b *Budget) time(st github.Stats) {
	limit, answer := limitWithToken, usualAnswer
	if b.Tokens == 0 {
		limit = limitWithout
	}
	b.PerHour = max(b.Tokens, 1) * limit
	if known := 0; len(st.Quotas) > 0 {
		sum := 0
		for _, q := range st.Quotas {
			if q.Limit > 0 {
				known, sum = known+1, sum+q.Limit
				b.QuotaLeft += q.Remaining
				if b.QuotaReset.IsZero() || q.Reset.Before(b.QuotaReset) {
					b.QuotaReset = q.Reset
				}
			}
		}
		if known > 0 {
			b.PerHour = sum * max(b.Tokens, 1) / known
		}
	}
	if st.Answers >= enoughToKnow {
		answer, b.Measured = st.Busy/time.Duration(st.Answers), true
	}
	b.Answer = answer.Seconds()
	for i, n := range b.Requests {
		serial := float64(n) * b.Answer / float64(max(b.Tokens, 1)) / 3600
		b.Hours[i] = max(float64(n)/float64(b.PerHour), serial)
	}
}

// Render writes the budget for people.
func (b Budget) Render(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "repositories\t%d: %d never read, %d pushed to since, %d unchanged, %d not read (archived, forks, "+
		"quiet …)\n", b.Listed, b.Unread, b.Due, b.Unchanged, b.Left)
	of := "the paper's mean"
	if b.MeanOf > 0 {
		of = fmt.Sprintf("the mean of %d read here", b.MeanOf)
	}
	fmt.Fprintf(t, "requests\t%d (%d to %d): %.1f pages a first read, %s; single pulls and issues that texts name come "+
		"on top\n", b.Requests[1], b.Requests[0], b.Requests[2], b.MeanPages, of)
	how := "assumed"
	if b.Measured {
		how = "measured"
	}
	fmt.Fprintf(t, "hours\t%.1f (%.1f to %.1f), at %.2f s an answer, %s, one after the other for each token\n", b.Hours[1],
		b.Hours[0], b.Hours[2], b.Answer, how)
	fmt.Fprintf(t, "tokens\t%d, together %d requests an hour", b.Tokens, b.PerHour)
	if !b.QuotaReset.IsZero() {
		fmt.Fprintf(t, "; %d left until %s", b.QuotaLeft, b.QuotaReset.Local().Format("15:04:05"))
	}
	fmt.Fprintln(t)
	return t.Flush()
}
