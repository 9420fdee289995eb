package source_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/source/feedtest"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/enginetest"
	"github.com/schedctl/schedctl/storage/storagetest"
)

func cutLine(text string) (string, string, bool) { return strings.Cut(text, "\n") }

func same(got, want any) bool { return fmt.Sprint(got) == fmt.Sprint(want) }

// dated returns an item that is published at a time of the test.
func dated(n int, at time.Time) feedtest.Item {
	i := feedtest.Nth(n)
	i.Published = at
	return i
}

const day = 24 * time.Hour

// The first fetch makes nothing (rss2masto #7, mastofeedbot #3); later items become drafts once.
func TestNewItemsBecomeDrafts(t *testing.T) {
	t.Parallel()
	enginetest.OnEvery(t, func(t *testing.T, store storage.Store) {
		r := newRig(t, store, nil)
		r.feed.Set(feedtest.Numbered(5)...)
		r.after(0)
		r.wantSame("posts after the first fetch", r.texts(), []string{})
		r.wantSame("baseline", len(r.items(schedctl.ItemBaseline)), 5)
		r.feed.Publish(dated(6, r.time().Add(time.Minute)))
		r.after(time.Hour)
		r.wantSame("posts", r.texts(), []string{"Title 6"})
		p, s := r.posts()[0], r.source()
		if p.SourceID != r.id || p.ItemID == "" || p.CreatedBy != r.key.ID || !schedctl.IsSourceExternalID(p.ExternalID) || len(p.Notes) != 1 || p.Status() != schedctl.Draft {
			t.Errorf("the post is %+v", p)
		}
		if !s.ClaimedUntil.IsZero() || s.NextFetchAt.Before(r.time().Add(26*time.Minute)) || !s.WakeAt.Equal(s.NextFetchAt) || s.MadeSince(r.time().Add(-day)) != 1 {
			t.Errorf("the source is %+v", s.SourceProgress)
		}
		for range 5 {
			r.after(time.Hour)
		}
		r.wantSame("posts later", r.texts(), []string{"Title 6"})
	})
}

// Changed guids, links, titles, dates, order and parameters make no second post: bridgy-fed
// #2693, liferea #1195, feediverse #31 and #46, react-redux #1266, miniflux #3120.
func TestKnownItemsStayKnown(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]feedtest.Change{
		"guids": feedtest.NewGUIDs, "links": feedtest.NewLinks, "titles": feedtest.NewTitles, "texts": feedtest.NewTexts, "dates": feedtest.Redated,
		"order": feedtest.Reversed, "twice": feedtest.Twice, "tracked": feedtest.Tracked, "no guids": feedtest.NoGUIDs, "no links": feedtest.NoLinks,
		"no dates": feedtest.NoDates, "empty": feedtest.Emptied, "one guid": feedtest.OneGUID, "one link": feedtest.OneLink,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, storagetest.NewMemory(), nil)
			r.feed.Set(feedtest.Numbered(8)...)
			r.after(0)
			r.feed.Publish(dated(9, r.time()))
			r.after(time.Hour)
			r.wantSame("posts", r.texts(), []string{"Title 9"})
			r.feed.Change(change)
			r.after(time.Hour)
			r.after(25 * time.Hour)
			r.wantSame("posts after the change", len(r.posts()), 1)
			if name != "empty" {
				r.feed.Publish(dated(10, r.time()))
			}
		})
	}
}

// rss-to-activitypub #9: 2,100 posts in hours.
func TestFloodIsHeld(t *testing.T) {
	t.Parallel()
	r := newRig(t, storagetest.NewMemory(), nil)
	r.feed.Set(feedtest.Numbered(3)...)
	r.after(0)
	for n := range 30 {
		r.feed.Publish(dated(10+n, r.time().Add(time.Duration(n)*time.Second)))
	}
	r.after(time.Hour)
	s := r.source()
	if s.State != schedctl.SourceHeld || s.Fault == nil || s.Fault.Code != schedctl.SourceFlood || len(r.items(schedctl.ItemHeld)) != 30 || len(r.posts()) != 0 {
		t.Fatalf("state %s, %d held items, %d posts", s.State, len(r.items(schedctl.ItemHeld)), len(r.posts()))
	}
	r.wantSame("events", r.events(), []schedctl.EventType{schedctl.EventSourceHeld})
	r.after(day)
	r.wantSame("posts of a held source", len(r.posts()), 0)
}

// A feed that was replaced by another one makes nothing.
func TestReplacedFeedIsHeld(t *testing.T) {
	t.Parallel()
	r := newRig(t, storagetest.NewMemory(), nil)
	r.feed.Set(feedtest.Numbered(3)...)
	r.after(0)
	r.feed.Set(dated(103, r.time()), dated(102, r.time()), dated(101, r.time()))
	r.after(time.Hour)
	r.wantSame("state", r.source().State, schedctl.SourceHeld)
	r.wantSame("posts", len(r.posts()), 0)
}

// Old items that come back are recorded, and make nothing: python/planet #151, nitter #293.
func TestOldItems(t *testing.T) {
	t.Parallel()
	r := newRig(t, storagetest.NewMemory(), nil)
	r.feed.Set(feedtest.Numbered(3)...)
	r.after(0)
	undated := feedtest.Nth(51)
	undated.Published = time.Time{}
	r.feed.Set(append(r.feed.Items(), feedtest.Nth(50), undated)...)
	r.after(time.Hour)
	r.wantSame("old", r.items(schedctl.ItemOld), []string{"Title 51", "Title 50"})
	r.wantSame("posts", len(r.posts()), 0)
}

