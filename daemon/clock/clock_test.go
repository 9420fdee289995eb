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

const (
	day   = 24 * time.Hour
	years = 365 * day
)

// hands are the clocks of a simulated machine.
type hands struct {
	*Clock
	path   string
	now    reading
	boot   string
	asleep bool // time in suspend cannot be seen
	synced bool // a time server keeps the clock
}

// newHands returns the clocks of a machine that was booted an hour ago, and on which
// the daemon is started.
func newHands(t *testing.T) *hands {
	h := &hands{path: filepath.Join(t.TempDir(), "clock.json"), now: reading{wall: noon, uptime: time.Hour}, boot: "first"}
	h.restart()
	return h
}

// restart starts the daemon again.
func (h *hands) restart() {
	h.Clock = open(record{path: h.path, log: slog.New(slog.DiscardHandler)}, time.Time{}, machine{
		read: func() reading { return h.now }, boot: h.boot, countsSuspend: !h.asleep,
		synchronized: func(time.Time) bool { return h.synced },
	})
	h.Leap()
}

// reboot turns the machine off for a while, and starts the daemon again.
func (h *hands) reboot(off time.Duration) {
	h.now, h.boot = reading{wall: h.now.wall.Add(off), uptime: time.Minute}, h.boot+"+"
	h.restart()
}

// pass lets time pass, in which the machine is running or suspended.
func (h *hands) pass(d time.Duration) {
	h.now.wall, h.now.uptime = h.now.wall.Add(d), h.now.uptime+d
}

// set sets the wall clock ahead, or back.
func (h *hands) set(d time.Duration) { h.now.wall = h.now.wall.Add(d) }

// wantDoubt checks whether the clock is in doubt now.
func (h *hands) wantDoubt(t *testing.T, what string, want bool) {
	t.Helper()
	if got := h.Leap().InDoubt(); got != want {
		t.Errorf("%s: in doubt %v, want %v", what, got, want)
	}
	if got := h.Warning() != ""; got != want {
		t.Errorf("%s: warned %v, want %v", what, got, want)
	}
}

// wantDoubtFor checks that the clock is in doubt for a time from now on.
func (h *hands) wantDoubtFor(t *testing.T, what string, d time.Duration) {
	t.Helper()
	h.wantDoubt(t, what+", at first", d > 0)
	if d > 0 {
		h.pass(d - time.Second)
		h.wantDoubt(t, what+", shortly before the end", true)
		h.pass(time.Second)
		h.wantDoubt(t, what+", at the end", false)
	}
}

func TestSmallStepsAndStepsBackAreBelieved(t *testing.T) {
	t.Parallel()
	for _, step := range []time.Duration{0, time.Second, 5 * time.Minute, maxTrustedStep, -time.Second, -5 * time.Minute, -time.Hour, -10 * years} {
		h := newHands(t)
		for range 3 {
			h.set(step)
			h.wantDoubt(t, step.String(), false)
			h.pass(30 * time.Second)
			h.wantDoubt(t, step.String(), false)
		}
	}
}

func TestSuspendIsNoLeap(t *testing.T) {
	t.Parallel()
	h := newHands(t)
	for _, slept := range []time.Duration{time.Hour, 8 * time.Hour, 3 * day, 39 * day, 10 * years} {
		h.pass(slept)
		h.wantDoubt(t, slept.String(), false)
		if !h.Steady() {
			t.Errorf("after a suspend of %v the clock is not steady", slept)
		}
	}
}

func TestLeapIsBelievedOnceConfirmed(t *testing.T) {
	t.Parallel()
	for _, by := range []time.Duration{maxTrustedStep + time.Second, time.Hour, day, 39 * day, 99 * day, 10 * years} {
		for synced, wait := range map[bool]time.Duration{false: time.Hour, true: 5 * time.Minute} {
			h := newHands(t)
			h.synced = synced
			h.set(by)
			h.wantDoubtFor(t, by.String(), wait)
			h.pass(2 * time.Hour)
			h.wantDoubt(t, by.String()+", later", false)
		}
	}
}

