package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl/client/apiv1"
)

// surfaceTexts are what surfaces show of a post or a series, by the name of the surface,
// and what they report on standard error.
type surfaceTexts struct {
	r               *surfaceRig
	shown, reported map[string]string
}

func (r *surfaceRig) texts() *surfaceTexts {
	return &surfaceTexts{r, map[string]string{}, map[string]string{}}
}

// add adds a text.
func (s *surfaceTexts) add(surface, text string) { s.shown[surface] = s.r.names.replace(text) }

// addJSON adds a JSON text, with line breaks.
func (s *surfaceTexts) addJSON(surface, text string) {
	var v any
	s.r.ok(json.Unmarshal([]byte(text), &v))
	s.add(surface, indented(s.r.t, json.RawMessage(text)))
}

func indented(t *testing.T, v any) string {
	t.Helper()
	out, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(out) + "\n"
}

// run adds the output of a command.
func (s *surfaceTexts) run(surface string, args ...string) {
	s.r.t.Helper()
	out, err := s.r.do(args...)
	s.add(surface, unfolded(out))
	s.reported[surface] = s.r.names.replace(err)
}

// unfolded joins the lines of a calendar that were folded in the middle of ids.
func unfolded(text string) string { return strings.ReplaceAll(text, "\r\n ", "") }

// onTerminal adds the output of a command on a terminal.
func (s *surfaceTexts) onTerminal(surface string, args ...string) {
	s.r.t.Helper()
	s.r.terminals()
	s.run(surface, args...)
	s.r.InTerminal, s.r.OutTerminal, s.r.ErrTerminal = false, false, false
}

// mcp adds the result of a tool.
func (s *surfaceTexts) mcp(surface, tool string, arguments map[string]any) {
	s.r.t.Helper()
	s.addJSON(surface, s.r.tool(tool, arguments))
}

// tool calls a tool of agents and returns its result.
func (r *surfaceRig) tool(name string, arguments map[string]any) string {
	r.t.Helper()
	out := r.request("POST", "/mcp", map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": name, "arguments": arguments}})
	var result struct {
		Result struct {
			IsError           bool
			StructuredContent json.RawMessage
		}
	}
	r.ok(json.Unmarshal([]byte(out), &result))
	if result.Result.IsError || result.Result.StructuredContent == nil {
		r.t.Errorf("%s: %s", name, out)
		return "{}"
	}
	return string(result.Result.StructuredContent)
}

// follow collects the events of the stream while do runs.
func (r *surfaceRig) follow(do func()) (events []apiv1.Event) {
	ctx, stop := context.WithCancel(r.t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		r.api.EventStream(ctx, "", func(string) {}, func(e apiv1.Event) { events = append(events, e) })
	}()
	synctest.Wait()
	do()
	time.Sleep(time.Second) // of the bubble
	synctest.Wait()
	stop()
	<-ended
	return events
}

// compareGolden compares the texts with the files in a directory below testdata/surface.
func (s *surfaceTexts) compareGolden(dir string) {
	s.r.t.Helper()
	for name, text := range s.shown {
		if report := s.reported[name]; report != "" {
			text += "\n-- standard error --\n" + report
		}
		compareSurface(s.r.t, filepath.Join("testdata", "surface", dir, name+".golden"), text)
	}
}

func compareSurface(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs; if this is intended, run with -update (-want +got):\n%s", path, diff)
	}
}
