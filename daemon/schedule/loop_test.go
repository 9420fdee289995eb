package schedule_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/schedule"
	"github.com/schedctl/schedctl/scripts/testsize"
)

// index is a due index in memory.
type index struct {
	mu      sync.Mutex // mu guards all fields
	entries []schedctl.Due
	faults  int            // how many reads fail
	onRead  func(read int) // called before each read
	reads   int
}

var errRead = errors.New("cannot read")

func (x *index) Due(_ context.Context, from schedctl.Due, fn func(schedctl.Due) bool) error {
	x.mu.Lock()
	x.reads++
	read, onRead := x.reads, x.onRead
	x.mu.Unlock()
	if onRead != nil {
		onRead(read)
	}
	x.mu.Lock()
	at, _ := slices.BinarySearchFunc(x.entries, from, schedctl.Due.Compare)
	entries := slices.Clone(x.entries[at:])
	failing := x.faults > 0
	if failing {
		x.faults--
		entries = entries[:len(entries)/2]
	}
	x.mu.Unlock()
	for _, d := range entries {
		if !fn(d) {
			return nil
		}
	}
	if failing {
		return errRead
	}
	return nil
}

// put adds an entry, as a committed transaction does.
func (x *index) put(d schedctl.Due) {
	x.mu.Lock()
	defer x.mu.Unlock()
	at, _ := slices.BinarySearchFunc(x.entries, d, schedctl.Due.Compare)
	x.entries = slices.Insert(x.entries, at, d)
}

func (x *index) remove(d schedctl.Due) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if at, found := slices.BinarySearchFunc(x.entries, d, schedctl.Due.Compare); found {
		x.entries = slices.Delete(x.entries, at, at+1)
	}
}

// fired records which entries a loop passes on, and when.
type fired struct {
	mu      sync.Mutex // mu guards all fields
	entries []schedctl.Due
	at      []time.Time
	onFire  func()
}

func (f *fired) fire(batch []schedctl.Due) {
	if f.onFire != nil {
		f.onFire()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, d := range batch {
		f.entries = append(f.entries, d)
		f.at = append(f.at, time.Now())
	}
}

func (f *fired) take() (entries []schedctl.Due, at []time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	entries, at = f.entries, f.at
	f.entries, f.at = nil, nil
	return entries, at
}

type lockedLog struct {
	mu   sync.Mutex // mu guards text
	text strings.Builder
}

func (l *lockedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// bubble is a loop over an index, in a synctest bubble.
type bubble struct {
	*testing.T
	*index
	*schedule.Loop
	fired fired
	logs  lockedLog
	stop  func()
}

func inBubble(t *testing.T, test func(*bubble)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &bubble{T: t, index: &index{}}
		b.Loop = schedule.New(b.index, b.fired.fire, slog.New(slog.NewTextHandler(&b.logs, nil)))
		b.stop = func() {}
		test(b)
		b.stop()
	})
}

func (b *bubble) run() {
	ctx, cancel := context.WithCancel(b.Context())
	var ended sync.WaitGroup
	ended.Go(func() {
		if err := b.Loop.Run(ctx); err != nil {
			b.Errorf("Run: %v", err)
		}
	})
	b.stop = func() { cancel(); ended.Wait() }
	synctest.Wait()
}

func entry(in time.Duration, id uint64) (d schedctl.Due) {
	d.At = time.Now().Add(in).UnixMilli()
	binary.BigEndian.PutUint64(d.Target[8:], id)
	return d
}

// add stores an entry and adds it to the loop.
func (b *bubble) add(d schedctl.Due) {
	b.put(d)
	b.Add([]schedctl.Due{d})
}

// want checks that exactly these entries were passed on since the last check, each at
// its time.
func (b *bubble) want(entries ...schedctl.Due) {
	b.Helper()
	synctest.Wait()
	got, at := b.fired.take()
	if !slices.Equal(got, entries) {
		b.Fatalf("passed on %v, want %v", got, entries)
	}
	for i := range got {
		if !at[i].Equal(got[i].Time()) {
			b.Errorf("%v passed on at %s, %s off", got[i], at[i], at[i].Sub(got[i].Time()))
		}
	}
}

func TestEachAtItsTime(t *testing.T) {
	inBubble(t, func(b *bubble) {
		stored, early, late := entry(48*time.Hour, 1), entry(time.Hour, 2), entry(72*time.Hour, 3)
		b.put(stored)
		b.run()
		b.add(late)
		b.add(early)
		b.want()
		time.Sleep(time.Hour - time.Nanosecond)
		b.want()
		time.Sleep(time.Nanosecond)
		b.want(early)
		time.Sleep(47 * time.Hour)
		b.want(stored)
		time.Sleep(24*time.Hour - time.Nanosecond)
		b.want()
		time.Sleep(time.Nanosecond)
		b.want(late)
	})
}

