package export

import (
	"bytes"
	_ "embed"
	"fmt"
	"sort"
	"strings"
	"text/template"

	"github.com/wideswe/wideswe/schema"
)

//go:embed card.md.tmpl
var cardText string

var cardTemplate = template.Must(template.New("card").Parse(cardText))

// card writes README.md, the release's data card.
func (p *plan) card(rel schema.Release) []byte {
	type license struct{ Name, Repositories string }
	byLicense := map[string][]string{}
	seen := map[string]bool{}
	for _, s := range rel.Sources {
		if !seen[s.Repository] {
			seen[s.Repository] = true
			name := s.License
			if name == "" || name == "NOASSERTION" {
				name = "not stated in a form the host recognises; see the repository"
			}
			byLicense[name] = append(byLicense[name], s.Repository)
		}
	}
	var licenses []license
	for _, name := range sortedKeys(byLicense) {
		sort.Strings(byLicense[name])
		licenses = append(licenses, license{name, strings.Join(byLicense[name], ", ")})
	}
	languages := map[string]int{}
	for _, t := range p.content.Tasks {
		for _, l := range t.Languages {
			languages[l]++
		}
	}
	var spoken []string
	for _, l := range sortedKeys(languages) {
		spoken = append(spoken, fmt.Sprintf("%s (%d)", l, languages[l]))
	}
	var b bytes.Buffer
	err := cardTemplate.Execute(&b, map[string]any{"R": rel, "Licenses": licenses, "Languages": strings.Join(spoken, ", "),
		"Context": p.cfg.Context})
	if err != nil {
		panic(fmt.Sprintf("the data card's template: %v", err)) // it is ours and fixed
	}
	return b.Bytes()
}

// dockerfile shows people how a target's image is made. The image that counts is
// made from recipe.yaml and the sources.
func dockerfile(repository string, image schema.ImageFile, r schema.Recipe) []byte {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# How %s is built and tested, for people. What counts is recipe.yaml:", repository)
	line("# wideswe makes the image from it and the release's sources, and runs tests offline.")
	line("# Build context: the workspace, as wideswe workspace writes it.")
	base := r.Image
	if base == "" {
		base = image.BaseImage
	}
	line("FROM %s", oneLine(base))
	if len(r.Packages) > 0 {
		line("RUN apt-get update && apt-get install -y --no-install-recommends %s && rm -rf /var/lib/apt/lists/*",
			oneLine(strings.Join(r.Packages, " ")))
	}
	for _, k := range sortedKeys(r.Env) {
		line("ENV %s=%q", oneLine(k), r.Env[k])
	}
	line("COPY . /workspace")
	line("WORKDIR /workspace/%s", repository)
	line("ENV WIDESWE_WORKSPACE=/workspace WIDESWE_REPO=/workspace/%s WIDESWE_TMP=/tmp/wideswe", repository)
	if len(r.Path) > 0 {
		var dirs []string
		for _, p := range r.Path {
			dirs = append(dirs, "/workspace/"+repository+"/"+oneLine(p))
		}
		line("ENV PATH=%s:$PATH", strings.Join(dirs, ":"))
	}
	steps := func(what string, lines []string) {
		for _, l := range lines {
			line("# %s", what)
			line("RUN %s", oneLine(l))
		}
	}
	steps("dependencies, network on", r.Setup)
	steps("caches, offline, at base", r.Warm)
	steps("after patches, offline, before every test run", r.Build)
	if r.Test != "" {
		line("# test\nCMD [\"/bin/sh\", \"-ec\", %q]", r.Test)
	}
	return []byte(b.String())
}

// oneLine keeps a recipe's line from ending a Dockerfile's.
func oneLine(s string) string {
	return strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", " && ")
}
