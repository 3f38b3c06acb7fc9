package flags

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A folder of somebody's is not written into, and why one can't be is told in a
// sentence; what an earlier call left is gone on with.
func TestOutFolder(t *testing.T) {
	release := t.TempDir()
	for name, tc := range map[string]struct {
		files []string
		want  string
	}{
		"absent":                    {nil, ""},
		"hidden files":              {[]string{".DS_Store"}, ""},
		"begun":                     {[]string{"images.lock", "logs/x"}, ""},
		"an evaluation with a note": {[]string{"evaluation.duckdb", "report.html", "note.txt"}, ""},
		"somebody's": {[]string{"a", "b", "c", "d", "logs/x"},
			"holds other things (a, b, c, …); give a new folder"},
		"predictions": {[]string{"t1/o__lib.patch"}, "holds other things (t1)"},
		"an agent's":  {[]string{"predictions.jsonl", "runs/x"}, "holds other things (predictions.jsonl, runs)"},
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			for _, f := range tc.files {
				file := filepath.Join(out, f)
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, nil, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			err := MakeOutFolder(release, out, EvaluationFiles())
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
			if list, _ := os.ReadDir(out); len(list) > 0 && strings.HasPrefix(list[0].Name(), ".probe") {
				t.Error("the probe is still there")
			}
		})
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{file, filepath.Join(file, "out")} {
		if err := MakeOutFolder(release, out, EvaluationFiles()); err == nil || !strings.Contains(err.Error(),
			"can't be used: a file is in its place; give another folder") {
			t.Errorf("%s: %v", out, err)
		}
	}
	if os.Getuid() != 0 { // whom nothing is forbidden
		shut := t.TempDir()
		if err := os.Chmod(shut, 0o500); err != nil {
			t.Fatal(err)
		}
		if err := MakeOutFolder(release, filepath.Join(shut, "out"), EvaluationFiles()); err == nil ||
			!strings.Contains(err.Error(), "you may not write there") {
			t.Error(err)
		}
	}
}

// Agents' runs that were cut short before the first of them ended are gone on with.
func TestOutFolderOfAgentRunsBegun(t *testing.T) {
	out := t.TempDir()
	for _, f := range []string{".lock", "agent.json", "runs/.unfinished-1/stdout.log", "failed/t1/joint-1/run.json",
		"logs/images/x.log", "images.lock"} {
		file := filepath.Join(out, f)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := MakeOutFolder(t.TempDir(), out, AgentRunFiles()); err != nil {
		t.Error(err)
	}
}
