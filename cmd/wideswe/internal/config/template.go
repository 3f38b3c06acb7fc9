package config

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/wideswe/wideswe/pipeline/git"
	"github.com/wideswe/wideswe/pipeline/github"
	"github.com/wideswe/wideswe/schema"
)

//go:embed template.yaml
var template string

// NewText returns the text of a new wideswe.yaml: every key with its default.
func NewText(ecosystems []schema.EcosystemConfig) string {
	var b strings.Builder
	for _, e := range ecosystems {
		fmt.Fprintf(&b, "\n  - name: %s", quoteYAML(e.Name))
		fmt.Fprintf(&b, "\n    organizations: [%s]", joinYAML(e.Organizations))
		fmt.Fprintf(&b, "\n    repositories: [%s]", joinYAML(e.Repositories))
	}
	if len(ecosystems) == 0 {
		b.WriteString("\n  []")
	}
	return strings.Replace(template, "\necosystems: []", "\necosystems:"+b.String()+"\n", 1)
}

// NewDemoText returns the text of the demo's wideswe.yaml, whose GitHub is in the process.
func NewDemoText(ecosystems []schema.EcosystemConfig, sandbox string) string {
	return strings.NewReplacer(github.DefaultURL, DemoURL, git.DefaultURL, DemoURL,
		"sandbox: docker ", fmt.Sprintf("sandbox: %-7s", sandbox)).Replace(NewText(ecosystems))
}

func joinYAML(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = quoteYAML(s)
	}
	return strings.Join(quoted, ", ")
}

func quoteYAML(s string) string {
	b, err := yaml.Marshal(s)
	if err != nil {
		return strconv.Quote(s)
	}
	return strings.TrimSpace(string(b))
}
