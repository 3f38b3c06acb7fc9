package proxy

// Traffic counts the requests of a run that the proxy saw.
type Traffic struct {
	Hosts []HostTraffic `json:"hosts"`
	// Calls counts calls of a model: answers that report usage, and streams. Untold of them reported none, so their
	// tokens are missing in Tokens. Failed counts requests through a base URL that ended with an error.
	Calls   int64  `json:"calls"`
	Untold  int64  `json:"untold,omitempty"`
	Failed  int64  `json:"failed"`
	Refused int64  `json:"refused"`
	Tokens  Tokens `json:"tokens"`
	// Asked lists refused destinations, at most 50.
	Asked []string `json:"asked,omitempty"`
}

// HostTraffic counts one host's traffic. A tunnel counts once, however many requests it carries.
type HostTraffic struct {
	Host     string `json:"host"`
	Requests int64  `json:"requests"`
	Tunnels  int64  `json:"tunnels"`
	Sent     int64  `json:"sent"`
	Received int64  `json:"received"`
}

// answered counts an answer as a call of a model if it is a stream or reports its usage.
func (t *Traffic) answered(called, told bool, u Tokens) {
	if !called && !told {
		return
	}
	t.Calls++
	t.Tokens.add(u)
	if !told {
		t.Untold++
	}
}

// Tokens are counts that model APIs report. In counts all input, Cached the part of it that came from a cache.
type Tokens struct {
	In     int64 `json:"in"`
	Cached int64 `json:"cached"`
	Out    int64 `json:"out"`
}

func (t *Tokens) add(u Tokens) {
	t.In += u.In
	t.Cached += u.Cached
	t.Out += u.Out
}
