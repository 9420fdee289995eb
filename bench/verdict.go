package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// verdict is the verdict on a measurement.
type verdict string

const (
	pass         verdict = "pass"
	fail         verdict = "FAIL"
	inconclusive verdict = "inconclusive" // the control itself varied too much
	note         verdict = "-"            // measured without a goal
)

// noisy is how much a control may vary before the comparison is inconclusive: relative
// to its median, or to the limit where the goal is a limit.
const noisy = 0.35

// judge returns the verdict on whether a goal was reached. It is inconclusive when the
// control varies too much.
func judge(reached bool, spread float64) verdict {
	switch {
	case !(spread <= noisy): // also when the spread is NaN
		return inconclusive
	case reached:
		return pass
	}
	return fail
}

// result is one row of the table.
type result struct {
	Case     string  `json:"case"`
	Value    float64 `json:"value"` // ratio, nanoseconds or bytes
	Measured string  `json:"measured"`
	Goal     string  `json:"goal"`
	Verdict  verdict `json:"verdict"`
	Detail   string  `json:"detail"`
	CPU      float64 `json:"cpu_per_op_us,omitempty"`  // processor time of the subject per operation, in µs
	Memory   int64   `json:"rss_anon_bytes,omitempty"` // anonymous memory of the subject
}

// with adds the cost of the subject.
func (r result) with(c *cost) result {
	r.CPU, r.Memory = c.perOp(), c.memory
	return r
}

// detailed adds to the detail.
func (r result) detailed(format string, args ...any) result {
	parts := []string{r.Detail, fmt.Sprintf(format, args...)}
	r.Detail = strings.TrimPrefix(strings.Join(parts, "; "), "; ")
	return r
}

// goal is the goal for a ratio: one of the two limits, or neither for a row without a
// goal.
type goal struct{ atLeast, atMost float64 }

func (g goal) String() string {
	switch {
	case g.atLeast > 0:
		return fmt.Sprintf("≥ %.2f ×", g.atLeast)
	case g.atMost > 0:
		return fmt.Sprintf("≤ %.2f ×", g.atMost)
	}
	return ""
}

func (g goal) reached(v float64) bool {
	return (g.atLeast == 0 || v >= g.atLeast) && (g.atMost == 0 || v <= g.atMost)
}

// row returns a row for a ratio. unit is the unit of the figure.
func (c comparison) row(name string, figure int, g goal, unit string) result {
	v, spread := c.ratio(figure), c.spread(figure)
	r := result{
		Case: name, Value: v, Measured: fmt.Sprintf("%.2f ×", v), Goal: g.String(), Verdict: note,
		Detail: fmt.Sprintf("%.4g against %.4g %s; the control varied by %.0f %%",
			median(c.subjects(figure)), median(c.controls(figure)), unit, spread*100),
	}
	if g != (goal{}) {
		r.Verdict = judge(g.reached(v), spread)
	}
	if math.IsNaN(v) || math.IsInf(v, 0) { // nothing arrived; the counts show it
		r.Value, r.Measured = 0, "not measured"
	}
	return r
}

// within returns a row for a duration with a limit. control are durations of a control
// without the measured part, if any; their variation shows whether the machine was
// quiet enough.
func within(name string, value, limit time.Duration, control ...time.Duration) result {
	r := result{Case: name, Value: float64(value), Measured: formatDuration(value), Goal: "≤ " + formatDuration(limit)}
	spread := 0.0
	if len(control) > 0 {
		spread = float64(slices.Max(control)-slices.Min(control)) / float64(limit)
		r.Detail = fmt.Sprintf("the control %s; it varied by %.0f %% of the goal", formatDuration(quantile(control, 0.5)), spread*100)
	}
	r.Verdict = judge(value <= limit, spread)
	return r
}

// withoutGoal removes the goal of a row, and adds the reason, if any.
func (r result) withoutGoal(why string) result {
	r.Goal, r.Verdict = "", note
	if why != "" {
		r = r.detailed("%s", why)
	}
	return r
}

// holds returns a row for an amount of memory in bytes with a limit.
func holds(name string, value, limit float64) result {
	return result{Case: name, Value: value, Measured: formatBytes(value), Goal: "≤ " + formatBytes(limit), Verdict: judge(value <= limit, 0)}
}

// notMeasured returns the row of a case that failed with an error. A case that is not
// supported on this system does not fail.
func notMeasured(name string, err error) result {
	r := result{Case: name, Measured: "not measured", Verdict: fail, Detail: err.Error()}
	if errors.Is(err, errors.ErrUnsupported) {
		r.Verdict = note
	}
	return r
}

func formatDuration(d time.Duration) string {
	switch {
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.2f ms", float64(d)/1e6)
	case d < time.Second:
		return fmt.Sprintf("%.0f ms", float64(d)/1e6)
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}

func formatBytes(n float64) string {
	if n < 10_000 {
		return fmt.Sprintf("%.0f B", n)
	}
	return fmt.Sprintf("%.1f MB", n/1e6)
}
