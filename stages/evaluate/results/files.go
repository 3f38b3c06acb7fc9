package results

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/schema"
)

// KeepPatches writes the predictions' patches under out, so that an evaluation shows
// what it judged without the file that it was given, and names the files.
func KeepPatches(out string, k Key, predictions []schema.Prediction) (kept []schema.KeptPatch, err error) {
	for _, p := range predictions {
		for _, repository := range slices.Sorted(maps.Keys(p.Patches)) {
			text := p.Patches[repository]
			if strings.TrimSpace(text) == "" {
				continue
			}
			file := k.PatchPath(p.Target, repository)
			if err := pipeline.WriteFile(filepath.Join(out, filepath.FromSlash(file)), []byte(text)); err != nil {
				return nil, fmt.Errorf("keeping the patch of %s: %w", k.ID(), err)
			}
			kept = append(kept, schema.KeptPatch{Repository: repository, Target: p.Target, File: file,
				Bytes: len(text)})
		}
	}
	return kept, nil
}

// WriteLog writes a target's log under out and gives its path there.
func WriteLog(out string, k Key, target, variant string, text []byte) (string, error) {
	log := k.LogPath(target, variant)
	name := filepath.Join(out, filepath.FromSlash(log))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return "", err
	}
	return log, os.WriteFile(name, text, 0o644)
}
