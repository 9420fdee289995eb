package main

import (
	"testing"
	"time"
)

func TestJudgeSlowConnections(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		without, with []time.Duration
		held          int64
		want          verdict
	}{
		"no slower":                       {[]time.Duration{10, 11, 12, 10}, []time.Duration{11, 11, 12}, 1000, pass},
		"just below the limit":            {[]time.Duration{10, 10, 10, 10}, []time.Duration{19, 20, 20}, 1000, pass},
		"one disturbed window":            {[]time.Duration{10, 10, 10, 10}, []time.Duration{12, 90, 12}, 1000, pass},
		"too slow":                        {[]time.Duration{10, 10, 10, 10}, []time.Duration{21, 22, 12}, 1000, fail},
		"too slow while all windows vary": {[]time.Duration{10, 30, 10, 10}, []time.Duration{21, 82, 52}, 1000, skipped},
		"too few connections":             {[]time.Duration{10, 10, 10, 10}, []time.Duration{10, 10, 10}, 999, fail},
	} {
		crowd := &slowConnections{}
		crowd.held.Store(tt.held)
		if r := judgeSlowConnections(slowWindows{tt.without, tt.with}, crowd); r.Verdict != tt.want {
			t.Errorf("%s: %s, want %s: %s", name, r.Verdict, tt.want, r.Detail)
		}
	}
}
