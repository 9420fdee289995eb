package schedule_test

import (
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/schedule"
)

// windowBubble is a bubble with a window. Entries are claimed when they are passed on,
// which removes them from the index.
func windowBubble(t *testing.T, test func(*bubble)) {
	t.Helper()
	inBubble(t, func(b *bubble) {
		claim := func(batch []schedctl.Due) {
			b.fired.fire(batch)
			b.removeAll(batch)
		}
		b.Loop = schedule.NewWindow(b.index, claim, slog.New(slog.NewTextHandler(&b.logs, nil)))
		test(b)
	})
}

// removeAll removes entries, which must be sorted.
func (x *index) removeAll(batch []schedctl.Due) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.entries = slices.DeleteFunc(x.entries, func(d schedctl.Due) bool {
		_, found := slices.BinarySearchFunc(batch, d, schedctl.Due.Compare)
		return found
	})
}

// wantWithin checks that exactly these entries were passed on, none of them early and
// none more than late after its time.
func (b *bubble) wantWithin(late time.Duration, entries ...schedctl.Due) {
	b.Helper()
	synctest.Wait()
	got, at := b.fired.take()
	if !slices.Equal(got, entries) {
		b.Fatalf("passed on %v, want %v", got, entries)
	}
	for i := range got {
		if off := at[i].Sub(got[i].Time()); off < 0 || off > late {
			b.Errorf("%v passed on %s off, want at most %s late", got[i], off, late)
		}
	}
}

// An entry beyond the window is not held, and is still passed on at its time.
func TestWindowMovesOn(t *testing.T) {
	windowBubble(t, func(b *bubble) {
		off := 300 * time.Millisecond // the polls are at whole seconds
		near, stored, added := entry(5*time.Minute+off, 1), entry(72*time.Hour+off, 2), entry(50*time.Hour+off, 3)
		b.put(near)
		b.put(stored)
		b.run()
		b.add(added)
		time.Sleep(5*time.Minute + off)
		b.want(near)
		time.Sleep(50*time.Hour - 5*time.Minute - time.Nanosecond)
		b.want()
		time.Sleep(time.Nanosecond)
		b.want(added)
		time.Sleep(22 * time.Hour)
		b.want(stored)
	})
}

func TestWindowHoldsMinutes(t *testing.T) {
	windowBubble(t, func(b *bubble) {
		const n = 20_000
		var batch []schedctl.Due
		for i := range uint64(n) {
			b.entries = append(b.entries, entry(time.Duration(i)*6*time.Second, i))
			batch = append(batch, entry(time.Hour+time.Duration(i)*time.Second, n+i))
		}
		b.run()
		b.Add(batch) // not in the index; the loop does not check that
		time.Sleep(time.Minute)
		b.stop()
		if held := b.Len(); held > 300 {
			t.Errorf("%d entries are held, want the 100 of the next 10 minutes", held)
		}
		b.stop = func() {}
	})
}

// An entry that was not added is passed on at its time if it was stored before that,
// and otherwise with the next poll.
func TestWindowWithoutNews(t *testing.T) {
	windowBubble(t, func(b *bubble) {
		b.run()
		time.Sleep(2*time.Hour + 300*time.Millisecond)
		soon, now := entry(3*time.Second, 1), entry(0, 2)
		b.put(soon)
		b.put(now)
		time.Sleep(time.Second)
		b.wantWithin(time.Second, now)
		time.Sleep(2 * time.Second)
		b.want(soon)
	})
}

// A commit can take longer than pollBehind, and its notification can be lost.
func TestWindowFindsWhatCameLate(t *testing.T) {
	windowBubble(t, func(b *bubble) {
		b.run()
		time.Sleep(time.Hour)
		d, e := entry(-30*time.Second, 1), entry(-40*time.Second, 2)
		b.put(d)
		time.Sleep(6 * time.Minute)
		b.wantWithin(6*time.Minute+30*time.Second, d)
		b.put(e)
		b.Reread()
		time.Sleep(time.Nanosecond)
		b.wantWithin(7*time.Minute, e)
	})
}

// While the source fails, entries in the loop are passed on at their times. Entries that
// were stored without a notification in that time are passed on when it works again.
func TestWindowWhileTheSourceIsAway(t *testing.T) {
	windowBubble(t, func(b *bubble) {
		known := entry(30*time.Second, 1)
		b.put(known)
		b.run()
		time.Sleep(10 * time.Second)
		b.mu.Lock()
		b.faults = 60
		b.mu.Unlock()
		time.Sleep(5 * time.Second)
		missed := entry(0, 2)
		b.put(missed)
		time.Sleep(15 * time.Second)
		b.want(known)
		time.Sleep(45 * time.Second)
		b.wantWithin(58*time.Second, missed)
		if n := strings.Count(b.logs.String(), "reading due index failed"); n != 1 {
			t.Errorf("logged %d times:\n%s", n, b.logs.String())
		}
		if !strings.Contains(b.logs.String(), "is readable again") {
			t.Error("did not log that the source works again")
		}
	})
}