// A time server that is asked only after the leap confirms it too.
func TestLeapIsConfirmedLater(t *testing.T) {
	t.Parallel()
	h := newHands(t)
	h.set(day)
	h.wantDoubt(t, "at first", true)
	h.pass(20 * time.Minute)
	h.wantDoubt(t, "without a time server", true)
	h.synced = true
	h.wantDoubt(t, "with one", false)
}

func TestLeapIsOverWhenTakenBack(t *testing.T) {
	t.Parallel()
	for _, by := range []time.Duration{time.Hour, 39 * day, 10 * years} {
		h := newHands(t)
		h.set(by)
		h.wantDoubt(t, "leapt", true)
		h.pass(time.Minute)
		h.set(time.Minute - by)
		h.wantDoubt(t, "set right", false)
		if got := h.SetBacks(); got != 1 {
			t.Errorf("set back %d times, want 1", got)
		}
		h.set(by)
		h.wantDoubt(t, "leapt again", true)
	}
}

// A clock that is set back by less than the leap stays in doubt.
func TestLeapIsTakenBackInPart(t *testing.T) {
	t.Parallel()
	h := newHands(t)
	before := h.now.wall
	h.set(10 * years)
	h.Leap()
	h.set(-years)
	h.wantDoubt(t, "nine years ahead", true)
	h.set(years)
	l := h.Leap()
	if !l.InDoubt() || !l.Holds(before.Add(time.Hour), before) || l.Holds(before, before) {
		t.Errorf("after two leaps: %v", l)
	}
}

// A return of the clock is not a leap, unless it was steady at the other time for so long
// that this time is trusted.
func TestReturn(t *testing.T) {
	t.Parallel()
	h := newHands(t)
	h.set(-10 * years)
	h.pass(30 * time.Minute)
	h.wantDoubt(t, "behind", false)
	h.set(10*years + 10*time.Minute)
	h.wantDoubt(t, "a return", false)
	h.set(day)
	h.wantDoubt(t, "a leap beyond that", true)

	h = newHands(t)
	h.set(-day)
	h.Leap()
	h.pass(time.Hour)
	h.wantDoubt(t, "behind for an hour", false)
	h.set(day)
	h.wantDoubt(t, "a return after an hour", true)
}

// A wrong time that was trusted before is not trusted again after it was corrected.
func TestLeapThatWasBelievedOnce(t *testing.T) {
	t.Parallel()
	h := newHands(t)
	h.set(39 * day)
	h.wantDoubtFor(t, "the first time", time.Hour)
	h.set(-39 * day)
	h.wantDoubt(t, "set right", false)
	h.pass(time.Hour)
	h.wantDoubt(t, "right for an hour", false)
	h.set(39 * day)
	h.wantDoubt(t, "the second time", true)
}

// A restart within one boot continues the comparison.
func TestRestart(t *testing.T) {
	t.Parallel()
	for _, away := range []time.Duration{time.Second, time.Hour, 3 * day, 200 * day} {
		h := newHands(t)
		h.pass(away)
		h.restart()
		h.wantDoubt(t, "away for "+away.String(), false)
		h.pass(away)
		h.set(39 * day)
		h.restart()
		h.wantDoubtFor(t, "leapt while away for "+away.String(), time.Hour)
		h.restart()
		h.wantDoubt(t, "restarted afterwards", false)
	}
}

// A restart neither ends nor restarts a doubt, and holds the same posts.
func TestRestartInDoubt(t *testing.T) {
	t.Parallel()
	h := newHands(t)
	before := h.now.wall
	h.set(39 * day)
	h.wantDoubt(t, "leapt", true)
	to := h.now.wall
	for range 11 {
		h.pass(5 * time.Minute)
		h.restart()
		l := h.Leap()
		if !l.InDoubt() || l.Holds(before, before) || !l.Holds(before.Add(time.Minute), before) || !l.Holds(to.Add(time.Minute), before) || l.Holds(to.Add(time.Minute), to) {
			t.Fatalf("%v after the leap: %v", h.now.wall.Sub(to), l)
		}
	}
	h.pass(5 * time.Minute)
	h.restart()
	h.wantDoubt(t, "an hour after the leap", false)

	h.set(day)
	h.wantDoubt(t, "leapt again", true)
	h.set(-day)
	h.restart()
	h.wantDoubt(t, "set right while away", false)
}

