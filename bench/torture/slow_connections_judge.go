package main

import (
	"fmt"
	"slices"
	"time"
)

// slowWindows holds the p99 of honest requests in alternating windows. The first and
// the last are without slow connections.
type slowWindows struct{ without, with []time.Duration }

// slower returns the slowdown with slow connections: the median over the windows, each
// compared with its two neighbors, so that a disturbance in one window does not count.
func (w slowWindows) slower() float64 {
	ratios := make([]float64, len(w.with))
	for i, with := range w.with {
		ratios[i] = 2 * float64(with) / float64(w.without[i]+w.without[i+1])
	}
	slices.Sort(ratios)
	return ratios[len(ratios)/2]
}

// spread returns by what factor the windows without slow connections vary.
func (w slowWindows) spread() float64 {
	return float64(slices.Max(w.without)) / float64(slices.Min(w.without))
}

// judgeSlowConnections compares the windows. When those without slow connections vary
// by more than the limit, a failure is inconclusive.
func judgeSlowConnections(w slowWindows, crowd *slowConnections) result {
	slower, spread := w.slower(), w.spread()
	r := result{Verdict: pass, Counts: map[string]int64{
		"held": crowd.held.Load(), "cut_off": crowd.cut.Load(), "p99_percent": int64(100 * slower),
		"control_p99_us": slices.Sorted(slices.Values(w.without))[len(w.without)/2].Microseconds(),
	}}
	switch {
	case crowd.held.Load() < slowConnectionCount:
		r.Verdict, r.Detail = fail, fmt.Sprintf("only %d connections were open: %v", crowd.held.Load(), crowd.failed.err)
	case slower > maxSlowdown && spread > maxSlowdown:
		r.Verdict, r.Detail = skipped, fmt.Sprintf("inconclusive: without slow connections the p99 varies by a factor of %.1f", spread)
	case slower > maxSlowdown:
		r.Verdict, r.Detail = fail, fmt.Sprintf("with %d slow connections the p99 of honest requests is %.1f times the p99 without them", slowConnectionCount, slower)
	}
	return r
}

func p99(took []time.Duration) time.Duration {
	slices.Sort(took)
	return took[len(took)*99/100]
}
