package pipeline

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/wideswe/wideswe/schema"
)

// Stage is one step of the road. Version changes when old outcomes would now be wrong.
type Stage interface {
	Name() string
	Version() string
	Run(ctx context.Context, run *Run) error
}

// Planner is a stage that can list its present items without working on them;
// status compares them with the recorded outcomes.
type Planner interface {
	Plan(ctx context.Context) ([]Ref, error)
}

// Ref names an item and the hash of its input.
type Ref struct{ ID, Hash string }

// Queryer reads the database.
type Queryer interface {
	Query(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Tx is a transaction of the database.
type Tx interface {
	Queryer
	Exec(ctx context.Context, query string, args ...any) error
	// Append adds rows whose values are in the order of the table's columns.
	// Strings are made valid UTF-8.
	Append(ctx context.Context, table string, rows [][]any) error
}

// DB is the database as stages see it.
type DB interface {
	Queryer
	// InTx runs write in one transaction; an error rolls everything back.
	InTx(ctx context.Context, write Write) error
}

// Write stores what an item found.
type Write func(ctx context.Context, tx Tx) error

// Ledger keeps outcomes.
type Ledger interface {
	// Latest gives the newest outcome of every item of a stage.
	Latest(ctx context.Context, stage string) (map[string]schema.Outcome, error)
	// Record runs write, where there is one, and stores the outcomes in the same transaction.
	Record(ctx context.Context, write Write, outcomes ...schema.Outcome) error
	// RecordRun stores that a stage ran to its end.
	RecordRun(ctx context.Context, stage, version string, started, ended time.Time, c Counts) error
}

// Run is what the engine hands a stage for one run.
type Run struct {
	Ledger   Ledger
	Log      *slog.Logger
	Workers  int
	Redo     bool // work on items whose outcome stands, too
	Now      func() time.Time
	Progress func(stage string, total int) Progress // nil: none
	Out      io.Writer                              // answers to the person, stdout
	Counts   Counts
	// Skips counts this run's skipped items by reason.
	Skips map[string]int

	bar Progress // of the items at work, set before the workers begin
}

// Describe shows beside the progress of the items at work what they are at.
func (run *Run) Describe(text string) {
	if run.bar != nil {
		run.bar.Describe(text)
	}
}

// Progress shows how far a stage is; its methods may be called from many goroutines.
type Progress interface {
	Add(n int)
	Describe(text string)
	Close()
}

// Counts counts how items ended in one run.
type Counts struct{ Done, Skipped, Failed, Unchanged int }

// Execute runs one stage and records the run. It returns the stage's error, or
// a [FailedItems] error where single items failed.
func Execute(ctx context.Context, s Stage, run *Run) error {
	if run.Now == nil {
		run.Now = time.Now
	}
	if run.Workers < 1 {
		run.Workers = 1
	}
	if run.Log == nil {
		run.Log = slog.New(slog.DiscardHandler)
	}
	run.Counts, run.Skips = Counts{}, map[string]int{}
	started := run.Now().UTC()
	if err := s.Run(ctx, run); err != nil {
		return fmt.Errorf("%s: %w", s.Name(), err)
	}
	c := run.Counts
	// A run that found nothing to do leaves no row: the database stays as it is.
	if c.Done+c.Skipped+c.Failed > 0 {
		if err := run.Ledger.RecordRun(ctx, s.Name(), s.Version(), started, run.Now().UTC(), c); err != nil {
			return fmt.Errorf("%s: %w", s.Name(), err)
		}
	}
	if c.Failed > 0 {
		return &FailedItems{Stage: s.Name(), Count: c.Failed}
	}
	return nil
}

// Hash digests everything that decides an item's result. The parts are written
// as JSON, so that no two lists of parts share a digest by accident.
func Hash(parts ...any) string {
	h := sha256.New()
	enc := json.NewEncoder(h)
	for _, p := range parts {
		if err := enc.Encode(p); err != nil {
			panic(fmt.Sprintf("pipeline.Hash of %T: %v", p, err))
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}
