package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/bench/synthetic"
	"github.com/wideswe/wideswe/pipeline/testreport"
	"github.com/wideswe/wideswe/pipeline/testreport/formats"
)

// parsers measures each report format on generated reports, beside the standard
// library reading the same bytes and keeping nothing.
func (v *dockerFigures) parsers(ctx context.Context) error {
	for _, format := range formats.Names() {
		if err := ctx.Err(); err != nil {
			return err
		}
		files, ok := synthetic.Report(format, v.reports)
		if !ok {
			return fmt.Errorf("no generator for the report format %q: write one in cmd/wideswe/internal/bench/synthetic", format)
		}
		if err := v.parser(format, files); err != nil {
			return fmt.Errorf("%s: %w", format, err)
		}
	}
	return nil
}

func (v *dockerFigures) parser(format string, files map[string][]byte) error {
	mb := 0.0
	for _, data := range files {
		mb += float64(len(data)) / 1e6
	}
	var r testreport.Report
	ours, err := fastest(v.rounds, func() (err error) {
		r, err = formats.Parse(format, files)
		return err
	})
	if err != nil {
		return err
	}
	if len(r.Results) != v.reports {
		return fmt.Errorf("%d of %d tests were read: %.3q", len(r.Results), v.reports, r.Problems)
	}
	theirs, err := fastest(v.rounds, func() error { return skim(files) })
	if err != nil {
		return err
	}
	return printFigure(v.env, map[string]any{"figure": "reports read", "format": format, "tests": v.reports,
		"files": len(files), "mb": mb, "mb_per_second": mb / ours,
		"beside": "Go's standard library reading the same bytes", "beside_mb_per_second": mb / theirs,
		"ratio": theirs / ours})
}

// fastest is the least that work took: the least disturbed.
func fastest(rounds int, work func() error) (seconds float64, err error) {
	least := time.Duration(1 << 62)
	for range rounds {
		start := time.Now()
		if err := work(); err != nil {
			return 0, err
		}
		least = min(least, time.Since(start))
	}
	return least.Seconds(), nil
}

// skim reads files by what they are made of: XML, JSON, lines.
func skim(files map[string][]byte) error {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := skimOne(files[name]); err != nil {
			return err
		}
	}
	return nil
}

func skimOne(data []byte) error {
	switch {
	case bytes.HasPrefix(data, []byte("<")):
		for d := xml.NewDecoder(bytes.NewReader(data)); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return err
			}
		}
	case bytes.HasPrefix(data, []byte("{")):
		for d := json.NewDecoder(bytes.NewReader(data)); d.More(); {
			var v any
			if err := d.Decode(&v); err != nil {
				return err
			}
		}
		return nil
	}
	for line := range bytes.Lines(data) {
		_ = strings.TrimSpace(string(line))
	}
	return nil
}