func TestOverdueAtStartComesInOrder(t *testing.T) {
	inBubble(t, func(b *bubble) {
		const n = 3*schedule.Chunk + 11
		for i := range uint64(n) {
			b.entries = append(b.entries, entry(time.Duration(i)*time.Millisecond, i))
		}
		time.Sleep(time.Hour)
		b.run()
		got, _ := b.fired.take()
		if !slices.Equal(got, b.entries) {
			t.Errorf("%d passed on out of %d, or not in order", len(got), n)
		}
	})
}

func TestAddedBeforeRun(t *testing.T) {
	inBubble(t, func(b *bubble) {
		d := entry(time.Second, 1)
		b.Add([]schedctl.Due{d})
		b.run()
		time.Sleep(time.Second)
		b.want(d)
	})
}

func TestAddKeepsNoSlice(t *testing.T) {
	inBubble(t, func(b *bubble) {
		d := entry(time.Second, 1)
		slice := []schedctl.Due{d}
		b.Add(slice)
		slice[0] = entry(time.Hour, 2)
		b.run()
		time.Sleep(time.Second)
		b.want(d)
	})
}

// Entries that are committed while the source is read are passed on whether they are
// before or after the cursor.
func TestAddedWhileLoading(t *testing.T) {
	inBubble(t, func(b *bubble) {
		const n = 2*schedule.Chunk + 100
		for i := range uint64(n) {
			b.entries = append(b.entries, entry(time.Hour+time.Duration(i)*time.Millisecond, 2*i))
		}
		all := slices.Clone(b.entries)
		added := []schedctl.Due{entry(time.Second, 1), entry(time.Hour+7*time.Millisecond, 3), entry(50*time.Hour, 5)}
		b.onRead = func(read int) {
			if read <= len(added) {
				b.add(added[read-1])
			}
		}
		b.run()
		time.Sleep(51 * time.Hour)
		synctest.Wait()
		got, _ := b.fired.take()
		want := append(all, added...)
		slices.SortFunc(want, schedctl.Due.Compare)
		if !slices.Equal(slices.Compact(got), want) {
			t.Errorf("passed on %d entries, want %d", len(slices.Compact(got)), len(want))
		}
	})
}

func TestSourceThatFailsIsReadAgain(t *testing.T) {
	inBubble(t, func(b *bubble) {
		var want []schedctl.Due
		for i := range uint64(64) {
			want = append(want, entry(time.Duration(i+1)*time.Minute, i))
			b.put(want[i])
		}
		b.faults = 5 // each after half of the remaining entries
		b.run()
		added := entry(30*time.Second, 99)
		b.add(added)
		time.Sleep(30 * time.Second)
		b.want(added)
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		if got, _ := b.fired.take(); !slices.Equal(got, want) {
			t.Errorf("passed on %v, want %v", got, want)
		}
		if b.reads != 6 {
			t.Errorf("%d reads, want 6: five failures with a growing wait and one success", b.reads)
		}
		logs := b.logs.String()
		if strings.Count(logs, "level=ERROR") != 1 || strings.Count(logs, "is readable again") != 1 {
			t.Errorf("not one line for each change:\n%s", logs)
		}
	})
}

func TestOverflowReadsEverythingAgain(t *testing.T) {
	inBubble(t, func(b *bubble) {
		blocked, release := make(chan struct{}), make(chan struct{})
		var once sync.Once
		b.fired.onFire = func() {
			once.Do(func() {
				close(blocked)
				<-release
			})
		}
		first := entry(0, 0)
		b.put(first)
		b.run()
		<-blocked
		const n = schedule.MaxInbox + 5000
		var want []schedctl.Due
		for i := range uint64(n) {
			d := entry(time.Hour+time.Duration(i%977)*time.Millisecond, i+1)
			want = append(want, d)
			b.Add([]schedctl.Due{d})
		}
		slices.SortFunc(want, schedctl.Due.Compare)
		b.mu.Lock()
		b.entries = slices.Clone(want)
		b.mu.Unlock()
		close(release)
		synctest.Wait()
		b.fired.take()
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		if got, _ := b.fired.take(); !slices.Equal(got, want) {
			t.Errorf("%d passed on, want %d", len(got), len(want))
		}
		if logs := b.logs.String(); strings.Count(logs, "inbox overflowed") != 1 {
			t.Errorf("logs:\n%s", logs)
		}
	})
}

// Moved posts leave old entries in the loop; their number stays bounded.
func TestStaleEntriesAreBounded(t *testing.T) {
	inBubble(t, func(b *bubble) {
		live := entry(time.Hour, 1)
		b.put(live)
		b.run()
		var stale []schedctl.Due
		for i := range uint64(1000) {
			stale = append(stale, entry(2*time.Hour, i+2))
		}
		for range 500 {
			b.Add(stale)
			synctest.Wait()
		}
		time.Sleep(time.Hour)
		b.want(live)
		b.stop()
		if got := b.Len(); got > 2*schedule.MaxInbox {
			t.Errorf("%d entries held for one waiting entry", got)
		}
	})
}

// clock is a wall clock that can be set.
type clock struct {
	mu     sync.Mutex // mu guards offset
	offset time.Duration
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.offset)
}

func (c *clock) set(offset time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.offset = offset
}

