package release

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/wideswe/wideswe/schema"
)

var update = flag.Bool("update", false, "write the JSON Schemas anew")

// formats are the files that have a JSON Schema.
var formats = map[string]struct {
	v     any
	title string
}{
	"release":        {schema.Release{}, "release.json: what a release holds"},
	"task":           {schema.TaskFile{}, "tasks/ID/task.yaml: one task; not for agents"},
	"workspace":      {schema.WorkspaceFile{}, "tasks/ID/workspace.json: the repositories an agent gets"},
	"prompt_sources": {schema.PromptSources{}, "tasks/ID/prompt_sources.yaml: where each paragraph came from"},
	"record":         {schema.Record{}, "tasks/ID/record.yaml: verdicts, pulls, links, licences"},
	"tests":          {schema.TestsFile{}, "tasks/ID/hidden/OWNER__NAME/tests.json: the tests that decide"},
	"recipe":         {schema.Recipe{}, "tasks/ID/hidden/OWNER__NAME/recipe.yaml: how the target is built and tested"},
	"image":          {schema.ImageFile{}, "tasks/ID/hidden/OWNER__NAME/image.yaml: the image that validation ran in"},
	"selection":      {schema.Selection{}, "selection.yaml: why each task is in"},
	"funnel":         {schema.FunnelFile{}, "funnel.json: what each stage kept, and why the rest dropped out"},
	"prediction":     {schema.Prediction{}, "one line of a predictions file"},
	"report":         {schema.Report{}, "OUT/report.json: the score of one evaluation"},
}

// refined says more of some properties than their type does.
var refined = map[string]map[string]any{
	"format":             {"const": 1},
	"repository":         {"pattern": "^[^/]+/[^/]+$"},
	"commit":             {"pattern": "^[0-9a-f]{40}$"},
	"base_commit":        {"pattern": "^[0-9a-f]{40}$"},
	"tree":               {"pattern": "^[0-9a-f]{40}$"},
	"base_tree":          {"pattern": "^[0-9a-f]{40}$"},
	"task_id":            {"minLength": 1},
	"model_name_or_path": {"minLength": 1},
	"mode":               {"enum": []string{"", "joint", "independent"}},
}

// required of a prediction is less than what a program writes.
var required = map[string][]string{"prediction": {"task_id", "model_name_or_path"}}

func schemaOf(t reflect.Type) map[string]any {
	switch t.Kind() {
	case reflect.Pointer:
		return schemaOf(t.Elem())
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return map[string]any{"type": "integer"}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Slice:
		return map[string]any{"type": []string{"array", "null"}, "items": schemaOf(t.Elem())}
	case reflect.Map:
		return map[string]any{"type": []string{"object", "null"}, "additionalProperties": schemaOf(t.Elem())}
	case reflect.Interface:
		return map[string]any{}
	}
	props, need := map[string]any{}, []string{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		p := schemaOf(f.Type)
		for k, v := range refined[name] {
			p[k] = v
		}
		props[name] = p
		if !strings.Contains(rest, "omit") {
			need = append(need, name)
		}
	}
	return map[string]any{"type": "object", "additionalProperties": false, "properties": props, "required": need}
}

// The schemas under schema/json say what the Go types say.
func TestSchemasAreTheTypes(t *testing.T) {
	for name, f := range formats {
		s := schemaOf(reflect.TypeOf(f.v))
		s["$schema"], s["title"] = "https://json-schema.org/draft/2020-12/schema", f.title
		if r, ok := required[name]; ok {
			s["required"] = r
		}
		if name == "prediction" { // its patches stand in one of the two, or in both
			s["anyOf"] = []any{map[string]any{"required": []string{"patches"}},
				map[string]any{"required": []string{"patch_b64"}}}
		}
		want, err := EncodeJSON(s)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("..", "..", "schema", "json", name+".schema.json")
		if *update {
			if err := os.WriteFile(file, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), string(got)); d != "" {
			t.Errorf("%s (go test -update writes it): %s", file, d)
		}
	}
}

func compile(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile(filepath.Join("..", "..", "schema", "json", name+".schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestReleaseFollowsItsSchemas(t *testing.T) {
	out := filepath.Join(t.TempDir(), "r")
	sample(t, out, false)
	for file, name := range map[string]string{
		"release.json": "release", "tasks/t1/task.yaml": "task", "tasks/t1/workspace.json": "workspace",
		"tasks/t1/hidden/o__a/tests.json": "tests", "tasks/t1/hidden/o__a/recipe.yaml": "recipe",
		"tasks/t1/hidden/o__b/image.yaml": "image",
	} {
		b, err := os.ReadFile(filepath.Join(out, file))
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, ".yaml") {
			if b, err = yaml.YAMLToJSON(b); err != nil {
				t.Fatal(err)
			}
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		if err := compile(t, name).Validate(v); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

func TestPredictionSchema(t *testing.T) {
	s := compile(t, "prediction")
	for line, ok := range map[string]bool{
		`{"task_id":"t","model_name_or_path":"m","patches":{"o/a":"diff"}}`:                               true,
		`{"task_id":"t","model_name_or_path":"m","patches":{},"mode":"independent","target":"o/a"}`:       true,
		`{"task_id":"t","model_name_or_path":"m","patches":{},"run":{"limits":{"x":1},"api_requests":3}}`: true,
		`{"task_id":"t","model_name_or_path":"m","patch_b64":{"o/a":"6Q=="}}`:                             true,
		`{"task_id":"t","model_name_or_path":"m"}`:                                                        false,
		`{"task_id":"t","model_name_or_path":"m","patches":{"o/a":1}}`:                                    false,
		`{"task_id":"t","model_name_or_path":"m","patches":{},"mode":"odd"}`:                              false,
		`{"task_id":"t","model_name_or_path":"m","patches":{},"extra":1}`:                                 false,
	} {
		var v any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(v); (err == nil) != ok {
			t.Errorf("%s: %v", line, err)
		}
	}
}