// The time that a machine was off cannot be measured: a clock that a time server keeps is
// trusted at once, any other clock soon.
func TestReboot(t *testing.T) {
	t.Parallel()
	for _, off := range []time.Duration{time.Hour, 2 * day, 39 * day, 10 * years} {
		for synced, wait := range map[bool]time.Duration{false: 5 * time.Minute, true: 0} {
			h := newHands(t)
			h.synced = synced
			h.reboot(off)
			h.wantDoubtFor(t, "off for "+off.String(), wait)
			h.pass(earlyBoot)
			h.wantDoubt(t, "later", false)
			h.set(day)
			h.wantDoubt(t, "leapt afterwards", true)
		}
	}
	h := newHands(t)
	h.reboot(5 * time.Minute)
	h.wantDoubt(t, "a quick reboot", false)
}

// A machine without a clock of its own boots in the past, or where it was turned
// off, and is set right by a time server.
func TestRebootWithoutBattery(t *testing.T) {
	t.Parallel()
	for name, boots := range map[string]time.Duration{"in the past": -50 * years, "where it was turned off": 0} {
		h := newHands(t)
		h.reboot(boots)
		h.pass(2 * time.Minute)
		h.wantDoubt(t, name, false)
		h.set(3*day - boots)
		h.wantDoubt(t, name+", set right", true)
		h.synced = true
		h.wantDoubt(t, name+", set right by a time server", false)
	}
}

// A machine that was restored from a snapshot, or whose boot has no name, cannot be
// measured.
func TestRecordOfAnotherBoot(t *testing.T) {
	t.Parallel()
	h := newHands(t)
	h.now = reading{wall: h.now.wall.Add(day), uptime: time.Minute}
	h.restart()
	h.wantDoubtFor(t, "a snapshot", 5*time.Minute)

	h = newHands(t)
	h.boot = ""
	h.restart()
	h.pass(day)
	h.restart()
	h.wantDoubtFor(t, "no name", 5*time.Minute)
}

// Where time in suspend cannot be seen, a suspend looks like a leap and waits a
// little.
func TestSuspendThatCannotBeSeen(t *testing.T) {
	t.Parallel()
	h := newHands(t)
	h.asleep, h.boot = true, ""
	h.restart()
	h.pass(time.Hour)
	h.Leap()
	h.set(8 * time.Hour)
	h.wantDoubtFor(t, "asleep", 5*time.Minute)
}

