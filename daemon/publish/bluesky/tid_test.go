package bluesky

import (
	"testing"
	"time"
)

func TestTimestampIdentifiers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		micros int64
		clock  uint64
		want   string
	}{
		{0, 0, "2222222222222"},
		{0, 1, "2222222222223"},
		{1, 0, "2222222222322"},
		{1<<53 - 1, 1023, "bzzzzzzzzzzzz"},
		{1780412400000000, 31, "3mncucejr222z"},
	} {
		got := encodeTID(tt.micros, tt.clock)
		at, ok := tidTime(got)
		if got != tt.want || !ok || at.UnixMicro() != tt.micros {
			t.Errorf("%d, clock %d: got %s, which is of %v", tt.micros, tt.clock, got, at)
		}
	}
	for _, tid := range []string{
		"", "222222222222", "22222222222222", "z222222222222", "k222222222222", "2222222222221", "222222222222A", "pt_01JX000000", "22222222222é",
	} {
		if at, ok := tidTime(tid); ok {
			t.Errorf("%q was accepted as %v", tid, at)
		}
	}
}

func TestKeysIncreaseWhenTheClockGoesBack(t *testing.T) {
	t.Parallel()
	p := New(nil, nil, "test")
	now := time.Date(2026, 6, 2, 15, 0, 0, 0, time.UTC)
	first := p.NewKey(now)
	second := p.NewKey(now.Add(-time.Hour))
	third := p.NewKey(now.Add(time.Hour))
	if !(first < second && second < third) {
		t.Errorf("%s, %s, %s are not in order", first, second, third)
	}
	if at, _ := tidTime(third); !at.Equal(now.Add(time.Hour)) {
		t.Errorf("a key of %v encodes %v", now.Add(time.Hour), at)
	}
}

func checkTIDTime(t *testing.T, tid string) {
	at, ok := tidTime(tid)
	if !ok {
		return
	}
	if micros := at.UnixMicro(); micros < 0 || encodeTID(micros, 0)[:10] != tid[:10] {
		t.Errorf("%q: parsed as %v, which encodes to %q", tid, at, encodeTID(micros, 0))
	}
}
