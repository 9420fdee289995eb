package storagetest

import (
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var blackoutParts = []part{
	{"blackout/keeps every field", blackoutKind.testKeepsEveryField},
	{"blackout/is listed", blackoutKind.testIsListed},
	{"blackout/malformed ids", blackoutKind.testMalformedIDs},
	{"blackout/by end", testBlackoutsByEnd},
}

var blackoutKind = ownedKind[schedctl.Blackout]{
	prefix: schedctl.BlackoutPrefix,
	ids:    func(b *schedctl.Blackout) (id, ws *string) { return &b.ID, &b.WorkspaceID },
	get:    storage.Reader.Blackout, list: storage.Reader.Blackouts, put: storage.Tx.PutBlackout, remove: storage.Tx.DeleteBlackout,
}

// newBlackout returns a blackout that is not settled and ends at a time, or never.
func (f *fixture) newBlackout(end time.Time) schedctl.Blackout {
	return schedctl.Blackout{
		ID: newID(schedctl.BlackoutPrefix, epoch), WorkspaceID: f.ws, Mode: schedctl.BlackoutHold, StartsAt: epoch, EndsAt: end,
		CreatedAt: epoch, UpdatedAt: epoch, Version: 1,
	}
}

func testBlackoutsByEnd(f *fixture) {
	var all []schedctl.Blackout
	for i := range 6 {
		all = append(all, f.newBlackout(epoch.Add(time.Duration(i)*time.Hour)))
	}
	all[1].Mode = schedctl.BlackoutAvoid
	all[2].WorkspaceID = newID(schedctl.WorkspacePrefix, epoch)
	open, settled := f.newBlackout(time.Time{}), f.newBlackout(epoch)
	settled.SettledAt = epoch
	for _, i := range []int{4, 0, 5, 2, 1, 3} {
		blackoutKind.putAll(f, all[i])
	}
	blackoutKind.putAll(f, open, settled)
	byEnd := func(before time.Time, limit int) []schedctl.Blackout {
		return mustRead(f, func(r storage.Reader) ([]schedctl.Blackout, error) { return r.BlackoutsByEnd(before, limit) })
	}
	never := epoch.Add(1000 * time.Hour)
	wantSame(f, "all", all, byEnd(never, manyRecords))
	wantSame(f, "the first", all[:2], byEnd(never, 2))
	wantSame(f, "before an end", all[:3], byEnd(all[3].EndsAt, manyRecords))
	wantSame(f, "after an end", all[:4], byEnd(all[3].EndsAt.Add(time.Millisecond), manyRecords))

	all[0].SettledAt = epoch
	all[1].EndsAt = epoch.Add(90 * time.Minute)
	all[3].EndsAt = time.Time{}
	blackoutKind.putAll(f, all[0], all[1], all[3])
	f.update(func(tx storage.Tx) error { return tx.DeleteBlackout(f.ws, all[4].ID) })
	wantSame(f, "after changes", []schedctl.Blackout{all[1], all[2], all[5]}, byEnd(never, manyRecords))
}
