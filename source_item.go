package schedctl

import (
	"slices"
	"time"
)

// Limits of the items of sources.
const (
	MaxItemKeys    = 16
	MaxItemContent = 64 << 10 // bytes of [SourceItem.Content]

	// ItemKept is how long an item is known after it has left its feed.
	ItemKept = 400 * 24 * time.Hour

	// ItemWait is how long an item waits for the limits of its source.
	ItemWait = 7 * 24 * time.Hour

	// SameTextKept is for how long a title and text are known again.
	SameTextKept = 90 * 24 * time.Hour

	// SameLinkKept is for how long a link of another source is a duplicate.
	SameLinkKept = 30 * 24 * time.Hour
)

// ItemState says what became of an item.
type ItemState string

// The states of items.
const (
	ItemBaseline  ItemState = "baseline"   // was in the feed when the source was added
	ItemWaiting   ItemState = "waiting"    // for its delay, its time, or a limit of the source
	ItemHeld      ItemState = "held"       // by the flood guard, until a person decides
	ItemPosted    ItemState = "posted"     // made a post
	ItemFiltered  ItemState = "filtered"   // the filter of the source left it out
	ItemOld       ItemState = "old"        // published too long ago
	ItemDuplicate ItemState = "duplicate"  // another source made a post of its link
	ItemOverLimit ItemState = "over_limit" // waited too long for the limits of the source
	ItemFailed    ItemState = "failed"     // made no post; see Reason
	ItemSkipped   ItemState = "skipped"    // by a person
	ItemChanged   ItemState = "changed"    // made a post, and changed in the feed
)

// ItemStates lists the states of items.
func ItemStates() []ItemState {
	return []ItemState{
		ItemBaseline, ItemWaiting, ItemHeld, ItemPosted, ItemFiltered, ItemOld, ItemDuplicate, ItemOverLimit, ItemFailed, ItemSkipped, ItemChanged,
	}
}

// SourceItem is an item of a source, with the keys by which it is known again.
type SourceItem struct {
	ID          string
	WorkspaceID string
	SourceID    string
	State       ItemState
	Reason      string // of failed items, and what changed of others; for people
	Title       string
	Link        string
	Author      string
	PublishedAt time.Time // as the feed says; zero if it does not
	FirstSeenAt time.Time
	SeenAt      time.Time // last in the feed
	GoneAt      time.Time // when it left the feed; zero while it is in it
	DueAt       time.Time // when a waiting item is looked at again; zero for others

	// Keys are hashes by which the item is known: each has a letter for its kind and 32
	// hexadecimal digits. The first one names the post; see [SourceExternalID].
	Keys   []string
	Round  int    // posts made of it; see [SourceExternalID]
	PostID string // the last post; empty for none

	// Content is what the post is made of, as JSON: of items that a post may still be made
	// of, and empty for others.
	Content []byte
}

// Clone returns a copy that shares nothing with i.
func (i *SourceItem) Clone() SourceItem {
	c := *i
	c.Keys, c.Content = slices.Clone(i.Keys), slices.Clone(i.Content)
	return c
}

// AddKeys adds keys that the item does not have. Of too many the first one and the latest stay.
func (i *SourceItem) AddKeys(keys ...string) {
	for _, k := range keys {
		if k != "" && !slices.Contains(i.Keys, k) {
			i.Keys = append(i.Keys, k)
		}
	}
	if extra := len(i.Keys) - MaxItemKeys; extra > 0 {
		i.Keys = slices.Delete(i.Keys, 1, 1+extra)
	}
}

// Settle stores what became of the item. It waits no longer.
func (i *SourceItem) Settle(state ItemState, reason string) {
	i.State, i.Reason, i.DueAt = state, reason, time.Time{}
}
