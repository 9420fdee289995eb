package repeat_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/repeat"
	"github.com/schedctl/schedctl/client/when"
)

func TestParseSlots(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"mon-fri 09:00":                   "mon-fri 09:00",
		"Mon–Fri 9:00":                    "mon-fri 09:00",
		"monday-friday 9am":               "mon-fri 09:00",
		"weekdays at 8:30":                "mon-fri 08:30",
		"every weekday 8:30":              "mon-fri 08:30",
		"tue,thu 9am,17:00":               "tue,thu 09:00,17:00",
		"tue, thu at 9am and 17:00":       "tue,thu 09:00,17:00",
		"tuesday and thursday 9:00 17:00": "tue,thu 09:00,17:00",
		"every mon 9:00":                  "mon 09:00",
		"daily noon":                      "daily 12:00",
		"every day at 0:00":               "daily 00:00",
		"mon-sun 7:15 pm":                 "daily 19:15",
		"weekends 10:00":                  "sat,sun 10:00",
		"fri-mon 10:00":                   "mon,fri-sun 10:00",
		"mon,wed-fri 10:00,":              "mon,wed-fri 10:00",
		"sat,sun,mon,tue 10:00":           "mon,tue,sat,sun 10:00",
	} {
		times, err := repeat.ParseSlots(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		words := strings.Join(repeat.SlotWords(times), "; ")
		if words != want {
			t.Errorf("%q: got %q, want %q", text, words, want)
		}
		again, err := repeat.ParseSlots(words)
		if diff := cmp.Diff(times, again); err != nil || diff != "" {
			t.Errorf("%q is not read back: %v\n%s", words, err, diff)
		}
	}
}

func TestSlotsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                  `"" has no slots`,
		"9:00":              `"9:00" has "9:00" where a weekday is expected`,
		"mon-fri":           `"mon-fri" has no time of day`,
		"mon-fry 9:00":      `"mon-fry 9:00" has "mon-fry" where a weekday is expected`,
		"mon 25:00":         `"mon 25:00" has "25:00" where a time of day is expected`,
		"mon 9:00 until":    `"mon 9:00 until" has "until" where a time of day is expected`,
		"mon 9:00:30":       `"mon 9:00:30" has "9:00:30" where a time of day is expected`,
		"someday 9:00":      `"someday 9:00" has "someday" where a weekday is expected`,
		"mon 9:00, tue 9am": `"mon 9:00, tue 9am" has "tue" where a time of day is expected`,
	} {
		_, err := repeat.ParseSlots(text)
		var misread *when.Error
		if !errors.As(err, &misread) || misread.Message != want || misread.Hint == "" || misread.Reason != when.Unreadable {
			t.Errorf("%q: got %#v, want %s", text, err, want)
		}
	}
	if _, err := repeat.ParseSlots(strings.Repeat("mon ", 1000)); err == nil {
		t.Error("a text without an end was read")
	}
}

// Slots with different days are different texts, in the order of their times.
func TestSlotWordsOfSeveralDays(t *testing.T) {
	t.Parallel()
	var times []schedctl.QueueTime
	for _, text := range []string{"sat 12:00", "mon-fri 17:00", "mon-fri 9:00", "sat 10:00"} {
		more, err := repeat.ParseSlots(text)
		if err != nil {
			t.Fatal(err)
		}
		times = append(times, more...)
	}
	if got, want := repeat.SlotWords(times), []string{"mon-fri 09:00,17:00", "sat 10:00,12:00"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
