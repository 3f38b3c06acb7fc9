package predictions

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// multiSWERow is a patch as Multi-SWE-bench takes them: the pull names task and target.
// Its program wants a number, its documentation shows text.
type multiSWERow struct {
	Org    string          `json:"org"`
	Repo   string          `json:"repo"`
	Number json.RawMessage `json:"number"`
	Patch  *string         `json:"fix_patch"`
	Model  string          `json:"model_name_or_path,omitempty"`
}

// multiSWEShape is Multi-SWE-bench's lines.
func multiSWEShape() Shape {
	return Shape{Name: "multi-swe-bench",
		Form:  `lines {"org": OWNER, "repo": NAME, "number": PULL, "fix_patch": …}, with --model`,
		room:  room{byPull: true, byID: true},
		wants: []string{"org", "repo", "number", "fix_patch"},
		known: func(e entry) bool { return e.has("org", "repo", "number", "fix_patch") },
		read:  readMultiSWE, write: writeMultiSWE}
}

func readMultiSWE(e entry) (row, error) {
	if err := notInstance(e); err != nil {
		return row{}, err
	}
	if err := keepsBytes(e.text); err != nil {
		return row{}, err
	}
	var r multiSWERow
	if err := json.Unmarshal(e.text, &r); err != nil {
		return row{}, plainJSON(err)
	}
	n, err := strconv.Atoi(strings.Trim(string(r.Number), `"`))
	if err != nil || n < 1 {
		return row{}, fmt.Errorf("number is %s; it must be a pull's number", r.Number)
	}
	if r.Org == "" || r.Repo == "" {
		return row{}, errors.New("org or repo is empty; together they name the repository of the pull")
	}
	out := row{Repository: r.Org + "/" + r.Repo, Number: n, Model: r.Model}
	if r.Patch != nil {
		out.Patch = *r.Patch
	}
	return out, nil
}

func writeMultiSWE(w io.Writer, list []part) error {
	return writeLines(w, list, func(p part) any {
		org, repo, _ := strings.Cut(p.Repository, "/")
		return multiSWERow{Org: org, Repo: repo, Number: json.RawMessage(strconv.Itoa(p.Number)), Patch: &p.Patch}
	})
}
