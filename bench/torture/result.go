package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// verdict says whether a promise was kept.
type verdict string

const (
	pass    verdict = "pass"
	fail    verdict = "FAIL"
	skipped verdict = "skipped" // not possible on this machine; Detail has the reason
)

// result is the result of a scenario. The harness fills in Scenario, Promise and Took.
type result struct {
	Scenario string           `json:"scenario"`
	Promise  string           `json:"promise"`
	Verdict  verdict          `json:"verdict"`
	Counts   map[string]int64 `json:"counts"` // acknowledged, lost, twice, stuck, kills …
	Detail   string           `json:"detail"`
	Took     duration         `json:"took"`
}

// duration is formatted with one decimal, as "12.3s".
type duration time.Duration

func (d duration) String() string { return time.Duration(d).Round(100 * time.Millisecond).String() }

// MarshalText formats the duration as String does.
func (d duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText parses the output of MarshalText.
func (d *duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	*d = duration(parsed)
	return err
}

// passed reports whether no promise was broken.
func passed(results []result) bool {
	return !slices.ContainsFunc(results, func(r result) bool { return r.Verdict == fail })
}

// leadingCounts are shown first, in this order; others follow by name.
var leadingCounts = []string{"acknowledged", "lost", "twice", "stuck"}

// counts returns the counts as text.
func (r result) counts() string {
	rank := func(name string) int {
		if i := slices.Index(leadingCounts, name); i >= 0 {
			return i
		}
		return len(leadingCounts)
	}
	names := slices.SortedFunc(maps.Keys(r.Counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
	})
	var out []string
	for _, name := range names {
		out = append(out, fmt.Sprintf("%s %d", name, r.Counts[name]))
	}
	return strings.Join(out, ", ")
}

func printTable(out io.Writer, results []result) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "scenario\tverdict\ttook\tcounts")
	for _, r := range results {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", r.Scenario, r.Verdict, r.Took, r.counts())
	}
	w.Flush()
	for _, r := range results {
		if r.Detail != "" {
			fmt.Fprintf(out, "\n%s: %s\n", r.Scenario, r.Detail)
		}
	}
}

func writeResults(o options, results []result) error {
	data, err := json.MarshalIndent(struct {
		At      time.Time `json:"at"`
		CPUs    int       `json:"cpus"`
		Seed    uint64    `json:"seed"`
		Quick   bool      `json:"quick"`
		Results []result  `json:"results"`
	}{time.Now().UTC().Truncate(time.Second), runtime.NumCPU(), o.seed, o.quick, results}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(o.out, append(data, '\n'), 0o644)
}
