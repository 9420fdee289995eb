package storagetest

import (
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var feedParts = []part{
	{"calendar feed/keeps every field", feedKind.testKeepsEveryField},
	{"calendar feed/is listed", testFeedsAreListed},
	{"calendar feed/malformed ids", feedKind.testMalformedIDs},
	{"calendar feed/by hash", testFeedByHash},
}

// feedKind reads single calendar feeds from the list: there is no other way.
var feedKind = ownedKind[schedctl.CalendarFeed]{
	prefix: schedctl.CalendarFeedPrefix,
	ids:    func(c *schedctl.CalendarFeed) (id, ws *string) { return &c.ID, &c.WorkspaceID },
	get: func(r storage.Reader, ws, id string) (schedctl.CalendarFeed, error) {
		list, err := r.CalendarFeeds(ws)
		if err != nil {
			return schedctl.CalendarFeed{}, err
		}
		if i := slices.IndexFunc(list, func(c schedctl.CalendarFeed) bool { return c.ID == id }); i >= 0 {
			return list[i], nil
		}
		return schedctl.CalendarFeed{}, notFound("calendar feed", id)
	},
	list: storage.Reader.CalendarFeeds, put: storage.Tx.PutCalendarFeed, remove: storage.Tx.DeleteCalendarFeed,
}

func feedByHash(hash [32]byte) func(storage.Reader) (schedctl.CalendarFeed, error) {
	return func(r storage.Reader) (schedctl.CalendarFeed, error) { return r.CalendarFeedByHash(hash) }
}

func (f *fixture) newFeeds(n int) []schedctl.CalendarFeed {
	list := make([]schedctl.CalendarFeed, n)
	for i := range list {
		list[i] = feedKind.new(f, epoch)
		list[i].Hash = [32]byte{byte(i + 1)}
	}
	slices.SortFunc(list, func(a, b schedctl.CalendarFeed) int { return compareStrings(a.ID, b.ID) })
	return list
}

func testFeedsAreListed(f *fixture) {
	want := f.newFeeds(5)
	feedKind.putAll(f, want...)
	wantSame(f, "list", want, mustRead(f, feedKind.all(f.ws)))
}

func testFeedByHash(f *fixture) {
	list := f.newFeeds(2)
	feedKind.putAll(f, list...)
	wantSame(f, "by hash", list[1], mustRead(f, feedByHash(list[1].Hash)))
	wantNotFound(f, "unknown hash", feedByHash([32]byte{99}))
	list[1].Name = "renamed"
	feedKind.putAll(f, list[1])
	wantSame(f, "after a change", list[1], mustRead(f, feedByHash(list[1].Hash)))
	f.update(func(tx storage.Tx) error { return tx.DeleteCalendarFeed(f.ws, list[1].ID) })
	wantNotFound(f, "hash of a deleted feed", feedByHash(list[1].Hash))
	wantSame(f, "the other one", list[0], mustRead(f, feedByHash(list[0].Hash)))
}
