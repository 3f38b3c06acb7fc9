package agentfile

import (
	"fmt"
	"maps"
	"net/url"
	"slices"

	"github.com/wideswe/wideswe/pipeline/agent/proxy"
)

// Network lists the hosts that an agent reaches. The zero value is no network.
type Network struct {
	// Allow lists hosts of the internet, as api.example.org, *.example.org or HOST:PORT.
	Allow []string `yaml:"allow" json:"allow,omitempty"`
	// Private lists hosts that may be in a private network or on this machine.
	Private []string `yaml:"private" json:"private,omitempty"`
	// BaseURLs has the API addresses that clients read from variables. The agent gets the proxy's address in each
	// variable; the proxy passes requests on and counts the usage that the API reports.
	BaseURLs map[string]string `yaml:"base_urls" json:"base_urls,omitempty"`
	// Carrier is the image of the proxy's end beside the agent, for agent images without perl.
	Carrier string `yaml:"carrier" json:"carrier,omitempty"`
}

// UnmarshalYAML reads the word off, or the keys.
func (n *Network) UnmarshalYAML(read func(any) error) error {
	var word string
	if read(&word) == nil {
		if word != "off" && word != "false" { // YAML's older readers take off for a truth value
			return fmt.Errorf("network is %q; write off, or the keys allow, private, base_urls", word)
		}
		return nil
	}
	var off bool
	if read(&off) == nil && !off {
		return nil
	}
	type plain Network
	return read((*plain)(n))
}

// On tells whether any host may be reached.
func (n Network) On() bool { return len(n.Allow)+len(n.Private)+len(n.BaseURLs) > 0 }

func (n Network) check() error {
	for _, h := range slices.Concat(n.Allow, n.Private) {
		if err := proxy.CheckDestination(h); err != nil {
			return fmt.Errorf("network: %w", err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(n.BaseURLs)) {
		u, err := url.Parse(n.BaseURLs[name])
		if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil ||
			u.RawQuery != "" || u.Fragment != "" {
			return fmt.Errorf("network: base_urls: %s is no address such as https://api.example.org/v1", name)
		}
		if u.Scheme == "http" && !proxy.NewPolicy(n.Allow, n.Private).CoversPrivate(u) {
			return fmt.Errorf("network: base_urls: %s is not https; that is for hosts listed under private alone", name)
		}
	}
	return nil
}

// ParsedBaseURLs returns the parsed addresses of BaseURLs by variable.
func (n Network) ParsedBaseURLs() map[string]*url.URL {
	bases := map[string]*url.URL{}
	for name, s := range n.BaseURLs {
		bases[name], _ = url.Parse(s) // checked when the file was read
	}
	return bases
}
