package storagetest

import (
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var eventParts = []part{
	{"EventKeepsEveryField", testEventKeepsEveryField},
	{"EventsAreInOrder", testEventsAreInOrder},
	{"EventsOfManyAtOnce", testEventsOfConcurrentWriters},
	{"EventIDsAreNew", testEventIDsAreUnique},
	{"EventIsFoundByItsID", testEventIsFoundByItsID},
	{"LastEventIsTheYoungest", testLastEventIsTheNewest},
	{"LaterOfTwoEvents", testLaterOfTwoEvents},
	{"EventsEndIsBetweenEvents", testOutboxEndIsBetweenEvents},
	{"PostEventsAreOfOnePost", testPostEventsOfOnePost},
	{"PostEventsOutliveThePost", testPostEventsOutliveThePost},
}

func eventsAfter(f *fixture, id string, limit int) []schedctl.Event {
	f.Helper()
	return mustRead(f, func(r storage.Reader) ([]schedctl.Event, error) { return r.Events(id, limit) })
}

func (f *fixture) addEvents(events ...schedctl.Event) {
	f.Helper()
	f.update(func(tx storage.Tx) error { return tx.AddEvents(events...) })
}

func testEventKeepsEveryField(f *fixture) {
	want := newFilled[schedctl.Event](f)
	given := cloneEvent(want)
	f.addEvents(given)
	given.Error.Message = "spoiled"
	got := eventsAfter(f, "", 9)
	wantSame(f, "event", []schedctl.Event{want}, got)
	got[0].Error.Message = "spoiled"
	wantSame(f, "event after a change of what was read", []schedctl.Event{want}, eventsAfter(f, "", 9))

	one := mustRead(f, eventByID(want.ID))
	wantSame(f, "event by its id", want, one)
	one.Error.Message = "spoiled"
	wantSame(f, "event by its id after a change of what was read", want, mustRead(f, eventByID(want.ID)))

	bare := schedctl.Event{ID: newID(schedctl.EventPrefix, epoch.Add(time.Hour)), Type: schedctl.EventAccountError, WorkspaceID: f.ws}
	f.addEvents(bare)
	wantSame(f, "bare event", []schedctl.Event{bare}, eventsAfter(f, want.ID, 9))
	for _, id := range malformedIDs(schedctl.EventPrefix) {
		bad := bare
		bad.ID = id
		f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return tx.AddEvents(bad) })
		if id != "" {
			wantNotFound(f, "events after "+id, func(r storage.Reader) ([]schedctl.Event, error) { return r.Events(id, 1) })
		}
	}
}

func eventByID(id string) func(storage.Reader) (schedctl.Event, error) {
	return func(r storage.Reader) (schedctl.Event, error) { return r.Event(id) }
}

func testEventIsFoundByItsID(f *fixture) {
	events := f.newEvents(9, epoch)
	f.addEvents(events[:8]...)
	for _, e := range events[:8] {
		wantSame(f, "event", e, mustRead(f, eventByID(e.ID)))
	}
	for _, id := range append(malformedIDs(schedctl.EventPrefix), events[8].ID) {
		wantNotFound(f, "event "+id, eventByID(id))
	}
}

func testLastEventIsTheNewest(f *fixture) {
	wantSame(f, "at first", "", mustRead(f, storage.Reader.LastEvent))
	events := f.newEvents(6, epoch)
	for _, step := range []struct{ add, last int }{{2, 2}, {1, 2}, {5, 5}, {0, 5}} {
		f.update(func(tx storage.Tx) error {
			if err := tx.AddEvents(events[step.add]); err != nil {
				return err
			}
			last, err := tx.LastEvent()
			wantSame(f, "last event inside", events[step.last].ID, last)
			return err
		})
		wantSame(f, "last event", events[step.last].ID, mustRead(f, storage.Reader.LastEvent))
	}
	f.prune(storage.Retention{Events: events[3].CreatedAt}, 100)
	wantSame(f, "after the older ones were removed", events[5].ID, mustRead(f, storage.Reader.LastEvent))
	f.update(func(tx storage.Tx) error {
		if _, err := tx.Prune(pruneAll, 100); err != nil {
			return err
		}
		last, err := tx.LastEvent()
		wantSame(f, "inside, after all were removed", "", last)
		return err
	})
	wantSame(f, "after all were removed", "", mustRead(f, storage.Reader.LastEvent))
}

