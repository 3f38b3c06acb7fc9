package schema

import "time"

// ReleaseFormat is the version of the release's files; readers refuse any other.
const ReleaseFormat = 1

// Release is release.json, the contents of a release. It holds no time of writing, so
// the same database always gives the same bytes.
type Release struct {
	Format  int           `json:"format"`
	Name    string        `json:"name"`
	Version string        `json:"version"`
	Counts  ReleaseCounts `json:"counts"`
	// Rules holds the rules that decided the release: the stages' versions and the
	// context rule.
	Rules map[string]string `json:"rules"`
	// TimeLimit is how long tests may run in evaluation; older releases have none.
	TimeLimit *TimeLimit `json:"time_limit,omitempty"`
	// Tasks are sorted by id.
	Tasks []ReleaseTask `json:"tasks"`
	// Sources pins every tree that a workspace needs.
	Sources []Source `json:"sources"`
	// Files holds the sha256 of every file of the release except this one and the trees
	// under sources/, which the tree ids of their pins prove.
	Files map[string]string `json:"files"`
}

// TimeLimit derives a target's time limit from its measured gold run: a multiple of
// it, and never less than a floor.
type TimeLimit struct {
	Factor float64 `json:"factor"`
	Floor  float64 `json:"floor_seconds"`
}

// DefaultTimeLimit applies where neither the release nor the folder's settings say
// anything.
var DefaultTimeLimit = TimeLimit{Factor: 5, Floor: 120}

// TimeRule returns the release's time limit, or the default one.
func (r Release) TimeRule() TimeLimit {
	if r.TimeLimit == nil {
		return DefaultTimeLimit
	}
	return *r.TimeLimit
}

// Of returns the limit of a target by the duration of its gold run; 0 where that is
// unknown.
func (l TimeLimit) Of(goldSeconds float64) time.Duration {
	if goldSeconds <= 0 {
		return 0
	}
	return time.Duration(max(l.Factor*goldSeconds, l.Floor) * float64(time.Second)).Round(time.Second)
}

// ReleaseCounts holds the size of a release.
type ReleaseCounts struct {
	Tasks      int `json:"tasks"`
	Targets    int `json:"targets"`
	Ecosystems int `json:"ecosystems"`
	Bugfixes   int `json:"bugfixes"`
	Features   int `json:"features"`
	F2P        int `json:"f2p"`
	// PassedBefore counts the F2P that base passed with its own test files.
	PassedBefore int `json:"f2p_passed_before,omitempty"`
	P2P          int `json:"p2p"`
	Sources      int `json:"sources"`
}

// ReleaseTask is one task in release.json.
type ReleaseTask struct {
	ID        string   `json:"id"`
	Ecosystem string   `json:"ecosystem"`
	Kind      string   `json:"kind"`
	Targets   []string `json:"targets"` // owner/name, sorted
}

// Source pins one repository's tree. Once exported or fetched, the tree is at
// sources/OWNER__NAME@COMMIT.tar.zst.
type Source struct {
	Repository string    `json:"repository"`
	Commit     string    `json:"commit"`
	Tree       string    `json:"tree"` // git's id, including the submodules below
	License    string    `json:"license,omitempty"`
	Submodules []Gitlink `json:"submodules,omitempty"`
}

// ImageReference is a line of images/references.json: the place in a registry of the
// image that a target was validated in.
type ImageReference struct {
	Image string `json:"image"` // its name on the machine that built it
	ID    string `json:"id"`    // the engine's id, a digest of the content
	// Reference is host/path@sha256:… in the registry.
	Reference string `json:"reference"`
}

// AgentImage is a line of images/agents.json: the image in which an agent works on a
// task. The targets' tests run in images of their own.
type AgentImage struct {
	Task  string `json:"task"`
	Image string `json:"image"` // its name on the machine that built it
	ID    string `json:"id"`    // the engine's id, a digest of the content
}

// Gitlink is a submodule's entry in a tree: an empty folder and the commit of another
// repository that belongs there.
type Gitlink struct {
	Path   string `yaml:"path" json:"path"`
	Commit string `yaml:"commit" json:"commit"`
}

// File returns the source's path in a release.
func (s Source) File() string {
	return "sources/" + FileName(s.Repository) + "@" + s.Commit + ".tar.zst"
}

