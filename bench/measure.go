package main

import (
	"fmt"
	"slices"
	"time"
)

// verdict is what a measurement says about its goal.
type verdict string

const (
	pass         verdict = "pass"
	fail         verdict = "FAIL"
	inconclusive verdict = "inconclusive" // the control itself varied too much
	note         verdict = "-"            // measured without a goal
)

// result is one row of the table.
type result struct {
	Case     string  `json:"case"`
	Value    float64 `json:"value"`
	Measured string  `json:"measured"`
	Goal     string  `json:"goal"`
	Verdict  verdict `json:"verdict"`
	Detail   string  `json:"detail"`
}

// noisy is how much a control may vary, as (max-min)/median, before its
// comparison says nothing.
const noisy = 0.35

// compare runs control and subject in turn, in changing order, and returns the
// values of both. Higher or lower is better as the caller decides.
func compare(rounds int, control, subject func() (float64, error)) (controls, subjects []float64, err error) {
	for i := range rounds {
		runs := []func() error{
			func() error { return appendValue(&controls, control) },
			func() error { return appendValue(&subjects, subject) },
		}
		if i%2 == 1 {
			slices.Reverse(runs)
		}
		for _, run := range runs {
			if err := run(); err != nil {
				return nil, nil, err
			}
		}
	}
	return controls, subjects, nil
}

func appendValue(to *[]float64, measure func() (float64, error)) error {
	v, err := measure()
	*to = append(*to, v)
	return err
}

// ratio is one row that compares the medians of subject and control.
type ratio struct {
	name               string
	controls, subjects []float64
	atLeast, atMost    float64 // one of them is the goal; neither for a note
	unit               string
}

func (r ratio) result() result {
	c, s := median(r.controls), median(r.subjects)
	out := result{Case: r.name, Value: s / c, Measured: fmt.Sprintf("%.2f ×", s/c), Verdict: pass,
		Detail: fmt.Sprintf("%.0f against %.0f %s", s, c, r.unit)}
	missed := false
	switch {
	case r.atLeast > 0:
		out.Goal, missed = fmt.Sprintf("≥ %.2f ×", r.atLeast), out.Value < r.atLeast
	case r.atMost > 0:
		out.Goal, missed = fmt.Sprintf("≤ %.2f ×", r.atMost), out.Value > r.atMost
	default:
		out.Verdict = note
	}
	spread := (slices.Max(r.controls) - slices.Min(r.controls)) / c
	switch {
	case missed && spread > noisy:
		out.Verdict = inconclusive
		out.Detail += fmt.Sprintf("; the control varied by %.0f %%", spread*100)
	case missed:
		out.Verdict = fail
	}
	return out
}

// atMost is a row with a limit of its own, for what has no baseline.
func atMost[T float64 | time.Duration | int64](name string, value, limit T, format func(T) string, detail string) result {
	r := result{Case: name, Value: float64(value), Measured: format(value), Goal: "≤ " + format(limit), Verdict: pass, Detail: detail}
	if value > limit {
		r.Verdict = fail
	}
	return r
}

func median(v []float64) float64 { return percentile(v, 0.5) }

func percentile(v []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(v))
	return sorted[int(float64(len(sorted)-1)*q)]
}

// formatDuration prints a time in a table.
func formatDuration(d time.Duration) string {
	if d < 10*time.Millisecond {
		return fmt.Sprintf("%.2f ms", float64(d)/1e6)
	}
	return fmt.Sprintf("%.0f ms", float64(d)/1e6)
}