func TestLimits(t *testing.T) {
	t.Parallel()
	r := newRig(t, storagetest.NewMemory(), func(s *schedctl.Source) { s.MaxPerDay = 2 })
	r.feed.Set(feedtest.Numbered(3)...)
	r.after(0)
	for n := range 3 {
		r.feed.Publish(dated(10+n, r.time().Add(time.Duration(n)*time.Second)))
	}
	r.after(time.Hour)
	r.wantSame("posts of the first day", r.texts(), []string{"Title 10", "Title 11"})
	r.after(12 * time.Hour)
	r.wantSame("posts half a day later", len(r.posts()), 2)
	r.after(12 * time.Hour)
	r.wantSame("posts of the second day", len(r.posts()), 3)
}

// An item that left the feed within the delay is not announced.
func TestSlipsAreNotAnnounced(t *testing.T) {
	t.Parallel()
	r := newRig(t, storagetest.NewMemory(), func(s *schedctl.Source) { s.Mode, s.Delay = schedctl.SourceSubmit, 10*time.Minute })
	r.feed.Set(feedtest.Numbered(3)...)
	r.after(0)
	r.feed.Publish(dated(4, r.time()))
	r.after(time.Hour)
	r.wantSame("posts before the delay", len(r.posts()), 0)
	r.feed.Change(feedtest.Without(0))
	r.after(11 * time.Minute)
	r.wantSame("skipped", r.items(schedctl.ItemSkipped), []string{"Title 4"})
	r.feed.Publish(dated(5, r.time()))
	r.after(time.Hour)
	r.after(11 * time.Minute)
	r.wantSame("posts", r.texts(), []string{"Title 5"})
	if p := r.posts()[0]; p.Approval == nil || p.Approval.State != schedctl.ApprovalPending {
		t.Errorf("the post does not wait for an approval: %+v", p.Approval)
	}
}

// YouTube's feeds respond with 404 for days: ocaml.org #3512, rss-bridge #2113.
func TestFailingFeed(t *testing.T) {
	t.Parallel()
	r := newRig(t, storagetest.NewMemory(), nil)
	r.feed.Set(feedtest.Numbered(3)...)
	r.after(0)
	r.feed.Respond(feedtest.Status(404))
	for range 12 {
		r.after(3 * time.Hour)
	}
	s := r.source()
	if s.State != schedctl.SourceError || s.Fault == nil || s.Fault.Code != "not_found" || s.NextFetchAt.IsZero() {
		t.Fatalf("state %s, fault %+v, next %v", s.State, s.Fault, s.NextFetchAt)
	}
	r.feed.Respond(nil)
	r.after(7 * time.Hour)
	r.wantSame("events", r.events(), []schedctl.EventType{schedctl.EventSourceFailed, schedctl.EventSourceRecovered})
	r.wantSame("state", r.source().State, schedctl.SourceActive)
	r.feed.Respond(feedtest.Status(410))
	r.after(7 * time.Hour)
	if s := r.source(); s.State != schedctl.SourceError || s.Fault.Code != schedctl.SourceGone || !s.NextFetchAt.IsZero() {
		t.Errorf("after 410: %s %+v", s.State, s.Fault)
	}
}

// A source does no more than its key may.
func TestOwnerGone(t *testing.T) {
	t.Parallel()
	r := newRig(t, storagetest.NewMemory(), nil)
	r.feed.Set(feedtest.Numbered(3)...)
	r.after(0)
	r.key.RevokedAt = r.time()
	r.update(func(tx storage.Tx) error { return tx.PutKey(r.key) })
	r.feed.Publish(dated(4, r.time()))
	r.after(time.Hour)
	if s := r.source(); s.State != schedctl.SourceHeld || s.Fault.Code != schedctl.SourceOwnerGone {
		t.Errorf("state %s, fault %+v", s.State, s.Fault)
	}
	r.wantSame("posts", len(r.posts()), 0)
}

// Two nodes on one store make one post of an item.
func TestTwoNodes(t *testing.T) {
	t.Parallel()
	enginetest.OnEvery(t, func(t *testing.T, store storage.Store) {
		r := newRig(t, store, nil)
		r.feed.Set(feedtest.Numbered(3)...)
		r.after(0)
		for n := range 5 {
			r.feed.Publish(dated(10+n, r.time()))
			r.mu.Lock()
			r.now = r.now.Add(time.Hour)
			r.mu.Unlock()
			var wg sync.WaitGroup
			for range 4 {
				other := r.newRunner(store)
				wg.Go(func() {
					if err := other.Look(t.Context()); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			r.wantSame("posts", len(r.posts()), n+1)
		}
	})
}

// A transaction that fails, or whose commit is not reported, makes no second post.
func TestCrashes(t *testing.T) {
	t.Parallel()
	for _, at := range []storagetest.FailurePoint{storagetest.BeforeFn, storagetest.BeforeDisk, storagetest.AfterCommit} {
		for nth := range 4 {
			t.Run(fmt.Sprint(at, nth), func(t *testing.T) {
				t.Parallel()
				inside := storagetest.NewMemory()
				r := newRig(t, inside, nil)
				r.feed.Set(feedtest.Numbered(3)...)
				r.after(0)
				r.feed.Publish(dated(4, r.time()))
				faulty := storagetest.NewFaulty(inside)
				faulty.FailUpdates(nth+1, at)
				crashed := r.newRunner(faulty)
				r.mu.Lock()
				r.now = r.now.Add(time.Hour)
				r.mu.Unlock()
				crashed.Look(t.Context())
				for range 3 {
					r.after(time.Hour)
				}
				r.wantSame("posts", r.texts(), []string{"Title 4"})
			})
		}
	}
}
