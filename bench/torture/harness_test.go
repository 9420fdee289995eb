package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func testHarness(t *testing.T) *harness {
	t.Helper()
	program := filepath.Join(t.TempDir(), "schedctl")
	if err := os.WriteFile(program, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	h, err := newHarness(options{daemon: program, seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(h.dir) })
	return h
}

// While one scenario waits, the next one works; otherwise they run one after another.
func TestScenariosTakeTurns(t *testing.T) {
	t.Parallel()
	h := testHarness(t)
	working, worked := 0, make(chan struct{})
	work := func() {
		if working++; working != 1 { // checked by the race detector, too
			t.Error("two scenarios are working")
		}
		working--
	}
	results := h.runAll(t.Context(), []scenario{
		{"waits", "", func(context.Context, *harness) (result, error) {
			work()
			err := h.idle(func() error { <-worked; return nil })
			work()
			return result{Verdict: pass}, err
		}},
		{"works", "it works", func(context.Context, *harness) (result, error) {
			work()
			close(worked)
			return result{Verdict: skipped}, nil
		}},
		{"breaks", "", func(context.Context, *harness) (result, error) {
			work()
			return result{Verdict: pass}, errors.New("no network")
		}},
	})
	var got []string
	for _, r := range results {
		got = append(got, r.Scenario+" "+string(r.Verdict)+" "+r.Promise+r.Detail)
	}
	if want := "waits pass |works skipped it works|breaks FAIL no network"; strings.Join(got, "|") != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if passed(results) || !passed(results[:2]) {
		t.Error("a scenario that was skipped failed, or one that failed passed")
	}
}

func TestRandomChoicesFollowFromTheSeed(t *testing.T) {
	t.Parallel()
	h, again := testHarness(t), testHarness(t)
	if a, b := h.random("x").Uint64(), again.random("x").Uint64(); a != b {
		t.Errorf("with one seed %d and %d", a, b)
	}
	if a, b := h.random("x").Uint64(), h.random("y").Uint64(); a == b {
		t.Error("two names share their numbers")
	}
}

func TestResultsAreWritten(t *testing.T) {
	t.Parallel()
	results := []result{{
		Scenario: "kill", Promise: "nothing is lost", Verdict: fail, Detail: "one is missing", Took: duration(1234 * time.Millisecond),
		Counts: map[string]int64{"kills": 5, "lost": 1, "acknowledged": 9},
	}}
	var table bytes.Buffer
	printTable(&table, results)
	for _, want := range []string{"kill      FAIL     1.2s  acknowledged 9, lost 1, kills 5\n", "\nkill: one is missing\n"} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("%q missing in\n%s", want, &table)
		}
	}
	path := filepath.Join(t.TempDir(), "last.json")
	if err := writeResults(options{out: path, quick: true, seed: 7}, results); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		At      time.Time
		CPUs    int
		Seed    uint64
		Quick   bool
		Results []map[string]any
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	if file.At.IsZero() || file.CPUs == 0 || file.Seed != 7 || !file.Quick || len(file.Results) != 1 ||
		file.Results[0]["took"] != "1.2s" || file.Results[0]["verdict"] != "FAIL" {
		t.Errorf("wrote %s", data)
	}
}
