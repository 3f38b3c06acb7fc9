package schema

// Report is OUT/report.json: the score of one evaluation. Every task of the
// release is in Tasks, in exactly one state.
type Report struct {
	Format  int           `json:"format"` // 1
	Release ReportRelease `json:"release"`
	// Rules is the version of the rules that the verdicts follow. Reports without it are
	// older than version 6: their verdicts stand as they were reached, and counts as
	// submitted are not known.
	Rules   string                `json:"rules,omitempty"`
	Summary ReportSummary         `json:"summary"`
	Tasks   map[string]TaskReport `json:"tasks"` // by task id: the first run's verdict where there are several
	// Runs holds every (model, mode, attempt), with its tasks, where the
	// predictions hold more than one; Tasks is then the first of them.
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

// Machine is where tests ran.
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

// Key gives what names the run.
func (r ReportRun) Key() RunKey { return RunKey{r.Model, r.Mode, r.Attempt} }

// ReportSummary counts a report. The denominators are every task and every target
// of the release, whatever was predicted. Resolved is the strict count; as submitted is
// the paper's rule alone.
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
	StatusEmpty           = "empty"            // the prediction changes nothing, and does not resolve
	StatusMissing         = "missing"          // no prediction for the task
	StatusPatchFailed     = "patch_failed"     // a patch does not apply
	StatusPatchUnsafe     = "patch_unsafe"     // a patch writes where none may
	StatusInjectionFailed = "injection_failed" // the hidden tests do not go on
	StatusTimeout         = "timeout"
	StatusInconsistent    = "inconsistent" // exit code, counts and report disagree
	StatusInfra           = "infra"        // our trouble; a rerun completes it
	StatusRejected        = "rejected"     // runner configuration was changed, and the guard runs no such prediction
	StatusDisputed        = "disputed"     // resolved as submitted, and not in the second run
	StatusUnbuilt         = "unbuilt"      // resolved as submitted; the second run's tree does not build
)

// TaskReport is one task's verdict. Resolved and AsSubmitted hold where they hold of
// every target.
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
	// APIRequests is what the prediction says its run took, 0 unknown.
	APIRequests int64 `json:"api_requests,omitempty"`
	// Patched names every repository the prediction changes, targets and context.
	Patched []string `json:"patched,omitempty"`
	// Machine is where its tests ran, nil where none did.
	Machine *Machine `json:"machine,omitempty"`
	// Reused says that the verdict is an earlier one on the same patches: of another
	// model, of another attempt, or of the cache.
	Reused bool `json:"reused,omitempty"`
	// Deviations are the flags as a list: whatever made this more than one plain run
	// of clean base, patch and hidden tests.
	Deviations []Deviation `json:"deviations,omitempty"`
	// PutBack names the files of the prediction's patches that the second run replaces,
	// by repository, at most [MaxPutBack] of each.
	PutBack map[string][]string `json:"put_back,omitempty"`
	// Patches are the prediction's, kept under OUT.
	Patches []KeptPatch `json:"patches,omitempty"`
}

// KeptPatch is one repository's patch as it was judged.
type KeptPatch struct {
	Repository string `json:"repository"`
	Target     string `json:"target,omitempty"` // whose independent prediction holds it
	File       string `json:"file"`             // path under OUT
	Bytes      int    `json:"bytes"`
}

// TargetReport is one repository's verdict in one task.
type TargetReport struct {
	// Resolved is strict: resolved as submitted and in the second run, where there is one.
	Resolved bool `json:"resolved"`
	// AsSubmitted says that the first run resolves the target: the paper's rule.
	AsSubmitted bool     `json:"as_submitted"`
	Status      string   `json:"status"`
	F2P         Tally    `json:"f2p"`
	P2P         Tally    `json:"p2p"`
	Reason      string   `json:"reason,omitempty"` // why the status, for people
	Flags       []string `json:"flags,omitempty"`
	// Replaced names test files the prediction touched and the hidden tests replaced.
	Replaced []string `json:"replaced,omitempty"`
	// Deviations are this target's, see [TaskReport].
	Deviations []Deviation `json:"deviations,omitempty"`
	// Failing holds the first tests that should have passed and did not, at most [MaxFailing].
	Failing []FailingTest `json:"failing,omitempty"`
	Seconds float64       `json:"seconds,omitempty"`
	Log     string        `json:"log,omitempty"` // path under OUT
}

// Deviation is one thing that made a verdict more than one plain run of clean base,
// patch and hidden tests.
type Deviation struct {
	Kind       string   `json:"kind"`
	Repository string   `json:"repository,omitempty"`
	Files      []string `json:"files,omitempty"`
	Detail     string   `json:"detail,omitempty"`
}

// The kinds of deviations.
const (
	DeviationReplaced   = "replaced"      // test files the prediction touched: the hidden version runs
	DeviationNormalised = "normalised"    // the patch went on only after what transport does to patches was undone
	DeviationConfig     = "runner_config" // the patch changes runner configuration that gold leaves alone
	DeviationTestData   = "test_data"     // the patch changes data that tests read and that gold leaves alone
	DeviationPutBack    = "put_back"      // other files that tests may read and that the second run puts back
	DeviationGuarded    = "guarded"       // the second run, with what the guard puts back
	DeviationLeftOut    = "left_out"      // test files without a listed test that kept the second run from being built

	DeviationAlone        = "alone"         // met its time limit, or came down by chance, and was run again with nothing beside it
	DeviationAside        = "aside"         // the prediction's own tests that kept the hidden ones from being built
	DeviationRelocated    = "relocated"     // hidden tests that lie, and are named, otherwise than upstream
	DeviationRetried      = "retried"       // trouble of the machine, tried again
	DeviationImage        = "image"         // validation's image is not here: it was made anew
	DeviationEmulated     = "emulated"      // another platform than validation's
	DeviationUnknownTests = "unknown_tests" // tests failed that validation never saw
)

// FailingTest is a test that should have passed.
type FailingTest struct {
	ID      string      `json:"id"`
	Class   Class       `json:"class"`   // F2P P2P
	Outcome TestOutcome `json:"outcome"` // '' missing
	Message string      `json:"message,omitempty"`
}

// MaxFailing and MaxFailingMessage bound what a report repeats of failing tests.
const (
	MaxFailing        = 20
	MaxFailingMessage = 4000 // bytes, the tail
)

// MaxPutBack bounds the files that a report names as put back: a patch may hold thousands.
const MaxPutBack = 200

// Tally counts some of a total.
type Tally struct {
	Passed int `json:"passed"`
	Total  int `json:"total"`
}

// Whole says that there is something and all of it passed.
func (t Tally) Whole() bool { return t.Total > 0 && t.Passed == t.Total }

// Add sums.
func (t Tally) Add(o Tally) Tally { return Tally{t.Passed + o.Passed, t.Total + o.Total} }
