package mine

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wideswe/wideswe/cmd/wideswe/internal/config"
	"github.com/wideswe/wideswe/cmd/wideswe/internal/env"
	"github.com/wideswe/wideswe/data"
	"github.com/wideswe/wideswe/pipeline"
	"github.com/wideswe/wideswe/pipeline/folder"
	"github.com/wideswe/wideswe/schema"
)

// initOptions holds the flags of init.
type initOptions struct {
	env        *env.Env
	ecosystems []string
	published  bool
}

// NewInitCommand returns wideswe init.
func NewInitCommand(e *env.Env) *cobra.Command {
	o := &initOptions{env: e}
	c := &cobra.Command{
		Use:   "init DIR",
		Short: "Make a curator's folder with every setting at its default",
		Example: `  wideswe init ipfs --ecosystem ipfs=ipfs
  wideswe init paper --published
  wideswe init two --ecosystem grpc=grpc --ecosystem prometheus=prometheus,prometheus-community/stackdriver_exporter`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return o.run(args[0]) },
	}
	c.Flags().StringArrayVar(&o.ecosystems, "ecosystem", nil, "NAME=ORG[,ORG2|ORG/REPO…]; may be given several times")
	c.Flags().BoolVar(&o.published, "published", false,
		"begin ecosystems.yaml with the 41 ecosystems of the paper's release")
	return c
}

func (o *initOptions) run(dir string) error {
	var list []schema.EcosystemConfig
	for _, text := range o.ecosystems {
		parsed, err := parseEcosystem(text)
		if err != nil {
			return err
		}
		list = append(list, parsed)
	}
	f, err := folder.Init(dir, []byte(config.NewText(list)))
	if err != nil {
		return err
	}
	if o.published {
		if err := f.WriteEcosystems(data.Ecosystems()); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(o.env.Out, "%s is ready; next: export GITHUB_TOKEN, then wideswe -C %s run\n", dir, dir)
	return err
}

// parseEcosystem reads NAME=ORG[,ORG2|ORG/REPO…].
func parseEcosystem(s string) (schema.EcosystemConfig, error) {
	name, members, ok := strings.Cut(s, "=")
	e := schema.EcosystemConfig{Name: strings.TrimSpace(name)}
	for _, m := range strings.FieldsFunc(members, func(r rune) bool { return r == ',' || r == '|' }) {
		if m = strings.TrimSpace(m); strings.Contains(m, "/") {
			e.Repositories = append(e.Repositories, m)
		} else if m != "" {
			e.Organizations = append(e.Organizations, m)
		}
	}
	if !ok || e.Name == "" || len(e.Organizations)+len(e.Repositories) == 0 {
		return e, pipeline.Usage("--ecosystem %q is not of the form NAME=ORG[,ORG2|ORG/REPO…]", s)
	}
	return e, nil
}
