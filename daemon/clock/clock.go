// Package clock decides how far the wall clock can be trusted.
//
// A wrong clock is usually corrected within minutes: a battery was empty, a time
// server was faulty, a date was mistyped. The damage would be permanent: posts
// published weeks early, posts failed as missed, records pruned. So a [Clock]
// compares how far the wall clock advances with how long the machine was really
// running or suspended. The kernel counts that time: CLOCK_BOOTTIME on Linux,
// CLOCK_MONOTONIC_RAW on macOS. A machine that was suspended for a weekend lived
// through the weekend, and its clock is trusted at once. A clock that advances by
// more than the machine lived through has leapt.
//
// Steps of up to 1,000 seconds are trusted at once, and so is every step back. A
// longer step ahead is a [Leap]. Posts and records that are due, late or old only
// because of the leap wait until the clock is set back or confirmed; everything else
// continues. A clock is confirmed when it makes no further step for this long:
//
//	                              kept by a time server   unknown
//	the machine was running       5 minutes               1 hour
//	nothing could be measured     at once                 5 minutes
//
// Linux reports whether a time server keeps the clock; see adjtimex(2). Nothing can
// be measured after a reboot, because no clock says how long the machine was off, in
// the first five minutes of a boot, when a machine without a battery gets its time,
// and on systems where the process cannot see time in suspend. The file of [Open]
// keeps the comparison across restarts of the daemon within one boot.
//
// The clock need not be right, only steady. A step back is trusted at once. If the clock
// returns within an hour, that is not a leap.
//
// Each daemon on a shared database watches its own clock.
package clock

import (
	"log/slog"
	"sync"
	"time"
)

const (
	// maxTrustedStep is the largest step that is trusted at once. It is the step above which
	// ntpd(8) refuses to follow a time server.
	maxTrustedStep = 1000 * time.Second

	// confirmUnsynced is how long a clock has to be steady before it is trusted, after a
	// measured leap or after it was set back.
	confirmUnsynced = time.Hour

	// confirmSynced is how long the clock has to be steady if a time server corrects it,
	// or if the leap could not be measured.
	confirmSynced = 5 * time.Minute

	// earlyBoot is how long after its boot a machine may still be getting its time.
	earlyBoot = 5 * time.Minute

	// setBackMemory is how long steps back count in [Clock.Earliest]: as long as it can
	// take until the outcome of a call is known.
	setBackMemory = 3 * time.Hour

	// minSetBack is the smallest step back that is counted. Time servers make smaller ones
	// all the time.
	minSetBack = time.Minute
)

// Clock watches the wall clock. Its methods may be called from any goroutine. A
// nil Clock trusts the wall clock.
type Clock struct {
	log     *slog.Logger
	machine machine
	record  record

	mu              sync.Mutex // mu guards what follows
	last            reading
	trusted         reading       // the latest trusted reading
	trustedThisBoot bool          // trusted was read in this boot
	steadySince     time.Duration // when the wall clock was last stepped, or first read
	leap            Leap
	recentLeap      Leap // the last step ahead, for an hour
	setBack         int
	backBy          time.Duration // sum of the last steps back
	backAt          time.Duration // when the last of them was
}

// New returns a Clock that can only measure time in which the machine was awake,
// and that keeps no file. It compares its first reading with the time of the
// youngest record, or with nothing when that is the zero time.
func New(youngest time.Time, log *slog.Logger) *Clock {
	return open(record{log: log}, youngest, processClocks())
}

// Open returns a Clock that counts suspends and keeps its state in a file, so that a
// restart neither trusts a leap nor takes a return for a leap. The file is
// created when it is missing; then the first reading is compared with the time of
// the youngest record. A file that cannot be used is logged and ignored.
func Open(path string, youngest time.Time, log *slog.Logger) *Clock {
	return open(record{path: path, log: log}, youngest, hostClocks())
}

func open(r record, youngest time.Time, m machine) *Clock {
	now := m.read()
	c := &Clock{log: r.log, machine: m, last: now, trusted: now, steadySince: now.uptime, trustedThisBoot: youngest.IsZero()}
	kept, ok := r.read()
	switch c.record = r; {
	case ok && kept.comparable(m.boot, now):
		c.resume(kept)
	case ok:
		c.trusted.wall, c.trustedThisBoot = kept.Believed, false
	case !youngest.IsZero():
		c.trusted.wall = youngest
	}
	if c.trusted.wall.Before(now.wall) && !c.leap.InDoubt() {
		c.last = c.trusted
	}
	return c
}

// resume continues from the record of an earlier run in the same boot.
func (c *Clock) resume(kept recordFile) {
	c.trustedThisBoot = true
	c.trusted = reading{wall: kept.Believed, uptime: kept.Lived}
	if l := kept.Leap; l != nil {
		c.last, c.steadySince = reading{wall: l.To, uptime: l.At}, l.At
		c.leap = Leap{from: l.From, to: l.To, by: l.To.Sub(c.trusted.after(l.At)), measured: true}
		c.recentLeap = c.leap
	}
}

