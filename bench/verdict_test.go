package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestVerdictOfARatio(t *testing.T) {
	t.Parallel()
	quiet := func(subject float64) comparison {
		return comparison{{sample{subject}, [2]sample{{100}, {100}}}}
	}
	noisy := func(subject float64) comparison {
		return comparison{{sample{subject}, [2]sample{{80}, {120}}}}
	}
	for _, tt := range []struct {
		name string
		c    comparison
		goal goal
		want verdict
	}{
		{"reached", quiet(80), goal{atLeast: 0.8}, pass},
		{"missed", quiet(79), goal{atLeast: 0.8}, fail},
		{"a limit kept", quiet(140), goal{atMost: 1.4}, pass},
		{"a limit passed", quiet(141), goal{atMost: 1.4}, fail},
		{"reached with a control that varies", noisy(200), goal{atLeast: 0.8}, inconclusive},
		{"missed with a control that varies", noisy(10), goal{atLeast: 0.8}, inconclusive},
		{"without a goal", noisy(10), goal{}, note},
		{"nothing measured", comparison{{sample{math.NaN()}, [2]sample{{math.NaN()}, {math.NaN()}}}}, goal{atMost: 2}, inconclusive},
	} {
		if got := tt.c.row("case", 0, tt.goal, "µs"); got.Verdict != tt.want {
			t.Errorf("%s: %s with %s for %s, want %s", tt.name, got.Verdict, got.Measured, got.Goal, tt.want)
		}
	}
}

func TestRowSaysWhatWasMeasured(t *testing.T) {
	t.Parallel()
	r := comparison{{sample{90}, [2]sample{{110}, {90}}}}.row("case", 0, goal{atLeast: 0.8}, "posts/s").detailed("of %d", 7)
	want := result{Case: "case", Value: 0.9, Measured: "0.90 ×", Goal: "≥ 0.80 ×", Verdict: pass, Detail: "90 against 100 posts/s; the control varied by 20 %; of 7"}
	if r != want {
		t.Errorf("got %+v, want %+v", r, want)
	}
}

func TestVerdictOfALimit(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	for _, tt := range []struct {
		name    string
		value   time.Duration
		control []time.Duration
		want    verdict
	}{
		{"kept", 25 * ms, nil, pass},
		{"passed", 26 * ms, nil, fail},
		{"kept with a quiet control", 25 * ms, []time.Duration{1 * ms, 5 * ms}, pass},
		{"passed with a quiet control", 26 * ms, []time.Duration{1 * ms, 5 * ms}, fail},
		{"kept with a control that varies", 25 * ms, []time.Duration{1 * ms, 11 * ms}, inconclusive},
		{"passed with a control that varies", 26 * ms, []time.Duration{1 * ms, 11 * ms}, inconclusive},
	} {
		if got := within("case", tt.value, 25*ms, tt.control...); got.Verdict != tt.want {
			t.Errorf("%s: %s, want %s (%s)", tt.name, got.Verdict, tt.want, got.Detail)
		}
	}
	if got := holds("case", 65, 64); got.Verdict != fail || got.Measured != "65 B" {
		t.Errorf("65 of 64 bytes: %+v", got)
	}
}

func TestLossesFailACase(t *testing.T) {
	t.Parallel()
	reached := result{Case: "case", Verdict: pass}
	for _, tt := range []struct {
		counts counts
		want   verdict
	}{
		{counts{Checked: 3}, pass},
		{counts{Checked: 3, Lost: 1}, fail},
		{counts{Checked: 3, Twice: 1}, fail},
		{counts{Checked: 3, Early: 1}, fail},
		{counts{Checked: 3, Failed: 1}, fail},
		{counts{Checked: 3, Control: 1}, inconclusive},
		{counts{Checked: 3, Control: 1, Lost: 1}, fail},
	} {
		r := newReport(false)
		r.add([]result{reached, {Case: "a note", Verdict: note}}, tt.counts)
		if got := r.Results[0].Verdict; got != tt.want || r.passed() != (tt.want != fail) {
			t.Errorf("%s: passed %v, %s", tt.counts, r.passed(), got)
		}
		if got := r.Results[1].Verdict; tt.want != fail && got != note {
			t.Errorf("%s: a note becomes %s", tt.counts, got)
		}
	}
	r := newReport(false)
	r.add(nil, counts{Checked: 1, Lost: 1})
	if r.passed() {
		t.Error("a loss in a case without rows is ignored")
	}
}

