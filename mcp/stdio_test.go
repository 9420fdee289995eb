package mcp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl/mcp"
	"github.com/schedctl/schedctl/scripts/cost"
)

const hello = `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n" +
	`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"

// run serves the lines and returns the responses by their ids; those without one are
// under null.
func (f *fixture) run(t testing.TB, secret, in string) map[string][]string {
	t.Helper()
	c, err := mcp.Read(t.Context(), f.client(secret))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := (&mcp.Server{Version: "test"}).RunStdio(t.Context(), c, strings.NewReader(in), &out); err != nil {
		t.Errorf("RunStdio: %v", err)
	}
	byID := map[string][]string{}
	for line := range strings.Lines(out.String()) {
		var m struct {
			JSONRPC string
			ID      json.RawMessage
			Result  json.RawMessage
			Error   json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil || m.JSONRPC != "2.0" || (m.Result == nil) == (m.Error == nil) {
			t.Errorf("no response: %q", line)
		}
		byID[string(m.ID)] = append(byID[string(m.ID)], line)
	}
	return byID
}

// A message that is not valid gets an error, and the session continues.
func TestStdioContinuesAfterFaults(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	faults := []string{
		"garbage", "{", `{"jsonrpc":"2.0"`, "\xff\xfe", "\x00", "   ", `"text"`, "1", "null", "[]", `[` + ping + `]`, `{}`,
		`{"jsonrpc":"1.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":{},"method":"ping"}`, `{"jsonrpc":"2.0","id":true,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":1,"method":1}`, `{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}`, `{"jsonrpc":"2.0","id":1,"method":"ping"} trailing`,
		strings.Repeat("x", mcp.MaxMessage+2), `{"a":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`,
	}
	got := f.run(t, f.agent(), hello+strings.Join(faults, "\n")+"\r\n\n"+`{"jsonrpc":"2.0","id":"last","method":"ping"}`)
	if n := len(got["null"]) + len(got["1"]); n != len(faults) {
		t.Errorf("%d errors, want %d: %v", n, len(faults), got)
	}
	for _, line := range append(got["null"], got["1"]...) {
		if !strings.Contains(line, "-32700") && !strings.Contains(line, "-32600") {
			t.Errorf("%.200s", line)
		}
	}
	if len(got[`"last"`]) != 1 || !strings.Contains(got[`"hello"`][0], "2025-11-25") {
		t.Errorf("%.500v", got)
	}
}

// All calls get their responses although standard input has ended, and an id that is
// used twice at once gets an error.
func TestStdioParallelCalls(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var in strings.Builder
	in.WriteString(hello)
	for i := range 50 {
		fmt.Fprintf(&in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"create_draft","arguments":{"content":"%d"}}}`+"\n", i, i%10)
	}
	start := time.Now()
	got := f.run(t, f.agent(), in.String())
	if len(got) != 51 || time.Since(start) > mcp.CallTimeout {
		t.Errorf("%d responses in %s", len(got), time.Since(start))
	}
	if n := f.count(); n != 10 {
		t.Errorf("%d posts, want 10", n)
	}
}

// FuzzStdio checks that no line ends the session, whatever it is.
func FuzzStdio(f *testing.F) {
	for _, seed := range []string{
		ping, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami","arguments":{}}}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"hello"}}`,
		`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`, `[]`, "{\n}", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"x"}}`,
		`{"jsonrpc":"2.0","id":1e400,"method":"ping"}`, `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, `{"jsonrpc":"2.0","id":2,"method":"completion/complete","params":{}}`,
		`{"jsonrpc":"2.0","id":3,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`, `{"jsonrpc":"2.0","id":4,"method":"logging/setLevel","params":{"level":"info"}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		defer cost.Check(t, len(line))()
		fx := newFixture(t)
		got := fx.run(t, fx.agent(), hello+line+"\n"+`{"jsonrpc":"2.0","id":"last","method":"ping"}`+"\n")
		if strings.Contains(line, `last`) || strings.Contains(line, "subscriptions") {
			return
		}
		if len(got[`"last"`]) != 1 {
			t.Errorf("after %q: %v", line, got)
		}
	})
}

// FuzzHTTP checks that no body gets a response with the status 500.
func FuzzHTTP(f *testing.F) {
	f.Add(ping)
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami","arguments":null}}`)
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":null}`)
	f.Add(`{"jsonrpc":"2.0","id":null,"method":"ping"}`)
	f.Fuzz(func(t *testing.T, body string) {
		defer cost.Check(t, len(body))()
		fx := newFixture(t)
		if strings.Contains(body, "subscriptions") {
			return // which waits for events until the call times out
		}
		if status, text, _ := fx.send(fx.agent(), body); status >= 500 {
			t.Errorf("%q: status %d: %s", body, status, text)
		}
	})
}
