// Package resulttext shows the results of published posts to people: numbers, sparklines, and
// why there are no numbers.
package resulttext

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// NotGiven stands for a number that a network does not give.
const NotGiven = "–"

// Number returns a number with commas, such as "1,204", or [NotGiven].
func Number(n *int64) string {
	if n == nil {
		return NotGiven
	}
	digits, sign := strconv.FormatInt(*n, 10), ""
	if *n < 0 {
		digits, sign = digits[1:], "-"
	}
	var groups []string
	for len(digits) > 3 {
		groups = append(groups, digits[len(digits)-3:])
		digits = digits[:len(digits)-3]
	}
	groups = append(groups, digits)
	slices.Reverse(groups)
	return sign + strings.Join(groups, ",")
}

// Percent returns a fraction as a percentage with one decimal, such as "2.5 %", or [NotGiven].
func Percent(f *float64) string {
	if f == nil {
		return NotGiven
	}
	return strconv.FormatFloat(100**f, 'f', 1, 64) + " %"
}

// The signs of sparklines, the lowest first.
var (
	bars      = []rune("▁▂▃▄▅▆▇█")
	asciiBars = []rune(".:-=#")
)

// Sparkline draws values with one sign for each, relative to the highest one. It is empty
// without values.
func Sparkline(values []int64, ascii bool) string {
	if len(values) == 0 {
		return ""
	}
	signs := bars
	if ascii {
		signs = asciiBars
	}
	most := max(1, slices.Max(values))
	var b strings.Builder
	for _, v := range values {
		b.WriteRune(signs[int(float64(max(0, v))/float64(most)*float64(len(signs)-1))])
	}
	return b.String()
}

// Ago returns how long ago a time was, in its largest unit, such as "2 h ago".
func Ago(d time.Duration) string {
	if d < time.Minute {
		return "just now"
	}
	return Age(d) + " ago"
}

// Age returns a duration in its largest unit, such as "2 h".
func Age(d time.Duration) string {
	switch d = max(d, 0); {
	case d < time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", d/time.Hour)
	}
	return fmt.Sprintf("%d d", d/(24*time.Hour))
}

// reasons say why there are no numbers, each after "no numbers: ".
var reasons = map[schedctl.ResultsReason]string{
	schedctl.ResultsRemoved:      "removed",
	schedctl.ResultsUnsupported:  "not given by the network",
	schedctl.ResultsOff:          "not read",
	schedctl.ResultsTooOld:       "published too long ago",
	schedctl.ResultsDisconnected: "account not connected",
	schedctl.ResultsMissingScope: "permission missing",
	schedctl.ResultsRefused:      "refused by the network",
	schedctl.ResultsPending:      "not read yet",
	schedctl.ResultsRateLimited:  "the network asked for fewer requests",
	schedctl.ResultsBudget:       "budget used up",
	schedctl.ResultsUnreachable:  "network not reached",
	schedctl.ResultsComplete:     "none given",
}

// Reason returns a reason in a few words. An unknown one is shown as it is.
func Reason(r *schedctl.ResultsReason) string {
	if r == nil {
		return reasons[schedctl.ResultsPending]
	}
	if text := reasons[*r]; text != "" {
		return text
	}
	return strings.ReplaceAll(string(*r), "_", " ")
}

// HasNumbers reports whether a target has any number.
func HasNumbers(r *apiv1.AnalyticsRow) bool {
	return r.Engagements != nil || r.Views != nil || r.Clicks != nil || r.Reach != nil
}

// Missing says how many of some targets have no numbers, and why. It is empty if all have some.
func Missing(rows []apiv1.AnalyticsRow) string {
	counts, missing := map[string]int{}, 0
	for i := range rows {
		if !HasNumbers(&rows[i]) {
			counts[Reason(rows[i].Reason)]++
			missing++
		}
	}
	if missing == 0 {
		return ""
	}
	var parts []string
	for reason, n := range counts {
		parts = append(parts, fmt.Sprintf("%d %s", n, reason))
	}
	slices.Sort(parts)
	slices.SortStableFunc(parts, func(a, b string) int { return count(b) - count(a) })
	return fmt.Sprintf("%d of %d without numbers: %s", missing, len(rows), strings.Join(parts, ", "))
}

func count(part string) int {
	text, _, _ := strings.Cut(part, " ")
	n, _ := strconv.Atoi(text)
	return n
}

// Line sums up a target in one line, such as "1,204 views · 31 reactions · 4 replies (2 h ago)",
// with all numbers that are given, or the reason why there are none.
func Line(r *apiv1.AnalyticsRow, now time.Time) string {
	var parts []string
	add := func(n *int64, one, many string) {
		switch {
		case n == nil:
		case *n == 1:
			parts = append(parts, "1 "+one)
		default:
			parts = append(parts, Number(n)+" "+many)
		}
	}
	add(r.Views, "view", "views")
	add(r.Reactions, "reaction", "reactions")
	add(r.Replies, "reply", "replies")
	add(r.Reposts, "repost", "reposts")
	add(r.Quotes, "quote", "quotes")
	add(r.Saves, "save", "saves")
	add(r.Clicks, "click", "clicks")
	text := strings.Join(parts, " · ")
	if r.Estimated && text != "" {
		text = "~" + text
	}
	if text == "" {
		text = "no numbers: " + Reason(r.Reason)
	} else if r.LastRefreshAt != nil {
		text += " (" + Ago(now.Sub(r.LastRefreshAt.Time)) + ")"
	}
	if r.RemovedAt != nil && len(parts) > 0 {
		text += " · removed"
	}
	return text
}
