package config

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/wideswe/wideswe/pipeline/settings"
)

var update = flag.Bool("update", false, "write template.yaml anew")

const templateHead = "# The configuration of this curator's folder. Commit it; .wideswe/ is derived and ignored by " +
	"git.\n\n"

// TestTheTemplateIsMadeOfTheOptions compares template.yaml with the options' tags and comments.
func TestTheTemplateIsMadeOfTheOptions(t *testing.T) {
	want := templateHead + templateOf(t, reflect.TypeFor[Config](), "")
	if *update {
		if err := os.WriteFile("template.yaml", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(want, template); d != "" {
		t.Errorf("go test -update writes template.yaml: %s", d)
	}
}

// templateOf writes the keys of options. A comment that is a sentence stands above its key, another one behind it.
func templateOf(t *testing.T, options reflect.Type, indent string) string {
	t.Helper()
	comments := commentsOf(t, options)
	var b strings.Builder
	for i := range options.NumField() {
		field := options.Field(i)
		key, comment := settings.Key(field), comments[field.Name]
		value, leaf := field.Tag.Lookup("default")
		switch line := indent + key + ": " + value; {
		case key == "":
		case !leaf:
			b.WriteString(indent + key + ":\n" + templateOf(t, field.Type, indent+"  "))
		case comment == "" || unicode.IsUpper(rune(comment[0])):
			for _, sentence := range strings.SplitAfter(comment, "\n") {
				b.WriteString(strings.Replace(sentence, "", indent+"# ", min(len(sentence), 1)))
			}
			b.WriteString(line + "\n")
		default:
			fmt.Fprintf(&b, "%-28s # %s\n", line, strings.TrimSpace(strings.ReplaceAll(comment, "\n", " ")))
		}
	}
	return b.String()
}

// commentsOf reads the comments of a struct's fields from the source of its package.
func commentsOf(t *testing.T, of reflect.Type) map[string]string {
	t.Helper()
	_, dir, _ := strings.Cut(of.PkgPath(), "github.com/wideswe/wideswe/")
	files, err := filepath.Glob(filepath.Join("../../../..", dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	comments := map[string]string{}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok && spec.Name.Name == of.Name() {
				for _, f := range spec.Type.(*ast.StructType).Fields.List {
					comments[f.Names[0].Name] = f.Doc.Text()
				}
			}
			return true
		})
	}
	return comments
}
