package guard

import (
	"path"
	"strings"

	"github.com/wideswe/wideswe/pipeline/filerole"
	"github.com/wideswe/wideswe/schema"
)

// clearWay puts away what is kept and new and bears the name of a file that goes back:
// it would be loaded in that one's place.
func (in *inspection) clearWay(list []Decision) []Decision {
	var back []string
	for _, d := range list {
		if d.Decision == PutBack && !d.New {
			back = append(back, d.Path)
		}
	}
	for i, d := range list {
		if d.Decision != Kept || !d.New {
			continue
		}
		if other := in.inTheWay(d.Path, back); other != "" {
			list[i] = d.back(schema.DeviationConfig, "in the way of "+other)
		}
	}
	return list
}

// inTheWay finds the first of the files whose name a new file, or a new folder above it,
// bears: a module of the same folder and name with another ending, or a package. Only
// code is loaded by its name without the ending.
func (in *inspection) inTheWay(name string, files []string) string {
	for _, f := range files {
		if filerole.Programming(f) && f != name && in.bears(name, path.Dir(f), stem(f)) {
			return f
		}
	}
	return ""
}

// bears tells whether a new file, or a new folder above it, is one of that folder with
// that name.
func (in *inspection) bears(name, dir, stem string) bool {
	if path.Dir(name) == dir {
		first, _, _ := strings.Cut(path.Base(name), ".")
		return (first == stem || strings.TrimSuffix(path.Base(name), path.Ext(name)) == stem) &&
			(filerole.Programming(name) || loadable[path.Ext(name)])
	}
	folder := path.Join(dir, stem)
	if !strings.HasPrefix(name, folder+"/") {
		return false
	}
	return !isDir(in.Base, folder) && !isDir(in.Gold, folder)
}

// loadable are the endings of files that are loaded as code and are no source.
var loadable = map[string]bool{".so": true, ".pyc": true, ".pyd": true, ".dll": true, ".node": true, ".class": true,
	".jar": true}

func stem(file string) string { return strings.TrimSuffix(path.Base(file), path.Ext(file)) }

func isDir(dir, name string) bool {
	info, err := lstat(dir, name)
	return err == nil && info.IsDir()
}
