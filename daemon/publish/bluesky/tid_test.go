package bluesky

import (
	"fmt"
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

// Keys of occurrences are the same in every process, differ between targets, and leave
// room for the parts of a thread.
func TestKeysOfOccurrences(t *testing.T) {
	t.Parallel()
	at := time.Date(2027, 3, 2, 8, 0, 0, 0, time.UTC)
	a, b := New(nil, nil, "test"), New(nil, nil, "test")
	seen := map[string]string{}
	for i := range 2000 {
		target := fmt.Sprintf("pt_%026d", i)
		key := a.KeyFor(target, at)
		if again := b.KeyFor(target, at); again != key {
			t.Fatalf("%s has the keys %s and %s", target, key, again)
		}
		if made, ok := tidTime(key); !ok || made.Before(at) || !made.Before(at.Add(time.Second)) {
			t.Fatalf("key %s encodes %v", key, made)
		}
		for part := range keyStep {
			k := key
			if part > 0 {
				k = a.PartKey(key, part)
			}
			if other := seen[k]; other != "" && other != target {
				t.Errorf("%s and %s share the key %s", target, other, k)
			}
			seen[k] = target
		}
	}
	if a.KeyFor("pt_1", at) == a.KeyFor("pt_1", at.Add(time.Hour)) {
		t.Error("the time does not matter")
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
