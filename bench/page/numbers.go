package main

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

const figure = `([0-9]+(?:\.[0-9]+)?(?:e\+[0-9]+)?)`

var (
	unbounded  = regexp.MustCompile(`; it varied by \+Inf % of the goal`)
	comparison = regexp.MustCompile(figure + ` against ` + figure + ` µs`)
	duration   = regexp.MustCompile(figure + ` (µs|ms|s)\b`)
	wholeMB    = regexp.MustCompile(`\.0 MB`)
	large      = regexp.MustCompile(`(^|[ (])([0-9]{4,}(?:\.[0-9]+)?|[0-9](?:\.[0-9]+)?e\+[0-9]+)\b`)
)

// readable writes the figures in a text as people do: 12,400 for 1.24e+04, and 7.2 s
// for 7.23 s or 7230000 µs. It leaves paths and ratios alone.
func readable(text string) string {
	text = unbounded.ReplaceAllString(text, "")
	text = comparison.ReplaceAllString(text, "$1 µs against $2 µs")
	text = duration.ReplaceAllStringFunc(text, func(s string) string {
		m := duration.FindStringSubmatch(s)
		seconds := map[string]float64{"µs": 1e-6, "ms": 1e-3, "s": 1}[m[2]]
		return formatSeconds(parse(m[1]) * seconds)
	})
	text = large.ReplaceAllStringFunc(text, func(s string) string {
		m := large.FindStringSubmatch(s)
		return m[1] + thousands(int64(math.Round(parse(m[2]))))
	})
	return wholeMB.ReplaceAllString(text, " MB")
}

func parse(figure string) float64 {
	n, err := strconv.ParseFloat(figure, 64)
	if err != nil {
		panic(err) // the regular expressions match numbers only
	}
	return n
}

// formatSeconds writes a duration with two digits, or all digits of a whole number
// of its unit.
func formatSeconds(seconds float64) string {
	unit, n := "s", seconds
	switch {
	case seconds < 0.9995e-3:
		unit, n = "µs", seconds*1e6
	case seconds < 0.9995:
		unit, n = "ms", seconds*1e3
	}
	if n < 9.95 {
		return strings.TrimSuffix(fmt.Sprintf("%.1f", n), ".0") + " " + unit
	}
	return fmt.Sprintf("%.0f %s", n, unit)
}