// TaskFile is tasks/ID/task.yaml. It names the targets, so no agent may see it.
type TaskFile struct {
	Format      int           `yaml:"format" json:"format"`
	Task        string        `yaml:"task" json:"task"`
	Ecosystem   string        `yaml:"ecosystem" json:"ecosystem"`
	Kind        string        `yaml:"kind" json:"kind"`
	Pattern     string        `yaml:"pattern,omitempty" json:"pattern,omitempty"`
	Title       string        `yaml:"title" json:"title"`
	Languages   []string      `yaml:"languages" json:"languages"`
	ChangeType  string        `yaml:"change_type,omitempty" json:"change_type,omitempty"`
	Targets     []TaskTarget  `yaml:"targets" json:"targets"`
	Context     []TaskContext `yaml:"context" json:"context"`
	ContextRule string        `yaml:"context_rule" json:"context_rule"`
}

// TaskTarget is a repository that must change, and how it is scored.
type TaskTarget struct {
	Repository  string   `yaml:"repository" json:"repository"`
	BaseCommit  string   `yaml:"base_commit" json:"base_commit"`
	BaseTree    string   `yaml:"base_tree" json:"base_tree"`
	GoldTree    string   `yaml:"gold_tree" json:"gold_tree"`
	Pulls       []int    `yaml:"pulls" json:"pulls"`
	License     string   `yaml:"license" json:"license"`
	GoldFiles   []string `yaml:"gold_files" json:"gold_files"`
	HiddenFiles []string `yaml:"hidden_files" json:"hidden_files"`
	F2P         int      `yaml:"f2p" json:"f2p"`
	P2P         int      `yaml:"p2p" json:"p2p"`
	// Limits holds the limits of validation's runs; evaluation uses the same.
	Limits RunLimits `yaml:"limits" json:"limits"`
	// GoldSeconds is the duration of the longest gold run in validation.
	GoldSeconds float64 `yaml:"gold_seconds" json:"gold_seconds"`
	Platform    string  `yaml:"platform" json:"platform"`
}

// RunLimits holds the limits of one test run.
type RunLimits struct {
	Seconds int     `yaml:"seconds" json:"seconds"`
	Memory  int64   `yaml:"memory" json:"memory"` // bytes
	CPUs    float64 `yaml:"cpus" json:"cpus"`
	Pids    int64   `yaml:"pids" json:"pids"`
}

// TaskContext is a repository that an agent may read and that is not scored.
type TaskContext struct {
	Repository string `yaml:"repository" json:"repository"`
	Commit     string `yaml:"commit" json:"commit"`
	Reason     string `yaml:"reason" json:"reason"`
}

// WorkspaceFile is tasks/ID/workspace.json, the manifest that an agent gets: the
// repositories of the workspace, sorted. It does not show which ones are targets.
type WorkspaceFile struct {
	Format       int                   `json:"format"`
	Task         string                `json:"task"`
	Repositories []WorkspaceRepository `json:"repositories"`
}

// WorkspaceRepository is one tree of a workspace, in the folder owner/name.
type WorkspaceRepository struct {
	Repository string `json:"repository"`
	Commit     string `json:"commit"`
	Tree       string `json:"tree"`
}

// PromptSources is tasks/ID/prompt_sources.yaml: the source of each paragraph of the
// prompt.
type PromptSources struct {
	Format     int               `yaml:"format" json:"format"`
	Task       string            `yaml:"task" json:"task"`
	Paragraphs []PromptParagraph `yaml:"paragraphs" json:"paragraphs"`
}

// PromptParagraph is the source of one paragraph.
type PromptParagraph struct {
	Paragraph int    `yaml:"paragraph" json:"paragraph"`
	Source    string `yaml:"source" json:"source"` // owner/name#N title|body, or person
	Edited    bool   `yaml:"edited" json:"edited"`
}

// TestsFile is tasks/ID/hidden/OWNER__NAME/tests.json: the tests that decide.
type TestsFile struct {
	Format     int      `json:"format"`
	Repository string   `json:"repository"`
	F2P        []string `json:"f2p"`
	P2P        []string `json:"p2p"`
	// MissingOnBase lists the F2P tests that do not exist on base.
	MissingOnBase []string `json:"missing_on_base"`
	// PassedBefore lists the F2P tests that base passed with its own test files, where it
	// could not build the hidden ones: they guard what worked. Older releases do not have it.
	PassedBefore []string `json:"passed_before,omitempty"`
	// Unstable lists tests that are in neither list because they are unstable, or because
	// their outcome on base is unsettled.
	Unstable []string `json:"unstable"`
	// Others lists the remaining tests that validation saw: skipped, or failing on gold.
	// A test in no list did not exist then. It is null in older releases.
	Others []string `json:"others,omitzero"`
	// Repeats is the number of times that validation ran base and gold.
	Repeats int `json:"repeats"`
}

