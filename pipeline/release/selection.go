package release

import "github.com/wideswe/wideswe/schema"

// Selection reads selection.yaml: why each task is in, and the named task sets;
// an empty one where the release has none.
func (r *Release) Selection() (schema.Selection, error) {
	var s schema.Selection
	if _, ok := r.Files["selection.yaml"]; !ok {
		return s, nil
	}
	return s, r.yaml("selection.yaml", &s)
}

// Funnel reads funnel.json: what each stage kept; an empty one where the release
// has none.
func (r *Release) Funnel() (schema.FunnelFile, error) {
	var f schema.FunnelFile
	if _, ok := r.Files["funnel.json"]; !ok {
		return f, nil
	}
	return f, r.json("funnel.json", &f)
}
