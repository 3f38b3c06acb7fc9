package evaluate

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

// keep writes every prediction's patches under OUT/patches, so that an evaluation
// shows what it judged without the file that it was given, and names them by item.
// It does not matter whether the verdict is of this call, an earlier one or another
// folder's: the patches are the predictions'.
func (s *Stage) keep(items []pipeline.Item[unit]) (map[string][]schema.KeptPatch, error) {
	kept := map[string][]schema.KeptPatch{}
	for _, it := range items {
		for _, p := range it.Value.Predictions {
			for _, repository := range slices.Sorted(maps.Keys(p.Patches)) {
				text := p.Patches[repository]
				if strings.TrimSpace(text) == "" {
					continue
				}
				k := schema.KeptPatch{Repository: repository, Target: p.Target, File: it.Value.patchPath(p.Target, repository), Bytes: len(text)}
				if err := keepFile(filepath.Join(s.Out, filepath.FromSlash(k.File)), []byte(text)); err != nil {
					return nil, fmt.Errorf("keeping the patch of %s: %w", it.ID, err)
				}
				kept[it.ID] = append(kept[it.ID], k)
			}
		}
	}
	return kept, nil
}

// patchPath is where a patch lies, under Out; target is the one that an independent
// prediction is for.
func (u unit) patchPath(target, repository string) string {
	dir := strings.Replace(path.Dir(u.logPath(repository, submitted)), "logs/", "patches/", 1)
	if target != "" {
		dir = path.Join(dir, "for-"+schema.FileName(target))
	}
	return path.Join(dir, schema.FileName(repository)+".patch")
}

func keepFile(name string, text []byte) error {
	if old, err := os.ReadFile(name); err == nil && bytes.Equal(old, text) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(name+".tmp", text, 0o644); err != nil {
		return err
	}
	return os.Rename(name+".tmp", name)
}
