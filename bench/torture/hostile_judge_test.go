package main

import (
	"testing"
	"time"
)

// TestHostileJudge guards that late posts of the neighbor are found, and that a machine
// that does not run programs is not a fault of the daemon.
func TestHostileJudge(t *testing.T) {
	for _, test := range []struct {
		name            string
		beside, stalled time.Duration
		late            bool
	}{
		{"on time", 1200 * time.Millisecond, 0, false},
		{"late", 1400 * time.Millisecond, 0, true},
		{"late on a machine that stalled", 1400 * time.Millisecond, 200 * time.Millisecond, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			j := new(verdictCollector)
			alone := []time.Duration{100 * time.Millisecond, 300 * time.Millisecond}
			j.judgeNeighbor(alone, []time.Duration{50 * time.Millisecond, test.beside}, test.stalled)
			if late := j.violations[stuckRecord] == 1; late != test.late {
				t.Errorf("violations %v, want late %t", j.violations, test.late)
			}
		})
	}
}
