package assemble

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/wideswe/wideswe/pipeline/filerole"
	"github.com/wideswe/wideswe/pipeline/patch"
)

// The kinds of change a task asks for, by the paths and sizes of its gold patches.
const (
	changeRuntime    = "runtime"    // what code does when it runs
	changeProtocol   = "protocol"   // what goes between processes
	changeSchema     = "schema"     // what data and interfaces look like
	changeSDK        = "sdk"        // what client libraries offer
	changeForwarding = "forwarding" // a few lines that hand something on
	changeOther      = "other"      // no production source
)

var (
	schemaPath = regexp.MustCompile(`(?i)(?:^|/)(?:schemas?|migrations?|openapi|swagger|asyncapi|protos?|idl|crds?)/|` +
		`\.(?:proto|graphqls?|avsc|thrift|xsd|capnp|fbs|prisma)$|\.schema\.json$|(?:openapi|swagger)[\w.-]*\.(?:ya?ml|json)$`)
	protocolPath = regexp.MustCompile(`(?i)(?:^|[/_.-])(?:protocols?|wire|codecs?|transports?|rpc|grpc|handshake|p2p|` +
		`encoding|serializ\w*|network)(?:[/_.-]|$)`)
	sdkPath = regexp.MustCompile(`(?i)(?:^|[/_.-])(?:sdks?|clients?|bindings?)(?:[/_.-]|$)`)
)

// forwardingLines is the most production lines a target adds where it only hands
// something on.
const forwardingLines = 12

// changeType names the kind of change and says why. It looks at production source
// alone. The first kind that one target shows is the task's, from the most to the
// least telling.
func changeType(targets []target) (kind, why string) {
	var source []string
	added := map[string]int{}
	for _, t := range targets {
		files, err := patch.Parse(t.split.GoldPatch)
		if err != nil {
			continue // git wrote it; what can't be read tells nothing of the kind
		}
		for _, f := range files {
			if filerole.Of(f.Path()) == filerole.Source {
				source = append(source, t.Name+"/"+f.Path())
				added[t.Name] += f.Added
			}
		}
	}
	if len(source) == 0 {
		return changeOther, "no production source changes"
	}
	for _, rule := range []struct {
		kind string
		path *regexp.Regexp
	}{{changeSchema, schemaPath}, {changeProtocol, protocolPath}, {changeSDK, sdkPath}} {
		for _, p := range source {
			if rule.path.MatchString(inRepository(p)) {
				return rule.kind, "changes " + p
			}
		}
	}
	small := true
	for _, t := range targets {
		small = small && added[t.Name] <= forwardingLines
	}
	if small {
		return changeForwarding, fmt.Sprintf("no target adds more than %d lines of production source", forwardingLines)
	}
	return changeRuntime, fmt.Sprintf("changes %d files of production source, among them %s", len(source), source[0])
}

// inRepository is the path without owner/name.
func inRepository(p string) string {
	parts := strings.SplitN(p, "/", 3)
	return parts[len(parts)-1]
}

// title is the first merged pull's, without its number.
func title(c candidate) string {
	var first *pull
	for _, r := range c.Repositories {
		for i := range r.Pulls {
			if p := &r.Pulls[i]; first == nil || p.MergedAt.Before(first.MergedAt) {
				first = p
			}
		}
	}
	if first == nil {
		return path.Join(c.Ecosystem, c.ID)
	}
	return cleanLine(first.Title)
}
