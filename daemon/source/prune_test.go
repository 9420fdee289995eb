package source_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/source/feedtest"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/enginetest"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// gone puts items that have left the feed at a time.
func (r *rig) gone(n int, name string, seen time.Time) {
	r.f.Helper()
	r.update(func(tx storage.Tx) error {
		for i := range n {
			err := tx.PutSourceItem(schedctl.SourceItem{
				ID: schedctl.NewID(schedctl.SourceItemPrefix, seen), WorkspaceID: r.ws, SourceID: r.id, State: schedctl.ItemOld, Title: name,
				FirstSeenAt: seen, SeenAt: seen, Keys: []string{fmt.Sprintf("g%s %d", name, i)},
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func (r *rig) known(name string) (n int) {
	r.f.Helper()
	for _, title := range r.items(schedctl.ItemOld) {
		if title == name {
			n++
		}
	}
	return n
}

// TestItemsAreForgotten guards that items are known for 400 days after they have left the
// feed, and while they are in it.
func TestItemsAreForgotten(t *testing.T) {
	t.Parallel()
	enginetest.OnEvery(t, func(t *testing.T, store storage.Store) {
		r := newRig(t, store, nil)
		r.feed.Set(feedtest.Numbered(3)...)
		r.after(0)
		r.gone(1, "old", r.time().Add(day-schedctl.ItemKept-time.Minute))
		r.gone(1, "recent", r.time().Add(2*day-schedctl.ItemKept))
		r.after(day - time.Hour)
		r.wantSame("old items before a day", r.known("old"), 1)
		r.after(time.Hour)
		r.wantSame("old items", r.known("old"), 0)
		r.wantSame("recent items", r.known("recent"), 1)
		r.wantSame("pruned", r.source().PrunedAt, r.time())
		r.after(schedctl.ItemKept + day)
		r.wantSame("items in the feed", len(r.items(schedctl.ItemBaseline)), 3)
		r.wantSame("recent items", r.known("recent"), 0)
	})
}

// TestItemsAreBounded guards that the oldest items that are not in the feed are forgotten if
// there are too many.
func TestItemsAreBounded(t *testing.T) {
	t.Parallel()
	r := newRig(t, storagetest.NewMemory(), nil)
	r.feed.Set(feedtest.Numbered(3)...)
	r.after(0)
	r.gone(300, "older", r.time().Add(-2*day))
	r.gone(schedctl.MaxSourceItems-50, "newer", r.time().Add(-day))
	r.after(day)
	r.wantSame("older items", r.known("older"), 50-3)
	r.wantSame("newer items", r.known("newer"), schedctl.MaxSourceItems-50)
	r.wantSame("items in the feed", len(r.items(schedctl.ItemBaseline)), 3)
}
