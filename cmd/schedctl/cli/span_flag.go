package cli

import (
	"github.com/schedctl/schedctl/client/when"
)

// SpanFlag is the value of a flag that is added to a time: its days, weeks and months keep
// the local time of day when clocks change.
type SpanFlag struct {
	when.Span
	Given  bool
	Signed bool // the span may be negative
}

// Limits of a span, a hundred years.
const (
	maxSpanMonths = 1200
	maxSpanDays   = 36_525
)

// Set reads the value.
func (s *SpanFlag) Set(text string) error {
	span, err := when.ParseSpan(text)
	if err != nil {
		return err
	}
	away := span
	if span.Months < 0 || span.Days < 0 || span.Elapsed < 0 {
		away = span.Negative()
	}
	switch {
	case away != span && !s.Signed:
		return &when.Error{Reason: when.Unreadable, Text: text, Message: "it is negative: " + text, Hint: "give a duration without a minus, such as 2h30m or 1d"}
	case away.Months > maxSpanMonths || away.Days > maxSpanDays || away.Elapsed.Hours() > maxSpanDays*24:
		return &when.Error{Reason: when.Unreadable, Text: text, Message: text + " is longer than 100 years", Hint: "give a shorter duration"}
	}
	s.Span, s.Given = span, true
	return nil
}

// Type names the value in help texts.
func (*SpanFlag) Type() string { return "duration" }
