package source

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/source/feed"
	"github.com/schedctl/schedctl/daemon/source/filter"
	"github.com/schedctl/schedctl/storage"
)

const (
	// oldAfter is how much older than the newest known item an item may be.
	oldAfter = 7 * 24 * time.Hour

	// future is how far ahead the date of an item may be before it waits for it.
	future = time.Hour

	// fewItems is how many new items are never too many.
	fewItems = 3

	// gone is how long an item has to be out of the feed before its return is noted.
	gone = 24 * time.Hour
)

// content is what a post is made of. It is stored with an item as JSON.
type content struct {
	feed.Item
	Draft bool // the post is a draft, whatever the mode of the source is
}

func (c content) encode() []byte {
	data, err := json.Marshal(c)
	if err != nil || len(data) > schedctl.MaxItemContent {
		c.Summary, c.Images = "", nil
		data, _ = json.Marshal(c)
	}
	return data
}

// entry is an item of a document with its keys.
type entry struct {
	feed.Item
	keys  feed.Keys
	below bool // a known item stands above it
}

// identity returns by what items of a source are known.
func identity(s *schedctl.Source) feed.Identity {
	if s.Identity == schedctl.IdentityAuto && s.ByLink {
		return feed.ByLink
	}
	return feed.Identity(s.Identity)
}

// record stores the items of a document. New ones wait for their posts, unless they are too
// many or a person did not want them.
func (j *job) record(tx storage.Tx, s *schedctl.Source, f *feed.Feed, lastSuccess, now time.Time) error {
	keys, repeated := f.Keys(identity(s))
	s.ByLink = s.ByLink || repeated && s.Identity == schedctl.IdentityAuto
	known, err := newKnown(tx, s, keys, now)
	if err != nil {
		return err
	}
	lastBody := s.BodyAt
	s.BodyAt = now
	newest, found := s.NewestAt, 0
	var fresh []entry
	for i, item := range f.Items {
		e := entry{Item: item, keys: keys[i], below: found > 0}
		if item.Published.After(s.NewestAt) && !item.Published.After(now) {
			s.NewestAt = schedctl.Millis(item.Published)
		}
		if old := known.find(e.keys); old != nil {
			found++
			if err := seenAgain(tx, s, old, e, lastBody, now); err != nil {
				return err
			}
			continue
		}
		if len(e.keys.List()) == 0 {
			continue // nothing would know it again
		}
		if known.add(e.keys) {
			fresh = append(fresh, e)
		}
	}
	if j.result.New = len(fresh); len(fresh) > 0 {
		j.result.Outcome = "new"
	}
	if s.BaselineAt.IsZero() {
		s.BaselineAt = now
		return j.baseline(tx, s, fresh, now)
	}
	return j.sort(tx, s, fresh, arrival{newest: newest, known: found, lastSuccess: lastSuccess}, now)
}

// baseline stores the items of the first fetch. They make no posts, except for the newest ones
// that a person wanted, which become drafts.
func (j *job) baseline(tx storage.Tx, s *schedctl.Source, fresh []entry, now time.Time) error {
	byDate := slices.Clone(fresh)
	slices.SortStableFunc(byDate, func(a, b entry) int { return b.Published.Compare(a.Published) })
	var taken []string
	for _, e := range byDate[:min(s.Take, len(byDate))] {
		taken = append(taken, e.keys.List()[0])
	}
	for _, e := range slices.Backward(fresh) { // ids in the order of the feed, the oldest first
		item := newItem(s, e, now)
		item.Settle(schedctl.ItemBaseline, "")
		if slices.Contains(taken, item.Keys[0]) {
			item.State, item.DueAt, item.Content = schedctl.ItemWaiting, now, content{e.Item, true}.encode()
		}
		if err := j.put(tx, &item); err != nil {
			return err
		}
	}
	return nil
}

// arrival is what the guards need to know about a document.
type arrival struct {
	newest      time.Time // the date of the newest item before
	known       int       // items of the document that were known
	lastSuccess time.Time
}

// sort decides about new items: old ones make no posts, and too many hold the source.
func (j *job) sort(tx storage.Tx, s *schedctl.Source, fresh []entry, a arrival, now time.Time) error {
	isOld := func(e entry) bool {
		if e.Published.IsZero() {
			return e.below
		}
		return e.Published.Before(a.newest.Add(-oldAfter)) || e.Published.Before(s.CreatedAt.Truncate(time.Second))
	}
	young := 0
	for _, e := range fresh {
		if !isOld(e) {
			young++
		}
	}
	days := max(1, int(now.Sub(a.lastSuccess)+24*time.Hour-1)/int(24*time.Hour))
	usual := max(fewItems, s.MaxPerDay*days)
	flood := young > usual || young > 0 && len(fresh) >= fewItems && a.known == 0
	matcher, err := compile(s)
	if err != nil {
		return err
	}
	for _, e := range slices.Backward(fresh) {
		item := newItem(s, e, now)
		switch reason := matcher.Match(e.Item); {
		case isOld(e):
			item.Settle(schedctl.ItemOld, "published before the source was added, or long before the newest item")
		case flood:
			item.Settle(schedctl.ItemHeld, "too many new items at once")
			item.Content = content{Item: e.Item}.encode()
		case reason != "":
			item.Settle(schedctl.ItemFiltered, reason)
		default:
			item.State, item.DueAt, item.Content = schedctl.ItemWaiting, dueAt(s, e.Published, now), content{Item: e.Item}.encode()
		}
		if err := j.put(tx, &item); err != nil {
			return err
		}
	}
	if !flood {
		return nil
	}
	j.result.Outcome = "held"
	message := fmt.Sprintf("%d new items at once, and at most %d are usual; look at the list, then release some or none of them", young, usual)
	if a.known == 0 {
		message = fmt.Sprintf("none of the %d items was known, so the feed may be another one; look at the list, then release some or none of them", len(fresh))
	}
	return hold(tx, s, schedctl.SourceFlood, message, now)
}

