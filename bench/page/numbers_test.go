package main

import "testing"

func TestReadable(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"1.239e+04 against 2.444e+04 posts/s": "12,390 against 24,440 posts/s",
		"1535 against 804.1 posts/s":          "1,535 against 804.1 posts/s",
		"9235 against 811.1 µs; 8123226 µs":   "9.2 ms against 811 µs; 8.1 s",
		"median 0.42 ms, last 23.91 s":        "median 420 µs, last 24 s",
		"≤ 2.00 s":                            "≤ 2 s",
		"≤ 40.0 MB":                           "≤ 40 MB",
		"0.84 ×":                              "0.84 ×",
		"999.7 ms":                            "1 s",
		"10000 within 1s: p99":                "10,000 within 1s: p99",
		"with /posts?limit=10000&cursor=AQ1e+04: 0.80 ×":                    "with /posts?limit=10000&cursor=AQ1e+04: 0.80 ×",
		"the control 6.16 ms; it varied by +Inf % of the goal; median 1 ms": "the control 6.2 ms; median 1 ms",
	} {
		if got := readable(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
