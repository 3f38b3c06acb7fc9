package python

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/wideswe/wideswe/pipeline/toolchain/kit"
)

var (
	tomlField   = regexp.MustCompile(`(\w+)\s*=\s*(?:"([^"\n]*)"|'([^'\n]*)')`)
	tomlExtras  = regexp.MustCompile(`extras\s*=\s*\[([^\]]*)\]`)
	pipenvLocal = regexp.MustCompile(`\b(?:path|file|editable)\s*=`)
)

// requirement writes an entry of a table of poetry or pipenv as pip reads it; ""
// is one that pip can't fetch. value is the entry as it stands in the file.
func requirement(name, value string) string {
	value = strings.TrimSpace(value)
	if !strings.HasPrefix(value, "{") {
		return name + versions(strings.Trim(cut(value, "#"), `"' `))
	}
	if pipenvLocal.MatchString(value) {
		return ""
	}
	fields := map[string]string{}
	for _, m := range tomlField.FindAllStringSubmatch(value, 20) {
		fields[m[1]] = m[2] + m[3]
	}
	if extras := kit.QuotedStrings(kit.FirstGroup(tomlExtras, value)); len(extras) > 0 {
		name += "[" + strings.Join(extras, ",") + "]"
	}
	switch git := fields["git"]; {
	case git != "":
		name += " @ git+" + git
		for _, key := range []string{"rev", "tag", "branch", "ref"} {
			if fields[key] != "" {
				name += "@" + fields[key]
				break
			}
		}
	case fields["url"] != "":
		name += " @ " + fields["url"]
	default:
		name += versions(fields["version"])
	}
	if fields["markers"] != "" {
		name += " ; " + fields["markers"]
	} else if m := pythonMarker(fields["python"]); m != "" {
		name += " ; " + m
	}
	return name
}

func cut(s, at string) string { before, _, _ := strings.Cut(s, at); return before }

// versions turns poetry's words for a range into specifiers.
func versions(spec string) string {
	if strings.Contains(spec, "|") { // one of several ranges: the newest they admit is as good
		return ""
	}
	var out []string
	for part := range strings.SplitSeq(spec, ",") {
		switch part = strings.ReplaceAll(strings.TrimSpace(part), " ", ""); {
		case part == "" || part == "*":
		case part[0] == '^':
			out = append(out, ">="+part[1:]+",<"+next(part[1:], true))
		case part[0] == '~' && !strings.HasPrefix(part, "~="):
			out = append(out, ">="+part[1:]+",<"+next(part[1:], false))
		case part[0] >= '0' && part[0] <= '9':
			out = append(out, "=="+part)
		default:
			out = append(out, part)
		}
	}
	return strings.Join(out, ",")
}

// next is the first version that ^ or ~ no longer admits: ^ keeps the leftmost part
// that is not zero, ~ the first two parts.
func next(version string, caret bool) string {
	parts := strings.Split(version, ".")
	at := min(1, len(parts)-1)
	if caret {
		at = 0
		for at < len(parts)-1 && kit.LeadingInt(parts[at]) == 0 {
			at++
		}
	}
	parts = parts[:at+1]
	n, _ := strconv.ParseUint(parts[at], 10, 62) // a date is a version, too
	parts[at] = strconv.FormatUint(n+1, 10)
	return strings.Join(parts, ".")
}

var pythonBound = regexp.MustCompile(`^(>=|<=|<|>|==|!=|\^|~)?\s*(3(?:\.\d+)*)$`)

// pythonMarker turns poetry's key python into a marker; "" where there is none.
func pythonMarker(spec string) string {
	var out []string
	for part := range strings.SplitSeq(spec, ",") {
		m := pythonBound.FindStringSubmatch(strings.TrimSpace(part))
		switch {
		case m == nil:
			return ""
		case m[1] == "^" || m[1] == "~":
			out = append(out, `python_version >= "`+m[2]+`"`)
		case m[1] == "":
			out = append(out, `python_version == "`+m[2]+`"`)
		default:
			out = append(out, `python_version `+m[1]+` "`+m[2]+`"`)
		}
	}
	return strings.Join(out, " and ")
}
