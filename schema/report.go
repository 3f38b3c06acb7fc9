package schema

// Report is OUT/report.json, the result of one evaluation. Tasks holds every task of
// the release, each in exactly one state.
type Report struct {
	Format  int           `json:"format"` // 1
	Release ReportRelease `json:"release"`
	// Rules is the version of the rules that the verdicts follow. Reports without it are
	// older than version 6: their verdicts remain, and their counts as submitted are
	// unknown.
	Rules   string                `json:"rules,omitempty"`
	Summary ReportSummary         `json:"summary"`
	Tasks   map[string]TaskReport `json:"tasks"` // by task id: the first run's verdict where there are several
	// Runs holds every run (model, mode, attempt) with its tasks if there are several;
	// Tasks is then the first of them.
	Runs []ReportRun `json:"runs,omitempty"`
}

// Verdict returns the verdict of one model on one task; where the report holds a single run, that run's.
func (r Report) Verdict(model, task string) TaskReport {
	for _, run := range r.Runs {
		if run.Model == model {
			return run.Tasks[task]
		}
	}
	return r.Tasks[task]
}

// ReportRelease names the release that was evaluated.
type ReportRelease struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	SHA256  string `json:"sha256"` // of release.json
}

// Machine describes the machine that tests ran on.
type Machine struct {
	Sandbox  string `json:"sandbox"`  // docker process
	Platform string `json:"platform"` // os/architecture
	Engine   string `json:"engine,omitempty"`
	Kernel   string `json:"kernel,omitempty"`
}

// ReportRun is one model's attempt in one mode over the whole release.
type ReportRun struct {
	Model   string                `json:"model"`
	Mode    string                `json:"mode"` // joint independent
	Attempt int                   `json:"attempt"`
	Summary ReportSummary         `json:"summary"`
	Tasks   map[string]TaskReport `json:"tasks"`
}

// Key returns the key of the run.
func (r ReportRun) Key() RunKey { return RunKey{r.Model, r.Mode, r.Attempt} }

// ReportSummary holds the counts of a report. The denominators are all tasks and all
// targets of the release, whatever was predicted. Resolved is the strict count, as
// submitted the count by the paper's rule alone.
type ReportSummary struct {
	Tasks              int            `json:"tasks"`
	TasksResolved      int            `json:"tasks_resolved"`
	TasksAsSubmitted   int            `json:"tasks_as_submitted"`
	Targets            int            `json:"targets"`
	TargetsResolved    int            `json:"targets_resolved"`
	TargetsAsSubmitted int            `json:"targets_as_submitted"`
	Incomplete         bool           `json:"incomplete"`         // infra or missing remain
	ByStatus           map[string]int `json:"by_status"`          // tasks in each state
	F2P                Tally          `json:"f2p"`                // tests
	P2P                Tally          `json:"p2p"`                // tests
	F2PComplete        Tally          `json:"f2p_complete"`       // targets, of those that have F2P
	P2PPreserved       Tally          `json:"p2p_preserved"`      // targets, of those that have P2P
	TasksAnyResolved   int            `json:"tasks_any_resolved"` // with at least one resolved target
}

// The states of a task or target in a report.
const (
	StatusResolved        = "resolved"
	StatusUnresolved      = "unresolved"
	StatusEmpty           = "empty"            // the prediction changes nothing and does not resolve
	StatusMissing         = "missing"          // no prediction for the task
	StatusPatchFailed     = "patch_failed"     // a patch does not apply
	StatusPatchUnsafe     = "patch_unsafe"     // a patch writes to a forbidden path
	StatusInjectionFailed = "injection_failed" // the hidden tests do not apply
	StatusTimeout         = "timeout"
	StatusInconsistent    = "inconsistent" // exit code, counts and report disagree
	StatusInfra           = "infra"        // infrastructure error; a rerun completes it
	StatusRejected        = "rejected"     // the prediction changes runner configuration, which the guard refuses
	StatusDisputed        = "disputed"     // resolved as submitted but not in the second run
	StatusUnbuilt         = "unbuilt"      // resolved as submitted; the second run's tree does not build
)

