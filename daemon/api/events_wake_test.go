package api_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// arrival is the time at which an event arrived.
type arrival struct {
	id string
	at time.Time
}

// hear reads this many events of each stream. The arrival times are complete when
// wait returns.
func hear(followers []*follower, events int) (all [][]arrival, wait func()) {
	all = make([][]arrival, len(followers))
	var reading sync.WaitGroup
	for i, w := range followers {
		reading.Go(func() {
			for range events {
				id := w.nextID()
				all[i] = append(all[i], arrival{id, time.Now()})
			}
		})
	}
	return all, reading.Wait
}

// TestEventAfterAQuietTimeIsSentAtOnce guards that the first event after a quiet
// time reaches every stream at once, however many there are.
func TestEventAfterAQuietTimeIsSentAtOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, l *live) {
		followers := make([]*follower, 100)
		for i := range followers {
			followers[i] = l.follow()
		}
		for range 3 {
			time.Sleep(time.Second)
			all, wait := hear(followers, 1)
			want := arrival{l.addEvents(1)[0], time.Now()}
			wait()
			for i := range all {
				if got := all[i][0]; got != want {
					t.Errorf("stream %d: %s came %s after it happened", i, got.id, got.at.Sub(want.at))
				}
			}
		}
	})
}

// TestStreamsAreWokenInGroups guards that, while events keep coming, each stream is
// woken once in 20 ms for all new events, and never many streams together.
func TestStreamsAreWokenInGroups(t *testing.T) {
	inBubble(t, func(t *testing.T, l *live) {
		const streams, events, every, beat, together = 100, 500, time.Millisecond, 20 * time.Millisecond, 16
		followers := make([]*follower, streams)
		for i := range followers {
			followers[i] = l.follow()
		}
		time.Sleep(time.Second)
		all, wait := hear(followers, events)
		var made []arrival
		for range events {
			made = append(made, arrival{l.addEvents(1)[0], time.Now()})
			time.Sleep(every)
		}
		wait()
		first, woken := made[0].at, map[time.Time]int{}
		for i := range all {
			var last time.Time
			wakes := 0
			for n, got := range all[i] {
				if got.id != made[n].id {
					t.Fatalf("stream %d: event %d is %s, want %s", i, n, got.id, made[n].id)
				}
				if late := got.at.Sub(made[n].at); late > beat {
					t.Fatalf("stream %d: event %d came after %s", i, n, late)
				}
				if !got.at.Equal(last) {
					last = got.at
					woken[last]++
					wakes++
				}
			}
			if most := int(events*every/beat) + 2; wakes > most {
				t.Errorf("stream %d was woken %d times for %d events, want %d at most", i, wakes, events, most)
			}
		}
		for at, n := range woken {
			if n > together && !at.Equal(first) {
				t.Errorf("%d streams were woken together, %s after the first event", n, at.Sub(first))
			}
		}
	})
}

// TestStreamsOfManyEventsEnd guards that a hub with a constant flow of events still
// checks keys and ends.
func TestStreamsOfManyEventsEnd(t *testing.T) {
	inBubble(t, func(t *testing.T, l *live) {
		secret := l.scoped(schedctl.ScopePostsRead)
		revoked, stays := l.follow(as(secret)).lastComment(), l.follow().lastComment()
		done := make(chan struct{})
		var making sync.WaitGroup
		making.Go(func() {
			for {
				select {
				case <-done:
					return
				case <-time.After(5 * time.Millisecond):
					l.addEvents(1)
				}
			}
		})
		time.Sleep(time.Second)
		k := l.keyOf(secret)
		k.RevokedAt = time.Now()
		l.update(func(tx storage.Tx) error { return tx.PutKey(k) })
		started := time.Now()
		if comment := <-revoked; !strings.Contains(comment, "was revoked") || time.Since(started) > 3*time.Second {
			t.Errorf("after %s: %q", time.Since(started), comment)
		}
		started = time.Now()
		l.stop()
		if comment := <-stays; !strings.Contains(comment, "is stopping") || time.Since(started) > 0 {
			t.Errorf("after %s: %q", time.Since(started), comment)
		}
		close(done)
		making.Wait()
	})
}

// lastComment reads to the end of the stream.
func (w *follower) lastComment() <-chan string {
	last := make(chan string, 1)
	go func() {
		comment := ""
		for b := w.block(); b != nil; b = w.block() {
			comment = b[":"]
		}
		last <- comment
	}()
	return last
}