func TestClockSetForward(t *testing.T) {
	inBubble(t, func(b *bubble) {
		var c clock
		b.SetNow(c.now)
		d := entry(24*time.Hour, 1)
		b.put(d)
		b.run()
		time.Sleep(time.Hour)
		c.set(23*time.Hour + time.Second) // or the machine was suspended for that long
		began := time.Now()
		time.Sleep(30 * time.Second)
		synctest.Wait()
		got, at := b.fired.take()
		if !slices.Equal(got, []schedctl.Due{d}) {
			t.Fatalf("passed on %v within 30 s", got)
		}
		if wait := at[0].Sub(began); wait > 30*time.Second {
			t.Errorf("noticed after %s", wait)
		}
	})
}

func TestClockSetBack(t *testing.T) {
	inBubble(t, func(b *bubble) {
		var c clock
		b.SetNow(c.now)
		d := entry(time.Hour, 1)
		b.put(d)
		b.run()
		time.Sleep(59 * time.Minute)
		c.set(-10 * time.Hour)
		time.Sleep(10*time.Hour + time.Minute - time.Nanosecond)
		b.want()
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if got, _ := b.fired.take(); !slices.Equal(got, []schedctl.Due{d}) {
			t.Errorf("passed on %v", got)
		}
	})
}

func TestLastTick(t *testing.T) {
	inBubble(t, func(b *bubble) {
		if !b.LastTick().IsZero() {
			t.Error("a loop that does not run has ticked")
		}
		b.run()
		for range 100 {
			time.Sleep(17 * time.Second)
			synctest.Wait()
			if age := time.Since(b.LastTick()); age > 30*time.Second {
				t.Fatalf("last tick %s ago", age)
			}
		}
	})
}

// With random creates, moves and cancels, each waiting entry is passed on at its time,
// and none early.
func TestRandomChanges(t *testing.T) {
	for _, seed := range testsize.Seeds(10, 20) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			inBubble(t, func(b *bubble) {
				random := rand.New(rand.NewPCG(seed, 0))
				live := map[schedctl.Due]bool{}
				b.run()
				for i := range uint64(500) {
					switch random.IntN(10) {
					case 0, 1, 2, 3, 4:
						d := entry(time.Duration(1+random.Int64N(int64(time.Hour))), i)
						live[d] = true
						b.add(d)
					case 5, 6:
						for d := range live {
							delete(live, d)
							b.remove(d)
							break
						}
					case 7:
						b.faults++
						b.stop()
						b.Loop = schedule.New(b.index, b.fired.fire, slog.New(slog.DiscardHandler))
						b.run()
					default:
						time.Sleep(time.Duration(random.Int64N(int64(5 * time.Minute))))
					}
					b.check(live)
				}
				time.Sleep(2 * time.Hour)
				b.check(live)
				if len(live) > 0 {
					t.Errorf("never passed on: %v", live)
				}
			})
		})
	}
}

// check removes what was passed on from live and checks its time.
func (b *bubble) check(live map[schedctl.Due]bool) {
	b.Helper()
	synctest.Wait()
	got, at := b.fired.take()
	for i, d := range got {
		off := at[i].Sub(d.Time())
		if off < 0 || (live[d] && off > 31*time.Second) { // a failing source costs up to 30 s
			b.Fatalf("%v passed on %s off its time", d, off)
		}
		delete(live, d)
		b.remove(d)
	}
}

// million is a source of a million entries that allocates nothing.
type million struct{}

const millions = 1_000_000

func (million) Due(_ context.Context, from schedctl.Due, fn func(schedctl.Due) bool) error {
	base := time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
	for i := max(0, from.At-base); i < millions; i++ {
		d := schedctl.Due{At: base + i}
		if d.Compare(from) >= 0 && !fn(d) {
			return nil
		}
	}
	return nil
}

// Not parallel: it counts what the whole process allocates.
func TestMemoryOfAMillion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bubble{T: t, Loop: schedule.New(million{}, func([]schedctl.Due) {}, slog.New(slog.DiscardHandler))}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		b.run()
		runtime.ReadMemStats(&after)
		b.stop()
		if b.Len() != millions {
			t.Fatalf("%d entries loaded", b.Len())
		}
		// Total allocations bound the memory in use at any time.
		if each := float64(after.TotalAlloc-before.TotalAlloc) / millions; each > 40 {
			t.Errorf("%.1f bytes allocated for an entry", each)
		}
	})
}

func BenchmarkLoadAMillion(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		l := schedule.New(million{}, func([]schedctl.Due) {}, slog.New(slog.DiscardHandler))
		l.LoadAll()
	}
}

func BenchmarkAdd(b *testing.B) {
	l := schedule.New(&index{}, func([]schedctl.Due) {}, slog.New(slog.DiscardHandler))
	l.LoadAll()
	random := rand.New(rand.NewPCG(1, 2))
	one := make([]schedctl.Due, 1)
	b.ReportAllocs()
	for b.Loop() {
		one[0].At = time.Now().Add(time.Hour).UnixMilli() + random.Int64N(1<<40)
		l.Add(one)
		l.Drain()
	}
}
