package clock

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

var noon = time.Date(2026, 6, 2, 12, 0, 0, 0, time.UTC)

// hands are clocks that a test sets.
type hands struct {
	*Clock
	now reading
}

func newHands() *hands {
	h := &hands{now: reading{wall: noon}}
	h.Clock = &Clock{log: slog.New(slog.DiscardHandler), last: h.now, latest: h.now, read: func() reading { return h.now }}
	return h
}

// pass lets time pass on both clocks.
func (h *hands) pass(d time.Duration) {
	h.now.wall, h.now.monotonic = h.now.wall.Add(d), h.now.monotonic+d
}

// set sets the wall clock ahead, or back.
func (h *hands) set(d time.Duration) { h.now.wall = h.now.wall.Add(d) }

const years = 365 * 24 * time.Hour

func TestOrdinaryJumpsAreBelieved(t *testing.T) {
	t.Parallel()
	h := newHands()
	for _, jump := range []time.Duration{0, time.Hour, -time.Hour, 72 * time.Hour, Far, -10 * years} {
		h.set(jump)
		h.pass(time.Minute)
		if l := h.Leap(); l.InDoubt() {
			t.Errorf("a jump of %v is in doubt: %v", jump, l)
		}
	}
	if got := h.SetBacks(); got != 2 {
		t.Errorf("set back %d times, want 2", got)
	}
}

// A clock that was years behind and is set right has not leapt.
func TestAReturnIsNoLeap(t *testing.T) {
	t.Parallel()
	h := newHands()
	h.set(-10 * years)
	h.pass(time.Hour)
	h.Leap()
	h.set(10*years + 24*time.Hour)
	if l := h.Leap(); l.InDoubt() {
		t.Errorf("in doubt: %v", l)
	}
	h.set(10 * years)
	if !h.Leap().InDoubt() {
		t.Error("a leap beyond that is believed")
	}
}

// What was made by a clock that was behind is not old when it is set right.
func TestAgeAfterAJump(t *testing.T) {
	t.Parallel()
	for _, behind := range []time.Duration{48 * time.Hour, 10 * years} {
		h := newHands()
		h.set(-behind)
		h.pass(time.Minute)
		h.Leap()
		made := h.now.wall
		h.set(behind)
		h.pass(time.Minute)
		if got := h.Age(made, h.now.wall); got != time.Minute || h.Steady() {
			t.Errorf("behind by %v: age %v, steady %v", behind, got, h.Steady())
		}
		h.pass(time.Hour)
		if got := h.Age(made, h.now.wall); got < behind || !h.Steady() {
			t.Errorf("behind by %v: age %v an hour later, steady %v", behind, got, h.Steady())
		}
	}
}