// dueAt returns when the post of a new item is made: after the delay, and not before its date.
func dueAt(s *schedctl.Source, published, now time.Time) time.Time {
	due := now.Add(s.Delay)
	if published.After(now.Add(future)) && published.After(due) {
		due = published
	}
	return schedctl.Millis(due)
}

func compile(s *schedctl.Source) (*filter.Compiled, error) {
	f := s.Filter
	return filter.Filter{
		Include: f.Include, Exclude: f.Exclude, Categories: f.Categories, Authors: f.Authors, TitleRegex: f.TitleRegex, Prerelease: f.Prereleases,
	}.Compile()
}

func newItem(s *schedctl.Source, e entry, now time.Time) schedctl.SourceItem {
	item := schedctl.SourceItem{
		ID: schedctl.NewID(schedctl.SourceItemPrefix, now), WorkspaceID: s.WorkspaceID, SourceID: s.ID, Title: e.Title, Link: e.Link, Author: e.Author,
		PublishedAt: schedctl.Millis(e.Published), FirstSeenAt: now, SeenAt: now,
	}
	if e.Published.IsZero() {
		item.PublishedAt = time.Time{}
	}
	item.AddKeys(e.keys.List()...)
	return item
}

// put stores a new item, and counts it.
func (j *job) put(tx storage.Tx, item *schedctl.SourceItem) error {
	j.counted = append(j.counted, item.State)
	return tx.PutSourceItem(*item)
}

// seenAgain stores that a known item is in the feed, and what changed of it.
func seenAgain(tx storage.Tx, s *schedctl.Source, old *schedctl.SourceItem, e entry, lastBody, now time.Time) error {
	if old.SourceID != s.ID { // of a removed source with the same URL
		item := newItem(s, e, now)
		item.AddKeys(old.Keys...)
		item.Settle(schedctl.ItemBaseline, "known from before the source was removed")
		return tx.PutSourceItem(item)
	}
	changed := e.keys.Hash != "" && !slices.Contains(old.Keys, e.keys.Hash)
	returned := old.SeenAt.Before(lastBody) && now.Sub(old.SeenAt) >= gone && e.Published.After(old.PublishedAt.Add(time.Second))
	old.SeenAt, old.GoneAt = now, time.Time{}
	old.AddKeys(e.keys.List()...)
	switch {
	case old.State == schedctl.ItemWaiting || old.State == schedctl.ItemHeld:
		if changed {
			old.Title, old.Link, old.Author = e.Title, e.Link, e.Author
			old.Content = content{Item: e.Item, Draft: draftOnly(old)}.encode()
		}
	case old.State == schedctl.ItemPosted && (changed || returned):
		old.State, old.Reason = schedctl.ItemChanged, "its title or text changed after its post was made"
		if returned {
			old.Reason = "it left the feed and came back with a later date; post the item again if it was made again"
		}
		old.Content = content{Item: e.Item}.encode()
		if err := noteChange(tx, old, now); err != nil {
			return err
		}
	}
	return tx.PutSourceItem(*old)
}

// draftOnly reports whether a waiting item becomes a draft in any mode.
func draftOnly(i *schedctl.SourceItem) bool {
	var c content
	return json.Unmarshal(i.Content, &c) == nil && c.Draft
}

// noteChange adds a note to the post of an item, if it is still a draft.
func noteChange(tx storage.Tx, i *schedctl.SourceItem, now time.Time) error {
	p, err := tx.Post(i.WorkspaceID, i.PostID)
	if schedctl.CodeOf(err) == schedctl.NotFound || err == nil && p.Status() != schedctl.Draft {
		return nil
	}
	if err != nil {
		return err
	}
	_, event, err := p.AddNote(schedctl.Actor{Key: schedctl.KeyRef{ID: p.CreatedBy, Name: "source"}}, "The item of the source changed: "+cmp.Or(i.Link, i.Title), now)
	if err != nil {
		return nil // the post has too many notes
	}
	return errorsJoin(tx.PutPost(p), tx.AddEvents(event))
}
