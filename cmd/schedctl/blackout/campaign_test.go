package blackout

import (
	"testing"
	"time"
)

// TestLengthOfHold guards that a post that is moved by the length of a hold is not late, and
// keeps its time of day after a long one, also when clocks change.
func TestLengthOfHold(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	at := func(day, hour, minute, second int) time.Time {
		return time.Date(2026, 10, day, hour, minute, second, 0, berlin)
	}
	for _, tt := range []struct{ start, now, post, want time.Time }{
		{at(20, 9, 0, 30), at(20, 11, 15, 30), at(20, 10, 0, 0), at(20, 12, 16, 0)},
		{at(20, 9, 0, 0), at(21, 9, 0, 0), at(20, 10, 0, 0), at(21, 10, 1, 0)},
		{at(20, 9, 0, 0), at(21, 9, 30, 0), at(20, 10, 0, 0), at(22, 10, 0, 0)},
		{at(23, 9, 0, 0), at(26, 9, 30, 0), at(23, 10, 0, 0), at(27, 10, 0, 0)}, // 25 October has 25 hours
		{at(23, 9, 0, 0), at(26, 8, 59, 0), at(23, 9, 0, 0), at(26, 9, 0, 0)},
	} {
		got := lengthOf(tt.start, tt.now, berlin).From(tt.post).Time
		if !got.Equal(tt.want) || !got.After(tt.now) {
			t.Errorf("a hold from %s to %s moves %s to %s, want %s", tt.start, tt.now, tt.post, got, tt.want)
		}
	}
}
