package source

import (
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/source/feed"
	"github.com/schedctl/schedctl/storage"
)

// known are the items that a source knows, by their keys.
type known struct {
	byKey map[string]*schedctl.SourceItem
	new   map[string]bool // keys of this document
	now   time.Time
}

// newKnown reads the items with one of the keys: those of the source, and of removed sources
// of its URL.
func newKnown(r storage.Reader, s *schedctl.Source, keys []feed.Keys, now time.Time) (*known, error) {
	var all []string
	for _, k := range keys {
		all = append(all, k.List()...)
	}
	items, err := r.SourceItemsByKey(s.WorkspaceID, all)
	if err != nil {
		return nil, err
	}
	k := &known{byKey: map[string]*schedctl.SourceItem{}, new: map[string]bool{}, now: now}
	for i := range items {
		item := &items[i]
		if item.SourceID != s.ID && !slices.Contains(s.Inherits, item.SourceID) {
			continue
		}
		for _, key := range item.Keys {
			if other := k.byKey[key]; other == nil || other.SourceID != s.ID && item.SourceID == s.ID {
				k.byKey[key] = item
			}
		}
	}
	return k, nil
}

// find returns the known item with one of the keys, or nil. The hash counts for some months.
func (k *known) find(keys feed.Keys) *schedctl.SourceItem {
	for _, key := range []string{keys.GUID, keys.Link} {
		if item := k.byKey[key]; key != "" && item != nil {
			return item
		}
	}
	if item := k.byKey[keys.Hash]; keys.Hash != "" && item != nil && (k.now.Sub(item.FirstSeenAt) < schedctl.SameTextKept || keys.GUID+keys.Link == "") {
		return item
	}
	return nil
}

// add reports whether an item of the document is the first with one of its keys.
func (k *known) add(keys feed.Keys) bool {
	list := keys.List()
	first := !slices.ContainsFunc(list, func(key string) bool { return k.new[key] })
	for _, key := range list {
		k.new[key] = true
	}
	return first
}

// nextDue returns when the first waiting item of a source is due, or the zero time.
func nextDue(r storage.Reader, s *schedctl.Source) (due time.Time, err error) {
	items, err := waiting(r, s)
	for i := range items {
		if at := items[i].DueAt; due.IsZero() || at.Before(due) {
			due = at
		}
	}
	return due, err
}

// maxWaiting bounds how many waiting items of a source are read.
const maxWaiting = 1000

// waiting returns the waiting items of a source, the oldest first.
func waiting(r storage.Reader, s *schedctl.Source) ([]schedctl.SourceItem, error) {
	items, err := r.SourceItems(storage.SourceItemQuery{WorkspaceID: s.WorkspaceID, SourceID: s.ID, State: schedctl.ItemWaiting, Limit: maxWaiting})
	slices.Reverse(items)
	slices.SortStableFunc(items, func(a, b schedctl.SourceItem) int {
		if a.PublishedAt.IsZero() || b.PublishedAt.IsZero() {
			return 0
		}
		return a.PublishedAt.Compare(b.PublishedAt)
	})
	return items, err
}

// duplicate reports whether another source has lately made a post of the link of an item for
// one of the same accounts.
func duplicate(r storage.Reader, s *schedctl.Source, i *schedctl.SourceItem, now time.Time) (bool, error) {
	var links []string
	for _, key := range i.Keys {
		if key != "" && key[0] == 'l' {
			links = append(links, key)
		}
	}
	items, err := r.SourceItemsByKey(s.WorkspaceID, links)
	if err != nil || len(links) == 0 {
		return false, err
	}
	for _, other := range items {
		if other.SourceID == s.ID || other.PostID == "" || now.Sub(other.FirstSeenAt) >= schedctl.SameLinkKept {
			continue
		}
		p, err := r.Post(s.WorkspaceID, other.PostID)
		if schedctl.CodeOf(err) == schedctl.NotFound {
			continue
		}
		if err != nil {
			return false, err
		}
		if slices.ContainsFunc(p.AccountIDs(), func(id string) bool { return slices.Contains(s.AccountIDs, id) }) {
			return true, nil
		}
	}
	return false, nil
}