// Leap returns the leap of the wall clock that is not trusted yet, or the zero Leap. It
// reads the clocks.
func (c *Clock) Leap() Leap {
	if c == nil {
		return Leap{}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.observe()
	return c.leap
}

// Warning returns a sentence about the leap that is not trusted yet: which posts wait,
// until when, and what to do. It is empty without a leap.
func (c *Clock) Warning() string {
	if c == nil {
		return ""
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.observe()
	if !c.leap.InDoubt() {
		return ""
	}
	return c.leap.warning(now.wall.Add(c.steadySince + c.confirmAfter(now) - now.uptime))
}

// SetBacks returns how often the wall clock was seen to be set back by more than a
// minute. It reads the clocks.
func (c *Clock) SetBacks() int {
	if c == nil {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.observe()
	return c.setBack
}

// Steady reports whether the clock has made no step ahead of more than 1,000 seconds
// in the last hour. Pruning waits for that: the clock may be wrong, or have been.
func (c *Clock) Steady() bool {
	if c == nil {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.observe()
	return !c.recentLeap.InDoubt()
}

// Age returns the time from t to now, without the part that the clock leapt over in the
// last hour.
func (c *Clock) Age(t, now time.Time) time.Duration {
	if c == nil {
		return Leap{}.Age(t, now)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.observe()
	return c.recentLeap.Age(t, now)
}

// Earliest converts a recorded time t to the earliest possible time by the current wall
// clock. It is earlier than t if the clock was set back since, and the zero time if t is
// in the future.
func (c *Clock) Earliest(t time.Time) time.Time {
	if c == nil {
		return t
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.observe()
	if t = t.Add(-c.backBy); t.After(now.wall) {
		return time.Time{}
	}
	return t
}

// observe reads the clocks and compares them with the last reading.
func (c *Clock) observe() reading {
	now := c.machine.read()
	step := now.wall.Sub(c.last.after(now.uptime))
	if step.Abs() > maxTrustedStep {
		c.steadySince = now.uptime
	}
	switch {
	case step > maxTrustedStep:
		c.recentLeap = Leap{from: c.last.after(now.uptime), to: c.last.wall.Add(step), by: step}
	case now.uptime-c.steadySince >= confirmUnsynced:
		c.recentLeap = Leap{}
	}
	switch {
	case step < -minSetBack:
		c.setBack++
		c.backBy, c.backAt = c.backBy-step, now.uptime
		c.log.Warn("the clock was set back", "to", now.wall, "by", -step)
	case now.uptime-c.backAt >= setBackMemory:
		c.backBy = 0
	}
	landed := c.last.wall.Add(step)
	c.last = now
	c.compare(now, step, landed)
	c.save()
	return now
}

// compare compares a reading with the trusted one. step is the step of the wall clock
// since the last reading, and landed is the wall clock right after that step.
func (c *Clock) compare(now reading, step time.Duration, landed time.Time) {
	ahead := now.wall.Sub(c.trusted.after(now.uptime))
	switch {
	case ahead > maxTrustedStep:
		if !c.leap.InDoubt() || step.Abs() > maxTrustedStep {
			c.startLeap(now, landed, ahead)
		}
		if now.uptime-c.steadySince >= c.confirmAfter(now) {
			c.log.Info("the time after the clock's leap is confirmed", "time", now.wall)
			c.trust(now)
		}
	case c.leap.InDoubt():
		c.leap = Leap{}
		c.log.Info("the clock was corrected; publishing continues", "time", now.wall)
	case ahead < -maxTrustedStep:
		if c.trustedThisBoot && now.uptime-c.steadySince >= confirmUnsynced || c.synchronized(now) {
			c.trust(now)
		}
	default:
		c.trusted, c.trustedThisBoot = now, true
	}
}

// startLeap records a leap. Consecutive leaps count as one from where the first started.
func (c *Clock) startLeap(now reading, landed time.Time, ahead time.Duration) {
	from, measured := c.trusted.after(now.uptime), c.trustedThisBoot && c.machine.countsSuspend && c.trusted.uptime >= earlyBoot
	if c.leap.InDoubt() {
		from, measured = c.leap.from, c.leap.measured
	}
	c.leap = Leap{from: from, to: landed, by: ahead, measured: measured}
	if c.confirmAfter(now) > 0 {
		c.log.Warn(c.leap.warning(now.wall.Add(c.confirmAfter(now))), "from", from, "to", now.wall)
	}
}

// confirmAfter returns how long the clock has to be steady after its leap.
func (c *Clock) confirmAfter(now reading) time.Duration {
	switch synchronized := c.synchronized(now); {
	case c.leap.measured && !synchronized:
		return confirmUnsynced
	case !c.leap.measured && synchronized:
		return 0
	}
	return confirmSynced
}

func (c *Clock) synchronized(now reading) bool { return c.machine.synchronized(now.wall) }

// trust accepts the current wall clock.
func (c *Clock) trust(now reading) { c.trusted, c.trustedThisBoot, c.leap = now, true, Leap{} }

// save stores the state in the file.
func (c *Clock) save() {
	f := recordFile{Believed: c.trusted.wall, Lived: c.trusted.uptime}
	if c.trustedThisBoot {
		f.Boot = c.machine.boot
	}
	if c.leap.measured {
		f.Leap = &recordLeap{From: c.leap.from, To: c.leap.to, At: c.steadySince}
	}
	c.record.save(f)
}
