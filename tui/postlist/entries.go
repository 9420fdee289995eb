package postlist

import (
	"slices"
	"time"

	"github.com/schedctl/schedctl/client/apiv1"
)

// Entry is a row of a list of posts and slots.
type Entry struct {
	Index  int // of the post in its feed, or NoPost for a slot
	Post   apiv1.Post
	Loaded bool // post is in memory
	Ghost  Ghost
}

// At returns the time of an entry, zero if it is not known.
func (e Entry) At() time.Time {
	switch {
	case e.Index == NoPost:
		return e.Ghost.At.Time
	case Planned(e.Post) == nil:
		return time.Time{}
	}
	return Planned(e.Post).Time
}

// Selectable reports whether the selection can be on the entry.
func (e Entry) Selectable() bool { return e.Index != NoPost || e.Ghost.IsFree() }

// FirstTime returns the first of times in order, or the zero time.
func FirstTime(times []time.Time) time.Time {
	if len(times) == 0 {
		return time.Time{}
	}
	return times[0]
}

// LastTime returns the last of times in order, or the zero time.
func LastTime(times []time.Time) time.Time {
	if len(times) == 0 {
		return time.Time{}
	}
	return times[len(times)-1]
}

// MergeGhosts inserts slots into posts, in order of time. It leaves out taken slots if
// their posts are listed.
func MergeGhosts(posts []Entry, ghosts []Ghost, times []time.Time) []Entry {
	if len(ghosts) == 0 {
		return posts
	}
	list := make([]Entry, 0, len(posts)+len(ghosts))
	next := 0
	for _, g := range ghosts {
		if g.State == apiv1.SlotIsTaken && slices.ContainsFunc(times, g.At.Equal) {
			continue
		}
		for next < len(posts) && !posts[next].At().After(g.At.Time) {
			list = append(list, posts[next])
			next++
		}
		list = append(list, Entry{Index: NoPost, Ghost: g})
	}
	return append(list, posts[next:]...)
}