func TestWarning(t *testing.T) {
	t.Parallel()
	h := newHands(t)
	h.set(39 * day)
	h.pass(30 * time.Minute)
	h.Leap()
	const want = "the clock went from 2026-06-02T12:30:00Z to 2026-07-11T12:00:00Z, and this machine has not been running or suspended for that long. " +
		"Posts that were scheduled before and are due after 2026-06-02T12:30:00Z wait until 2026-07-11T13:30:00Z. " +
		"If the clock is wrong, set it right. If it is right, let a time server synchronize it, or publish a post with schedctl post publish."
	if got := h.Warning(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	h.pass(10 * time.Minute)
	if got := h.Warning(); got != want {
		t.Errorf("later: got  %s\nwant %s", got, want)
	}
	h.reboot(day)
	if got := h.Warning(); !strings.Contains(got, "no time server has confirmed it since schedctl last ran") || !strings.Contains(got, "wait until 2026-07-12T12:45:00Z") {
		t.Errorf("after a reboot: %s", got)
	}
}

func TestWhatALeapHoldsAndAges(t *testing.T) {
	t.Parallel()
	h := newHands(t)
	now := h.now.wall
	h.pass(10 * time.Second) // when the clock leapt is known to ten seconds
	h.set(39 * day)
	l := h.Leap()
	from, to := now.Add(10*time.Second), now.Add(39*day)
	for _, c := range []struct {
		name     string
		due, set time.Time
		holds    bool
		age      time.Duration
	}{
		{"before", now.Add(-time.Hour), now.Add(-day), false, time.Hour + 10*time.Second},
		{"as it leapt", now.Add(5 * time.Second), now, false, 5 * time.Second},
		{"the next hour", now.Add(time.Hour), now, true, 10 * time.Second},
		{"days later", now.Add(38 * day), now, true, 10 * time.Second},
		{"edited since", now.Add(38 * day), to.Add(time.Second), true, 10 * time.Second},
		{"right after", to.Add(time.Second), now, true, 9 * time.Second},
		{"right after, scheduled since", to.Add(time.Second), to, false, 9 * time.Second},
		{"now", h.now.wall, h.now.wall, false, 0},
		{"to come", h.now.wall.Add(time.Hour), now, true, -time.Hour},
	} {
		if got := l.Holds(c.due, c.set); got != c.holds {
			t.Errorf("%s: held %v, want %v", c.name, got, c.holds)
		}
		if got := l.Age(c.due, h.now.wall); got != c.age {
			t.Errorf("%s: age %v, want %v", c.name, got, c.age)
		}
	}
	if !l.from.Equal(from) || (Leap{}).Holds(now, now) || (Leap{}).Age(noon, now) != now.Sub(noon) {
		t.Errorf("%v, or no leap changes what time it is", l)
	}
}

// Records from a clock that was behind are not old after the clock is corrected.
func TestAgeAfterAStep(t *testing.T) {
	t.Parallel()
	for _, behind := range []time.Duration{time.Hour, 48 * time.Hour, 10 * years} {
		h := newHands(t)
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

// Events recorded before the clock was set back may have happened earlier than recorded.
func TestEarliestOfWhatWasRecorded(t *testing.T) {
	t.Parallel()
	h := newHands(t)
	now := h.now.wall
	want := func(what string, at, want time.Time) {
		t.Helper()
		if got := h.Earliest(at); !got.Equal(want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	want("right", now, now)
	want("to come", now.Add(time.Hour), time.Time{})
	h.set(-time.Hour)
	want("set back", now, now.Add(-time.Hour))
	h.pass(3 * time.Hour)
	want("long after", now, now)
	h.set(-10 * years)
	want("set back by years", now, now.Add(-10*years))
}

// Without a file, the first reading is compared with the newest record.
func TestTheStartIsComparedWithTheYoungestRecord(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for ago, doubt := range map[time.Duration]bool{
			0: false, 10 * time.Minute: false, time.Hour: true, 10 * years: true, -10 * years: false,
		} {
			c := New(time.Now().Add(-ago), slog.New(slog.DiscardHandler))
			if got := c.Leap().InDoubt(); got != doubt {
				t.Errorf("a record of %v ago: in doubt %v, want %v", ago, got, doubt)
			}
			time.Sleep(confirmSynced)
			if c.Leap().InDoubt() || c.SetBacks() != 0 {
				t.Errorf("a record of %v ago: in doubt later, or set back", ago)
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
	if c.Leap().InDoubt() || c.SetBacks() != 0 || !c.Steady() || c.Warning() != "" {
		t.Error("a nil Clock doubts")
	}
}

// The clocks of this machine are trusted, in this run and the next.
func TestOpen(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "clock.json")
	for range 2 {
		c := Open(path, time.Time{}, slog.New(slog.DiscardHandler))
		first := c.machine.read()
		if l := c.Leap(); l.InDoubt() || c.SetBacks() != 0 {
			t.Errorf("in doubt: %v", l)
		}
		if next := c.machine.read(); next.uptime < first.uptime || next.wall.Sub(first.after(next.uptime)).Abs() > maxTrustedStep {
			t.Errorf("read %v, then %v", first, next)
		}
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
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
		if c.machine.synchronized(time.Now()) {
			c.machine.synchronized = func(time.Time) bool { return false }
		}
		if !c.Leap().InDoubt() {
			t.Errorf("%s: the youngest record does not count", path)
		}
		if path != spoilt && !strings.Contains(logged.String(), "storing the trusted time failed") {
			t.Errorf("%s: logged %s", path, &logged)
		}
	}
}

// A file of the first version, which has only the time, is treated like a file of a
// different boot.
func TestARecordOfTheFirstVersion(t *testing.T) {
	t.Parallel()
	h := newHands(t)
	if err := os.WriteFile(h.path, []byte(`{"believed":"2026-05-31T12:00:00Z"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.restart()
	h.wantDoubtFor(t, "two days later", 5*time.Minute)
}