func testLaterOfTwoEvents(f *fixture) {
	events := f.newEvents(4, epoch)
	f.addEvents(events[:3]...)
	ids := []string{"", newID(schedctl.EventPrefix, epoch.Add(-time.Hour)), events[0].ID, events[1].ID, events[2].ID}
	for i, a := range ids {
		for j, b := range ids {
			want := ids[max(i, j)]
			if max(i, j) == 1 && min(i, j) == 0 {
				continue // the empty id has no events before it
			}
			got := mustRead(f, func(r storage.Reader) (string, error) { return r.Later(a, b) })
			wantSame(f, "the later one of "+a+" and "+b, want, got)
			f.update(func(tx storage.Tx) error {
				got, err := tx.Later(a, b)
				wantSame(f, "inside, the later one of "+a+" and "+b, want, got)
				return err
			})
		}
	}
	for _, id := range malformedIDs(schedctl.EventPrefix) {
		if id != "" {
			wantNotFound(f, "later than "+id, func(r storage.Reader) (string, error) { return r.Later(id, events[0].ID) })
			wantNotFound(f, "later than "+id, func(r storage.Reader) (string, error) { return r.Later(events[0].ID, id) })
		}
	}
}

func testOutboxEndIsBetweenEvents(f *fixture) {
	var ends []string
	var events []schedctl.Event
	for i := range 3 {
		var end string
		var e schedctl.Event
		f.update(func(tx storage.Tx) (err error) {
			if end, err = tx.OutboxEnd(); err != nil {
				return err
			}
			now := time.Now()
			e = schedctl.Event{ID: schedctl.NewID(schedctl.EventPrefix, now), CreatedAt: schedctl.Millis(now), WorkspaceID: f.ws}
			if i == 2 {
				return nil
			}
			return tx.AddEvents(e)
		})
		ends = append(ends, end)
		if i < 2 {
			events = append(events, e)
		}
		wantNotFound(f, "the event of an end", eventByID(end))
	}
	for i, end := range ends {
		wantSame(f, "events after an end", events[i:], eventsAfter(f, end, 9))
		for j, e := range events {
			want := end
			if j >= i {
				want = e.ID
			}
			for _, ids := range [][2]string{{end, e.ID}, {e.ID, end}} {
				later := mustRead(f, func(r storage.Reader) (string, error) { return r.Later(ids[0], ids[1]) })
				if j == i-1 && later == e.ID && ids[0] == e.ID {
					continue // both are at the same position
				}
				wantSame(f, "the later one of an end and an event", want, later)
			}
		}
	}
}

func testEventsAreInOrder(f *fixture) {
	want := f.newEvents(50, epoch)
	f.addEvents(want[:20]...)
	f.addEvents(want[20:]...)
	wantSame(f, "all", want, eventsAfter(f, "", 100))
	wantSame(f, "the first ones", want[:7], eventsAfter(f, "", 7))
	for i := range want {
		wantSame(f, "after one", want[i+1:min(i+4, len(want))], eventsAfter(f, want[i].ID, 3))
	}
	gap := newID(schedctl.EventPrefix, epoch.Add(-time.Hour))
	wantSame(f, "after a missing one", want, eventsAfter(f, gap, 100))
	f.addEvents()
	wantSame(f, "after none were added", want, eventsAfter(f, "", 100))
}

// testEventsOfConcurrentWriters reads the outbox while many transactions add to it and
// some of them fail. Every event must be read once.
func testEventsOfConcurrentWriters(f *fixture) {
	const writers, each = 8, 20
	var writing sync.WaitGroup
	for i := range writers {
		writing.Go(func() {
			for range each {
				err := f.store.Update(f.Context(), func(tx storage.Tx) error {
					at := time.Now() // in the transaction, as callers do
					for range 3 {
						e := schedctl.Event{ID: schedctl.NewID(schedctl.EventPrefix, at), Type: schedctl.EventPostCreated, CreatedAt: schedctl.Millis(at), WorkspaceID: f.ws}
						if err := tx.AddEvents(e); err != nil {
							return err
						}
					}
					if _, err := tx.LastEvent(); err != nil {
						return err
					}
					if i == 0 {
						return errRollback
					}
					return nil
				})
				if err != nil && (i > 0 || !errors.Is(err, errRollback)) {
					f.Errorf("Update: %v", err)
				}
			}
		})
	}
	ended := make(chan struct{})
	go func() {
		writing.Wait()
		close(ended)
	}()
	followOutbox(f, ended, (writers-1)*each*3)
}

