package validate

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline/testrun"
)

// keep writes a file of the logs folder.
func (s Stage) keep(name string, data []byte) error {
	if s.Logs == "" {
		return nil
	}
	p := filepath.Join(s.Logs, name)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		return fmt.Errorf("keeping a log: %w", err)
	}
	if err := os.WriteFile(p, data, 0o644); err != nil {
		return fmt.Errorf("keeping a log: %w", err)
	}
	return nil
}

// keepRun keeps what a run printed and, beside it, its raw report files.
func (s Stage) keepRun(name string, a testrun.Attempt) error {
	head := fmt.Sprintf("status %s, exit %d, %.1f s, reached %s%s\n", a.Status, a.ExitCode, a.Duration.Seconds(), a.Phase,
		detail(a))
	packed, err := pack(a.Reports)
	if err != nil {
		return fmt.Errorf("packing reports: %w", err)
	}
	return errors.Join(s.keep(name, append([]byte(head), a.Output...)),
		s.keep(strings.TrimSuffix(name, ".log")+".reports.tar.gz", packed))
}

func detail(a testrun.Attempt) (text string) {
	if a.Detail != "" {
		text = "\n" + a.Detail
	}
	for _, l := range []struct {
		name string
		ids  []string
	}{{"left out", a.Skip}, {"only", a.Only}} {
		if len(l.ids) > 0 {
			text += "\n" + l.name + ": " + strings.Join(l.ids, " ")
		}
	}
	return text
}

func pack(files map[string][]byte) ([]byte, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(files[name]))}); err != nil {
			return nil, err
		}
		if _, err := w.Write(files[name]); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
