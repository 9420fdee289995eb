package when_test

import (
	"errors"
	"testing"
	"time"

	"github.com/schedctl/schedctl/client/when"
)

func TestParseDuration(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"90s":          90 * time.Second,
		"2h30m":        150 * time.Minute,
		"1d":           24 * time.Hour,
		"2w":           14 * 24 * time.Hour,
		"1w2d3h4m5s":   9*24*time.Hour + 3*time.Hour + 4*time.Minute + 5*time.Second,
		"500ms":        500 * time.Millisecond,
		" 2h ":         2 * time.Hour,
		"1 day, 2 hrs": 26 * time.Hour,
		"0s":           0,
		"1.5h":         90 * time.Minute,
		"1h30":         90 * time.Minute,
		"two hours":    2 * time.Hour,
	} {
		if got, err := when.ParseDuration(text); err != nil || got != want {
			t.Errorf("%q: got %v and %v, want %v", text, got, err, want)
		}
	}
	for text, reason := range map[string]when.Reason{
		"":                         when.Unreadable,
		"soon":                     when.Unreadable,
		"2x":                       when.Unreadable,
		"-2h":                      when.Unreadable,
		"+2h":                      when.Unreadable,
		"2h later":                 when.Unreadable,
		"1.5d":                     when.Unreadable,
		"1,5h":                     when.Unreadable,
		"1 month":                  when.Unreadable,
		"2m3h":                     when.Unreadable,
		"5s5s":                     when.Unreadable,
		"90":                       when.Ambiguous,
		"99999999999999999999s":    when.Unreadable,
		"9223372036854775807h":     when.Unreadable,
		"4000001d":                 when.Unreadable,
		"300000d":                  when.Unreadable, // more than a time.Duration holds
		"2562047h2562047m9999999s": when.Unreadable,
	} {
		var e *when.Error
		if got, err := when.ParseDuration(text); !errors.As(err, &e) {
			t.Errorf("%q: got %v and %v, want an error", text, got, err)
		} else if e.Reason != reason || e.Hint == "" {
			t.Errorf("%q: got %v (%v), want %v and a hint", text, e, e.Reason, reason)
		}
	}
}