func TestEmptyReportFails(t *testing.T) {
	t.Parallel()
	r := newReport(false)
	nothing := comparison{{sample{0}, [2]sample{{0}, {0}}}}.row("case", 0, goal{atMost: 2}, "µs")
	r.add([]result{nothing, notMeasured("other", errors.New("no daemon"))}, counts{})
	path := filepath.Join(t.TempDir(), "last.json")
	if err := r.write(path); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var read struct {
		Results []map[string]any `json:"results"`
	}
	if err := json.Unmarshal(data, &read); err != nil {
		t.Fatal(err)
	}
	if len(read.Results) != 2 || read.Results[0]["verdict"] != "inconclusive" || read.Results[1]["verdict"] != "FAIL" || read.Results[1]["detail"] != "no daemon" {
		t.Errorf("%v", read.Results)
	}
	if r.passed() {
		t.Error("a case that could not be measured has passed")
	}
	if got := notMeasured("other", fmt.Errorf("no clock: %w", errors.ErrUnsupported)); got.Verdict != note {
		t.Errorf("what this system does not have: %s", got.Verdict)
	}
}

func TestReportCountsInconclusiveRows(t *testing.T) {
	t.Parallel()
	r := newReport(true)
	r.add([]result{
		{Case: "fast", Verdict: pass, CPU: 17, Memory: 2e6},
		{Case: "noisy", Verdict: inconclusive, Detail: "the control varied by 50 %"},
	}, counts{Checked: 5})
	var text strings.Builder
	if err := r.print(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"1 passed, 0 failed, 1 inconclusive; 5 checked: 0 lost, 0 twice, 0 early", "17 µs", "2.0 MB", "noisy\n    the control varied by 50 %"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is missing in\n%s", want, &text)
		}
	}
	if !r.passed() {
		t.Error("an inconclusive case fails the run")
	}
}

func TestRowWithoutGoal(t *testing.T) {
	t.Parallel()
	r := within("case", time.Second, time.Millisecond).withoutGoal("this machine is too small")
	if r.Goal != "" || r.Verdict != note || r.Measured != "1.00 s" || r.Detail != "this machine is too small" {
		t.Errorf("%+v", r)
	}
	if r := within("case", time.Second, time.Millisecond).withoutGoal(""); r.Verdict != note || r.Detail != "" {
		t.Errorf("%+v", r)
	}
}

// Arrivals in the middle period are compared with those before and after it.
func TestP99Between(t *testing.T) {
	t.Parallel()
	first := time.Date(2026, 6, 2, 12, 0, 0, 0, time.UTC)
	started := [4]time.Time{first, first.Add(time.Second), first.Add(2 * time.Second), first.Add(3 * time.Second)}
	var arrived []arrival
	for i, late := range []time.Duration{time.Millisecond, 6 * time.Millisecond, 3 * time.Millisecond} {
		since := started[i].Add(time.Millisecond)
		arrived = append(arrived, arrival{Since: since, At: since.Add(late)})
	}
	if got := p99Between(started, arrived).ratio(0); got != 3 {
		t.Errorf("%v ×, want 3", got)
	}
}

// A goal for machines that publish 10,000 posts a second applies only to those.
func TestIfCapable(t *testing.T) {
	t.Parallel()
	for loop, want := range map[float64]verdict{capableLoopRate: fail, capableLoopRate - 1: note} {
		b := &bench{loopRate: loop}
		rows, err := b.withGoalIfCapable(t.Context(), within("case", time.Second, time.Millisecond), new(counts))
		if err != nil || len(rows) != 1 || rows[0].Verdict != want {
			t.Errorf("a loop of %.0f a second: %+v, %v", loop, rows, err)
		}
	}
}