// ImageFile is tasks/ID/hidden/OWNER__NAME/image.yaml: the image that validation ran in.
type ImageFile struct {
	Format    int    `yaml:"format" json:"format"`
	Image     string `yaml:"image" json:"image"`
	ID        string `yaml:"id" json:"id"`
	BaseImage string `yaml:"base_image" json:"base_image"`
	Platform  string `yaml:"platform" json:"platform"`
}

// Record is tasks/ID/record.yaml: the origin of the task, and credit to its authors.
type Record struct {
	Format       int                `yaml:"format" json:"format"`
	Task         string             `yaml:"task" json:"task"`
	Candidate    string             `yaml:"candidate" json:"candidate"`
	Verdicts     []RecordVerdict    `yaml:"verdicts" json:"verdicts"`
	Pulls        []RecordPull       `yaml:"pulls" json:"pulls"`
	Links        []RecordLink       `yaml:"links" json:"links"`
	Repositories []RecordRepository `yaml:"repositories" json:"repositories"`
}

// RecordVerdict is one reviewer's verdict.
type RecordVerdict struct {
	Reviewer string `yaml:"reviewer" json:"reviewer"`
	Verdict  string `yaml:"verdict" json:"verdict"`
	Kind     string `yaml:"kind,omitempty" json:"kind,omitempty"`
	Pattern  string `yaml:"pattern,omitempty" json:"pattern,omitempty"`
	Reason   string `yaml:"reason,omitempty" json:"reason,omitempty"`
	Note     string `yaml:"note,omitempty" json:"note,omitempty"`
}

// RecordPull is one pull of the change.
type RecordPull struct {
	Pull     string `yaml:"pull" json:"pull"` // owner/name#N
	Title    string `yaml:"title" json:"title"`
	Author   string `yaml:"author" json:"author"`
	MergedAt string `yaml:"merged_at" json:"merged_at"`
}

// RecordLink is one reference between the pulls.
type RecordLink struct {
	Source   string `yaml:"source" json:"source"`
	Target   string `yaml:"target" json:"target"`
	Form     string `yaml:"form" json:"form"`
	Relation string `yaml:"relation,omitempty" json:"relation,omitempty"`
}

// RecordRepository is the license and attribution of one repository of the workspace.
type RecordRepository struct {
	Repository string `yaml:"repository" json:"repository"`
	Commit     string `yaml:"commit" json:"commit"`
	License    string `yaml:"license" json:"license"` // SPDX id, "" where unknown
	// LicenseFiles lists the files at the root that state the license.
	LicenseFiles []string `yaml:"license_files" json:"license_files"`
	URL          string   `yaml:"url" json:"url"`
}

// Prediction is one line of a predictions file: one agent's patches for one task.
type Prediction struct {
	Task    string            `json:"task_id"`
	Model   string            `json:"model_name_or_path"`
	Patches map[string]string `json:"patches"` // by owner/name
	// PatchB64 holds patches that are not UTF-8, in base64. A repository is in Patches or
	// here. Only files use it; see [Prediction.Encoded].
	PatchB64 map[string]string `json:"patch_b64,omitempty"`
	Mode     string            `json:"mode,omitempty"`
	Target   string            `json:"target,omitempty"`
	Attempt  int               `json:"attempt,omitempty"`
	Run      *PredictionRun    `json:"run,omitempty"`
}

// PredictionRun describes the run of the agent that made the patches.
type PredictionRun struct {
	Scaffold    string         `json:"scaffold,omitempty"`
	Version     string         `json:"version,omitempty"`
	Model       string         `json:"model,omitempty"`
	Effort      string         `json:"effort,omitempty"`
	Limits      map[string]any `json:"limits,omitempty"`
	APIRequests int64          `json:"api_requests,omitempty"`
	Seconds     float64        `json:"seconds,omitempty"`
	// Tokens as reported by the model API, where a proxy saw them: all input, the part
	// of it that came from a cache, and output.
	InputTokens  int64 `json:"input_tokens,omitempty"`
	CachedTokens int64 `json:"cached_tokens,omitempty"`
	OutputTokens int64 `json:"output_tokens,omitempty"`
	// Status says how the agent ended: ended, exit, timeout, oom, disk_full, over_bounds.
	Status string `json:"status,omitempty"`
}

// The modes of a prediction.
const (
	Joint       = "joint"
	Independent = "independent"
)