var errRollback = errors.New("rolled back on purpose")

// followOutbox reads events until the writers have ended and the expected number was
// read.
func followOutbox(f *fixture, ended <-chan struct{}, want int) {
	f.Helper()
	seen := make(map[string]bool)
	last, over := "", false
	for deadline := time.Now().Add(30 * time.Second); !over || len(seen) < want; {
		select {
		case <-ended:
			over = true
		default:
		}
		for _, e := range eventsAfter(f, last, 17) {
			if seen[e.ID] {
				f.Fatalf("event %s was read twice", e.ID)
			}
			seen[e.ID], last = true, e.ID
		}
		if time.Now().After(deadline) {
			f.Fatalf("%d events were read, want %d", len(seen), want)
		}
	}
	wantSame(f, "events read", want, len(seen))
	wantSame(f, "events after the last", []schedctl.Event{}, eventsAfter(f, last, 9))
}

func testEventIDsAreUnique(f *fixture) {
	events := f.newEvents(4, epoch)
	f.addEvents(events[1], events[2])
	for _, again := range [][]schedctl.Event{{events[1]}, {events[2]}, {events[0], events[0]}, {events[3], events[3]}} {
		if err := f.store.Update(f.Context(), func(tx storage.Tx) error { return tx.AddEvents(again...) }); err == nil {
			f.Errorf("an event was added twice")
		}
	}
	wantSame(f, "events", events[1:3], eventsAfter(f, "", 9))
}

func eventsOf(f *fixture, postID string, limit int) []schedctl.Event {
	f.Helper()
	return mustRead(f, func(r storage.Reader) ([]schedctl.Event, error) { return r.PostEvents(postID, limit) })
}

// newEventsAbout returns events. Some of them are about one of the posts.
func (f *fixture) newEventsAbout(posts [2]string, n int) []schedctl.Event {
	events := f.newEvents(n, epoch)
	for i := range events {
		events[i].PostID = append(posts[:], "")[i/2%3]
	}
	return events
}

// eventsAbout returns the events about a post.
func eventsAbout(events []schedctl.Event, postID string) []schedctl.Event {
	return slices.DeleteFunc(slices.Clone(events), func(e schedctl.Event) bool { return e.PostID != postID })
}

func twoPosts() [2]string {
	return [2]string{newID(schedctl.PostPrefix, epoch), newID(schedctl.PostPrefix, epoch)}
}

func testPostEventsOfOnePost(f *fixture) {
	posts := twoPosts()
	events := f.newEventsAbout(posts, 60)
	f.addEvents(events[40:]...) // in one call
	for _, e := range events[30:40] {
		f.addEvents(e) // one by one
	}
	backwards := slices.Clone(events[:30])
	slices.Reverse(backwards)
	f.addEvents(backwards...)
	for _, post := range posts {
		want := eventsAbout(events, post)
		wantSame(f, "events", want, eventsOf(f, post, 100))
		wantSame(f, "the latest", want[len(want)-5:], eventsOf(f, post, 5))
	}
	wantSame(f, "events of a post without any", []schedctl.Event{}, eventsOf(f, newID(schedctl.PostPrefix, epoch), 9))
	for _, id := range malformedIDs(schedctl.PostPrefix) {
		wantNotFound(f, "events of "+id, func(r storage.Reader) ([]schedctl.Event, error) { return r.PostEvents(id, 1) })
	}
	f.refuse(schedctl.Internal, func(tx storage.Tx) error {
		return errors.Join(tx.AddEvents(f.newEventsAbout(posts, 6)...), schedctl.Errorf(schedctl.Internal, "", "rolled back"))
	})
	wantSame(f, "events after a rollback", eventsAbout(events, posts[0]), eventsOf(f, posts[0], 100))
}

func testPostEventsOutliveThePost(f *fixture) {
	p := f.newPost(epoch, time.Time{}, schedctl.Draft)
	events := f.newEvents(3, epoch)
	for i := range events {
		events[i].PostID = p.ID
	}
	f.putPosts(p)
	f.addEvents(events...)
	f.update(func(tx storage.Tx) error { return tx.DeletePost(f.ws, p.ID) })
	wantSame(f, "events of a post that was deleted", events, eventsOf(f, p.ID, 9))
}
