package bolt

import (
	"errors"
	"testing"

	bbolt "go.etcd.io/bbolt"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// An old version of a post can come back, so two posts may have the same slot. One of them
// loses it, and both keep their time.
func TestSalvageOfOneSlotTwice(t *testing.T) {
	t.Parallel()
	var all []schedctl.Post
	path := seededFile(t, func(s *Store) {
		err := s.db.Update(func(tx *bbolt.Tx) error {
			in := tx.Bucket([]byte(bucketNames[posts]))
			err := in.ForEach(func(k, v []byte) error {
				p, err := readPost(k, v)
				all = append(all, p)
				return err
			})
			all[0].PublishAt = all[1].PublishAt
			key, _ := schedctl.ParseID(schedctl.PostPrefix, all[0].ID)
			record, err2 := encode(new(coder), nil, &all[0], (*coder).post)
			return errors.Join(err, err2, in.Put(key[:], record))
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	report, to := salvaged(t, path)
	wantRecords(t, report, posts, 3, 0)
	s, err := Open(to, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	err = s.View(t.Context(), func(r storage.Reader) error {
		a, err := r.Post(all[0].WorkspaceID, all[0].ID)
		b, err2 := r.Post(all[1].WorkspaceID, all[1].ID)
		if (a.Slot == schedctl.Slot{}) == (b.Slot == schedctl.Slot{}) || !a.PublishAt.Equal(b.PublishAt) {
			t.Errorf("slots %+v at %s and %+v at %s", a.Slot, a.PublishAt, b.Slot, b.PublishAt)
		}
		return errors.Join(err, err2)
	})
	if err != nil {
		t.Error(err)
	}
}

// TestSalvageOfDeletedPlans guards that series and calendar feeds from outside the tree,
// which may have been deleted, come back without effect.
func TestSalvageOfDeletedPlans(t *testing.T) {
	t.Parallel()
	s := seeded(t)
	err := s.Update(t.Context(), func(opened storage.Tx) error {
		tx := opened.(*tx)
		list, err := tx.Workspaces()
		if err != nil {
			return err
		}
		ws := list[0].ID
		for _, b := range []bucket{series, calendarFeeds} {
			var found []row
			tx.each(b, func(key, record []byte) {
				found = append(found, row{append([]byte(nil), key...), append([]byte(nil), record...), true})
			})
			all, err1 := tx.SeriesList(ws, "", 9)
			feeds, err2 := tx.CalendarFeeds(ws)
			if err := errors.Join(err1, err2); err != nil {
				return err
			}
			if b == series {
				err = tx.DeleteSeries(ws, all[0].ID)
			} else {
				err = tx.DeleteCalendarFeed(ws, feeds[0].ID)
			}
			if err := errors.Join(err, kindOfBucket(b).put(tx, found[0])); err != nil {
				return err
			}
		}
		all, err1 := tx.SeriesList(ws, "", 9)
		feeds, err2 := tx.CalendarFeeds(ws)
		if len(all) != 1 || all[0].State != schedctl.SeriesPaused || !all[0].SweepAt.IsZero() {
			t.Errorf("series %+v, want a paused one", all)
		}
		if len(feeds) != 1 || feeds[0].ExpiresAt.IsZero() {
			t.Errorf("feeds %+v, want an expired one", feeds)
		}
		return errors.Join(err1, err2)
	})
	if err := errors.Join(err, s.Check(t.Context())); err != nil {
		t.Error(err)
	}
}
