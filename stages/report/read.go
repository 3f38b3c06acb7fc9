package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/release"
	"github.com/wideswe/wideswe/pipeline/settled"
	"github.com/wideswe/wideswe/schema"
)

// maxReport bounds the report.json that is read.
const maxReport = 512 << 20

// read counts the evaluations of a release, or describes the release alone.
func (s Stage) read() (*Result, error) {
	rel, err := release.Open(s.Release)
	if err != nil {
		return nil, err
	}
	defer rel.Close()
	data, err := dataset(rel)
	if err != nil {
		return nil, err
	}
	var list []evaluation
	for _, e := range s.Evaluations {
		report, err := readReport(filepath.Join(e.Folder, "report.json"))
		if err != nil {
			return nil, err
		}
		if sum := report.Release.SHA256; sum != "" && sum != rel.SHA256 {
			return nil, pipeline.Usage("%s scores %s %s, which is not the release at %s; give the release that was evaluated",
				e.Folder, report.Release.Name, report.Release.Version, s.Release)
		}
		decisions, err := settled.Read(e.Folder)
		if err != nil {
			return nil, err
		}
		list = append(list, evaluation{e, decisions, report})
	}
	o := options{pairs: s.Pairs}
	if s.Annotations != "" {
		if o.annotations, err = readAnnotations(s.Annotations); err != nil {
			return nil, err
		}
	}
	return compile(data, list, o)
}

func readReport(name string) (*schema.Report, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, pipeline.Usage("there is no %s; wideswe evaluate --out %s writes it", name, filepath.Dir(name))
	}
	if err != nil {
		return nil, fmt.Errorf("reading evaluation: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxReport+1))
	if err != nil {
		return nil, fmt.Errorf("reading evaluation: %w", err)
	}
	if len(text) > maxReport {
		return nil, pipeline.Usage("%s is over %d MiB; it is not a report of wideswe evaluate", name, maxReport>>20)
	}
	var r schema.Report
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, pipeline.Usage("%s is not a report of wideswe evaluate: %v", name, err)
	}
	if r.Format > 1 {
		return nil, pipeline.Usage("%s has format %d, and this wideswe reads 1; use the one that wrote it", name, r.Format)
	}
	return &r, nil
}
