package settings

import "testing"

func TestSizes(t *testing.T) {
	for text, want := range map[string]Size{"8g": 8 << 30, "8GiB": 8 << 30, "512m": 512 << 20, "1.5g": 3 << 29,
		"1024": 1024, "'2G'": 2 << 30} {
		var s Size
		if err := s.UnmarshalYAML([]byte(text)); err != nil || s != want {
			t.Errorf("%s: %d, %v", text, s, err)
		}
	}
}

func TestFillSetsWhatIsNotSet(t *testing.T) {
	type options struct {
		Section struct {
			Days Duration `yaml:"days" default:"24h"`
		} `yaml:"section"`
		Name   string `yaml:"name" default:"'1'"`
		Count  int    `yaml:"count" default:"3"`
		Hidden struct {
			Count int `default:"5"`
		}
	}
	got := Fill(options{Count: -1})
	if got.Section.Days.Hours() != 24 || got.Name != "1" || got.Count != 3 || got.Hidden.Count != 0 {
		t.Errorf("got %+v", got)
	}
	if got = Fill(options{Name: "x", Count: 7}); got.Name != "x" || got.Count != 7 {
		t.Errorf("what is set: %+v", got)
	}
}