// A source that hangs does not delay entries that are in the loop.
func TestWindowWhileTheSourceHangs(t *testing.T) {
	windowBubble(t, func(b *bubble) {
		var hang atomic.Bool
		b.onRead = func(int) {
			if hang.Load() {
				time.Sleep(time.Minute)
			}
		}
		known := entry(30*time.Second, 1)
		b.put(known)
		b.run()
		hang.Store(true)
		time.Sleep(10 * time.Second)
		reported := entry(5*time.Second, 2)
		b.add(reported)
		time.Sleep(5 * time.Second)
		b.want(reported)
		time.Sleep(15 * time.Second)
		b.want(known)
		hang.Store(false)
		time.Sleep(time.Minute)
	})
}

// An entry that was added and also read is passed on once, if it is then removed from
// the index.
func TestWindowHandsOverOnce(t *testing.T) {
	windowBubble(t, func(b *bubble) {
		b.run()
		d := entry(9*time.Minute+59*time.Second+time.Millisecond, 1)
		b.add(d)
		b.add(entry(9*time.Minute+58*time.Second, 2))
		for range 9 {
			b.Reread()
			time.Sleep(time.Minute)
		}
		time.Sleep(58 * time.Second)
		synctest.Wait()
		b.fired.take()
		time.Sleep(time.Second + time.Millisecond)
		b.want(d)
	})
}

func TestWindowOfMoreThanAPage(t *testing.T) {
	windowBubble(t, func(b *bubble) {
		const n = 3*schedule.WindowPage + 11
		for i := range uint64(n) {
			b.entries = append(b.entries, entry(time.Duration(i/10)*time.Millisecond, i))
		}
		want := slices.Clone(b.entries)
		time.Sleep(time.Hour)
		b.run()
		time.Sleep(time.Second)
		synctest.Wait()
		got, _ := b.fired.take()
		if !slices.Equal(got, want) {
			t.Errorf("%d passed on of %d, or not in order", len(got), n)
		}
	})
}

// A poll that finds more than a page continues after that page.
func TestPollOfMoreThanAPage(t *testing.T) {
	inBubble(t, func(b *bubble) { // without claims
		b.Loop = schedule.NewWindow(b.index, b.fired.fire, slog.New(slog.DiscardHandler))
		b.run()
		time.Sleep(time.Hour)
		const n = 2*schedule.WindowPage + 11
		b.mu.Lock()
		for i := range uint64(n) {
			b.entries = append(b.entries, entry(0, i))
		}
		b.mu.Unlock()
		time.Sleep(4 * time.Second)
		synctest.Wait()
		got, _ := b.fired.take()
		seen := map[schedctl.Due]bool{}
		for _, d := range got {
			seen[d] = true
		}
		if len(seen) != n {
			t.Errorf("%d of %d passed on", len(seen), n)
		}
	})
}

func TestWindowOverflow(t *testing.T) {
	windowBubble(t, func(b *bubble) {
		first, last := entry(time.Minute+time.Millisecond, 0), entry(2*time.Minute, schedule.MaxInbox+1)
		b.put(first)
		b.run()
		for i := range uint64(schedule.MaxInbox + 1) {
			b.entries = append(b.entries, entry(2*time.Minute, i+1))
		}
		b.Add(b.entries[1:])
		time.Sleep(time.Minute + time.Millisecond)
		b.want(first)
		time.Sleep(time.Minute)
		synctest.Wait()
		if got, _ := b.fired.take(); len(got) != schedule.MaxInbox+1 || got[len(got)-1] != last {
			t.Errorf("%d passed on", len(got))
		}
	})
}

func TestWindowAndClock(t *testing.T) {
	windowBubble(t, func(b *bubble) {
		var c clock
		b.SetNow(c.now)
		ahead, after := entry(24*time.Hour, 1), entry(25*time.Hour+time.Millisecond, 2)
		b.put(ahead)
		b.put(after)
		b.run()
		time.Sleep(time.Hour)
		c.set(23*time.Hour + time.Second) // or the machine was suspended for that long
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if got, _ := b.fired.take(); !slices.Equal(slices.Compact(got), []schedctl.Due{ahead}) {
			t.Fatalf("passed on %v", got)
		}
		c.set(0)
		time.Sleep(24*time.Hour - 2*time.Second + time.Millisecond - time.Nanosecond)
		b.want()
		time.Sleep(time.Nanosecond)
		b.want(after)
	})
}

// If notifications are lost and the source fails at random, no entry is lost, and none is
// delayed by more than the faults last.
func TestWindowRandom(t *testing.T) {
	windowBubble(t, func(b *bubble) {
		random := rand.New(rand.NewPCG(1, 2))
		b.run()
		count := uint64(0)
		for range 3000 {
			count++
			d := entry(time.Duration(random.IntN(1_200_000))*time.Millisecond, count)
			b.put(d)
			if random.IntN(2) == 0 {
				b.Add([]schedctl.Due{d})
			}
			switch random.IntN(50) {
			case 0:
				b.mu.Lock()
				b.faults = random.IntN(4)
				b.mu.Unlock()
			case 1:
				b.Reread()
			}
			time.Sleep(time.Duration(random.IntN(1000)) * time.Millisecond)
		}
		time.Sleep(21 * time.Minute)
		synctest.Wait()
		got, at := b.fired.take()
		seen := map[schedctl.Due]bool{}
		for i, d := range got {
			if off := at[i].Sub(d.Time()); off < 0 || off > 6*time.Second {
				t.Errorf("%v passed on %s off", d, off)
			}
			seen[d] = true
		}
		if uint64(len(seen)) != count {
			t.Errorf("%d of %d passed on", len(seen), count)
		}
	})
}