// What was recorded before the clock was set back may have happened earlier than
// it says.
func TestEarliestOfWhatWasRecorded(t *testing.T) {
	t.Parallel()
	h := newHands()
	want := func(what string, at, want time.Time) {
		t.Helper()
		if got := h.Earliest(at); !got.Equal(want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	want("right", noon, noon)
	want("to come", noon.Add(time.Hour), time.Time{})
	h.set(-time.Hour)
	want("set back", noon, noon.Add(-time.Hour))
	h.pass(3 * time.Hour)
	want("long after", noon, noon)
	h.set(-10 * years)
	want("set back by years", noon, noon.Add(-10*years))
}

func TestManySuspendsAreNoLeap(t *testing.T) {
	t.Parallel()
	h := newHands()
	for range 20 {
		h.set(10 * 24 * time.Hour)
		h.pass(time.Minute)
		if h.Leap().InDoubt() {
			t.Fatal("in doubt")
		}
	}
}

func TestALeapIsBelievedAfterAnHour(t *testing.T) {
	t.Parallel()
	h := newHands()
	h.pass(10 * time.Minute)
	h.Leap()
	h.pass(20 * time.Second)
	h.set(10 * years)
	h.pass(10 * time.Second)
	for range 59 {
		if !h.Leap().InDoubt() {
			t.Fatalf("believed at %v", h.now.wall)
		}
		h.pass(time.Minute)
	}
	h.pass(time.Minute)
	if l := h.Leap(); l.InDoubt() {
		t.Errorf("in doubt after an hour: %v", l)
	}
	h.pass(time.Hour)
	if l := h.Leap(); l.InDoubt() {
		t.Errorf("in doubt once more: %v", l)
	}
}

func TestALeapThatIsTakenBackIsOver(t *testing.T) {
	t.Parallel()
	h := newHands()
	h.set(10 * years)
	h.Leap()
	h.pass(time.Minute)
	h.set(time.Hour - 10*years)
	if l := h.Leap(); l.InDoubt() {
		t.Errorf("in doubt: %v", l)
	}
	if got := h.SetBacks(); got != 1 {
		t.Errorf("set back %d times, want 1", got)
	}
	h.set(10 * years)
	if !h.Leap().InDoubt() {
		t.Error("the next leap is believed")
	}
}

// A clock that is set back, but not to where it was, is as doubtful as before.
func TestALeapThatIsTakenBackInPart(t *testing.T) {
	t.Parallel()
	h := newHands()
	h.set(10 * years)
	h.Leap()
	h.set(-years)
	if !h.Leap().InDoubt() {
		t.Error("believed nine years ahead")
	}
	h.set(years)
	if l := h.Leap(); !l.InDoubt() || !l.Over(noon.Add(time.Hour)) || l.Over(noon) {
		t.Errorf("after two leaps: %v", l)
	}
}

func TestWhatALeapMakesDueAndOld(t *testing.T) {
	t.Parallel()
	h := newHands()
	h.pass(10 * time.Second) // when the clock leapt is known to ten seconds
	h.set(10 * years)
	l := h.Leap()
	now := h.now.wall
	for _, c := range []struct {
		name string
		at   time.Time
		over bool
		age  time.Duration
	}{
		{"before", noon.Add(-time.Hour), false, time.Hour + 10*time.Second},
		{"as it leapt", noon.Add(5 * time.Second), false, 5 * time.Second},
		{"the next hour", noon.Add(time.Hour), true, 10 * time.Second},
		{"years later", noon.Add(9 * years), true, 10 * time.Second},
		{"right after", noon.Add(10*years + time.Second), false, 9 * time.Second},
		{"now", now, false, 0},
		{"to come", now.Add(time.Hour), false, -time.Hour},
	} {
		if got := l.Over(c.at); got != c.over {
			t.Errorf("%s: leapt over %v, want %v", c.name, got, c.over)
		}
		if got := l.Age(c.at, now); got != c.age {
			t.Errorf("%s: age %v, want %v", c.name, got, c.age)
		}
	}
	if (Leap{}).Over(now) || (Leap{}).Age(noon, now) != now.Sub(noon) {
		t.Error("no leap changes what time it is")
	}
}

func TestTheStartIsComparedWithTheYoungestRecord(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for ago, doubt := range map[time.Duration]bool{
			0: false, time.Hour: false, Far - time.Hour: false, 10 * years: true, -10 * years: false,
		} {
			c := New(time.Now().Add(-ago), slog.New(slog.DiscardHandler))
			if got := c.Leap().InDoubt(); got != doubt {
				t.Errorf("a record of %v ago: in doubt %v, want %v", ago, got, doubt)
			}
			time.Sleep(time.Hour)
			if c.Leap().InDoubt() || c.SetBacks() != 0 {
				t.Errorf("a record of %v ago: in doubt an hour later, or set back", ago)
			}
		}
		if New(time.Time{}, slog.New(slog.DiscardHandler)).Leap().InDoubt() {
			t.Error("a new database makes the clock doubtful")
		}
	})
}

func TestNoClockBelievesEverything(t *testing.T) {
	t.Parallel()
	var c *Clock
	if c.Leap().InDoubt() || c.SetBacks() != 0 {
		t.Error("a nil Clock doubts")
	}
}

// A restart believes no leap that the run before it did not, whatever was recorded
// meanwhile, and knows a return.
func TestARestartKnowsWhatWasBelieved(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "clock.json")
	synctest.Test(t, func(t *testing.T) {
		log := slog.New(slog.DiscardHandler)
		c := Open(path, time.Time{}, log)
		time.Sleep(3 * time.Hour)
		c.Leap()
		time.Sleep(10 * years) // while the daemon is away
		if !Open(path, time.Now(), log).Leap().InDoubt() {
			t.Error("the leap is believed for what was recorded in it")
		}
		c = Open(path, time.Now(), log)
		c.Leap()
		time.Sleep(time.Hour)
		if c.Leap().InDoubt() {
			t.Error("in doubt after an hour")
		}
		if Open(path, time.Now().Add(-10*years), log).Leap().InDoubt() {
			t.Error("what was believed is in doubt after a restart")
		}
	})
}

func TestARecordThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	spoilt := filepath.Join(dir, "spoilt.json")
	if err := os.WriteFile(spoilt, []byte("noon"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{spoilt, dir, filepath.Join(dir, "gone", "clock.json")} {
		var logged strings.Builder
		c := Open(path, time.Now().Add(-10*years), slog.New(slog.NewTextHandler(&logged, nil)))
		if !c.Leap().InDoubt() {
			t.Errorf("%s: the youngest record does not count", path)
		}
		c.mu.Lock()
		c.record.keep(time.Now())
		c.mu.Unlock()
		if path != spoilt && !strings.Contains(logged.String(), "cannot be kept") {
			t.Errorf("%s: logged %s", path, &logged)
		}
	}
}
