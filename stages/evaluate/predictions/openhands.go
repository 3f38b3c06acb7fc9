package predictions

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
)

// openHandsRow is a line of OpenHands' output.jsonl. Its attempt counts the tries of one
// answer and not answers, so it is not read.
type openHandsRow struct {
	Instance string           `json:"instance_id"`
	Result   *openHandsResult `json:"test_result"`
	Metadata openHandsRun     `json:"metadata"`
}

type openHandsResult struct {
	Patch json.RawMessage `json:"git_patch"` // null and "" change nothing
}

// openHandsRun names the model: older versions under llm_config.
type openHandsRun struct {
	LLM    openHandsModel `json:"llm,omitzero"`
	Config openHandsModel `json:"llm_config,omitzero"`
}

type openHandsModel struct {
	Model string `json:"model"`
}

// openHandsShape is OpenHands' output.jsonl.
func openHandsShape() Shape {
	return Shape{Name: "openhands", Form: `lines {"instance_id": …, "test_result": {"git_patch": …}}`,
		room:  room{model: true, byID: true, context: true},
		wants: []string{"instance_id", "test_result"},
		known: func(e entry) bool { return e.has("instance_id", "test_result") },
		read:  readOpenHands, write: writeOpenHands}
}

func readOpenHands(e entry) (row, error) {
	for _, k := range []string{"instance_id", "test_result", "metadata"} { // a history may hold any bytes
		if err := keepsBytes(e.fields[k]); err != nil {
			return row{}, err
		}
	}
	var r openHandsRow
	if err := json.Unmarshal(e.text, &r); err != nil {
		return row{}, plainJSON(err)
	}
	id, err := e.instance(r.Instance)
	if err != nil {
		return row{}, err
	}
	out := row{Instance: id, Agent: cmp.Or(r.Metadata.LLM.Model, r.Metadata.Config.Model)}
	if r.Result != nil && len(r.Result.Patch) > 0 {
		return out, plainJSON(json.Unmarshal(r.Result.Patch, &out.Patch))
	}
	if said := string(e.fields["error"]); said == "" || said == "null" {
		return row{}, errors.New("no test_result.git_patch and no error: the run has not ended; " +
			"let OpenHands finish it, or delete the line")
	}
	return out, nil
}

func writeOpenHands(w io.Writer, list []part) error {
	return writeLines(w, list, func(p part) any {
		patch, _ := json.Marshal(p.Patch) // a string is always JSON
		return openHandsRow{Instance: p.Instance, Result: &openHandsResult{patch},
			Metadata: openHandsRun{LLM: openHandsModel{p.Model}}}
	})
}