// TaskReport is the verdict on one task. Resolved and AsSubmitted are true where they
// are true of every target.
type TaskReport struct {
	Resolved    bool                    `json:"resolved"`
	AsSubmitted bool                    `json:"as_submitted"`
	Status      string                  `json:"status"`
	Targets     map[string]TargetReport `json:"targets"` // by owner/name
	Reason      string                  `json:"reason,omitempty"`
	Model       string                  `json:"model,omitempty"`
	Mode        string                  `json:"mode,omitempty"`
	Attempt     int                     `json:"attempt,omitempty"`
	Flags       []string                `json:"flags,omitempty"` // "runner configuration: conftest.py", "normalised: …"
	Seconds     float64                 `json:"seconds,omitempty"`
	// APIRequests is the number of requests that the prediction reports, 0 where unknown.
	APIRequests int64 `json:"api_requests,omitempty"`
	// Patched names every repository the prediction changes, targets and context.
	Patched []string `json:"patched,omitempty"`
	// Machine is the machine that its tests ran on, nil where none ran.
	Machine *Machine `json:"machine,omitempty"`
	// Reused reports whether the verdict comes from an earlier evaluation of the same
	// patches: another model's, another attempt's, or the cache's.
	Reused bool `json:"reused,omitempty"`
	// Deviations holds the flags in structured form: everything that set this apart from
	// one plain run of clean base, patch and hidden tests.
	Deviations []Deviation `json:"deviations,omitempty"`
	// PutBack lists the files of the prediction's patches that the second run replaces,
	// by repository, at most [MaxPutBack] each.
	PutBack map[string][]string `json:"put_back,omitempty"`
	// Patches lists the prediction's patches, kept under OUT.
	Patches []KeptPatch `json:"patches,omitempty"`
}

// KeptPatch is the patch of one repository as it was evaluated.
type KeptPatch struct {
	Repository string `json:"repository"`
	Target     string `json:"target,omitempty"` // the target of an independent prediction
	File       string `json:"file"`             // path under OUT
	Bytes      int    `json:"bytes"`
}

// TargetReport is the verdict on one target of a task.
type TargetReport struct {
	// Resolved is the strict result: resolved as submitted and in the second run, if there
	// is one.
	Resolved bool `json:"resolved"`
	// AsSubmitted reports whether the first run resolves the target (the paper's rule).
	AsSubmitted bool     `json:"as_submitted"`
	Status      string   `json:"status"`
	F2P         Tally    `json:"f2p"`
	P2P         Tally    `json:"p2p"`
	Reason      string   `json:"reason,omitempty"` // why the status, for people
	Flags       []string `json:"flags,omitempty"`
	// Replaced lists test files that the prediction changed and the hidden tests replaced.
	Replaced []string `json:"replaced,omitempty"`
	// Deviations holds the deviations of this target; see [TaskReport].
	Deviations []Deviation `json:"deviations,omitempty"`
	// Failing lists the first tests that should have passed and did not, at most
	// [MaxFailing].
	Failing []FailingTest `json:"failing,omitempty"`
	Seconds float64       `json:"seconds,omitempty"`
	Log     string        `json:"log,omitempty"` // path under OUT
}

// Deviation is one thing that set a verdict apart from one plain run of clean base,
// patch and hidden tests.
type Deviation struct {
	Kind       string   `json:"kind"`
	Repository string   `json:"repository,omitempty"`
	Files      []string `json:"files,omitempty"`
	Detail     string   `json:"detail,omitempty"`
}

// The kinds of deviations.
const (
	DeviationReplaced   = "replaced"      // the prediction changed test files; the hidden versions ran
	DeviationNormalised = "normalised"    // the patch applied only after damage from transport was repaired
	DeviationConfig     = "runner_config" // the patch changes runner configuration that gold does not change
	DeviationTestData   = "test_data"     // the patch changes test data that gold does not change
	DeviationPutBack    = "put_back"      // the second run restored other files that tests may read
	DeviationGuarded    = "guarded"       // there was a second run, with the files that the guard restores
	DeviationLeftOut    = "left_out"      // the second run left out test files that did not build and have no listed test

	DeviationAlone        = "alone"         // a run that timed out or crashed was repeated with nothing else running
	DeviationAside        = "aside"         // the prediction's own tests kept the hidden ones from building: left out
	DeviationRelocated    = "relocated"     // hidden tests have other paths or names than upstream
	DeviationRetried      = "retried"       // infrastructure errors, retried
	DeviationImage        = "image"         // validation's image was not available and was rebuilt
	DeviationEmulated     = "emulated"      // the platform differs from validation's
	DeviationUnknownTests = "unknown_tests" // tests failed that validation never saw
)

// FailingTest is a test that should have passed.
type FailingTest struct {
	ID      string      `json:"id"`
	Class   Class       `json:"class"`   // F2P P2P
	Outcome TestOutcome `json:"outcome"` // "" where missing
	Message string      `json:"message,omitempty"`
}

// MaxFailing and MaxFailingMessage limit the failing tests that a report repeats.
const (
	MaxFailing        = 20
	MaxFailingMessage = 4000 // bytes, from the end
)

// MaxPutBack limits the restored files that a report lists; a patch may hold thousands.
const MaxPutBack = 200

// Tally counts the passed among a total.
type Tally struct {
	Passed int `json:"passed"`
	Total  int `json:"total"`
}

// Whole reports whether the total is not zero and all of it passed.
func (t Tally) Whole() bool { return t.Total > 0 && t.Passed == t.Total }

// Add returns the sum of two tallies.
func (t Tally) Add(o Tally) Tally { return Tally{t.Passed + o.Passed, t.Total + o.Total} }
