package collect

import (
	"bytes"
	"context"

	"github.com/go-git/go-git/v5/plumbing/format/index"

	"github.com/wideswe/wideswe/pipeline/patch"
	"github.com/wideswe/wideswe/pipeline/workspace"
)

// decideIgnored decides on files that the rules of base ignore: they are left out unless the agent's own rules or its
// index include them. So a rule that the agent adds hides nothing, and one that it removes uncovers. It reports
// whether contents must be read once more.
func (t *tree) decideIgnored(ctx context.Context) (again bool, err error) {
	now, err := t.agentRules(ctx)
	if err != nil {
		return false, err
	}
	if now != nil {
		defer now.Close()
	}
	added := indexNames(t.index)
	for _, f := range t.ignored {
		taken := added[f.path]
		if !taken && now != nil {
			_, still, err := now.Ignored(f.path)
			if err != nil {
				return false, err
			}
			taken = !still
		}
		switch {
		case taken && f.mode == patch.ModeSymlink:
			t.addLink(f.path, f.link)
			continue
		case taken:
			t.wanted[f.path] = append(t.wanted[f.path], f.wantedFile)
			continue
		}
		t.leftOut.ignored(f.path, f.size, f.pattern)
	}
	return len(t.wanted)+len(t.linked) > 0, nil
}

// agentRules returns the ignore rules that the agent left, nil if it changed none.
func (t *tree) agentRules(ctx context.Context) (*workspace.Ignore, error) {
	files, err := t.ignoreFiles()
	if err != nil {
		return nil, err
	}
	changed := len(t.ignores) > 0
	for name := range files {
		if !t.seen[name] {
			delete(files, name)
			changed = true
		}
	}
	if !changed || len(t.ignored) == 0 {
		return nil, nil
	}
	for name, text := range t.ignores {
		files[name] = text
	}
	return workspace.NewIgnore(ctx, files)
}

// indexNames returns the names in a git index, none if it can't be read.
func indexNames(b []byte) (names map[string]bool) {
	defer func() {
		if recover() != nil { // an index of an agent's own making
			names = nil
		}
	}()
	var i index.Index
	if len(b) == 0 || index.NewDecoder(bytes.NewReader(b)).Decode(&i) != nil {
		return nil
	}
	names = make(map[string]bool, len(i.Entries))
	for _, e := range i.Entries {
		names[e.Name] = true
	}
	return names
}
