package storagetest

import (
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest/oracle"
)

// slotsPerSearch is how many slots one read of occupied times covers.
const slotsPerSearch = 8

// takeSlot gives a new post the first free slot of its accounts.
func (s *modelSubject) takeSlot(tx storage.Tx, n *schedctl.NewPost) error {
	every := s.start.SlotEvery
	var ids []string
	for i := range n.Accounts {
		ids = append(ids, n.Accounts[i].ID)
	}
	for from := s.start.FirstSlot(s.now.Add(oracle.SlotMargin)); ; from = from.Add(slotsPerSearch * every) {
		until := from.Add(slotsPerSearch * every)
		taken, err := tx.Occupied(storage.OccupiedQuery{WorkspaceID: n.WorkspaceID, AccountIDs: ids, From: from, Until: until, Limit: manyRecords})
		if err != nil {
			return err
		}
		for at := from; at.Before(until); at = at.Add(every) {
			if slices.ContainsFunc(taken, func(o storage.OccupiedTime) bool { return o.At.Equal(at) }) {
				continue
			}
			n.PublishAt = at
			n.Booking = schedctl.Booking{Slot: schedctl.Slot{Local: schedctl.LocalTimeOf(at.Truncate(time.Minute)), Timezone: "UTC"}}
			return nil
		}
	}
}

// checkSlotStays refuses added accounts that have another post in the slot of a post.
func (s *modelSubject) checkSlotStays(tx storage.Tx, before, p *schedctl.Post) error {
	if p.Slot == (schedctl.Slot{}) {
		return nil
	}
	added := slices.DeleteFunc(p.AccountIDs(), func(id string) bool { return slices.Contains(before.AccountIDs(), id) })
	taken, err := tx.Occupied(storage.OccupiedQuery{
		WorkspaceID: p.WorkspaceID, AccountIDs: added, From: p.PublishAt, Until: p.PublishAt.Add(time.Millisecond), Limit: 1,
	})
	if err == nil && len(taken) > 0 {
		err = storage.SlotTaken(taken[0].AccountID, p.PublishAt)
	}
	return err
}
