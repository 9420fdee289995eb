package tui

import (
	"slices"
	"time"

	"github.com/schedctl/schedctl/client/apiv1"
)

// entry is a row of a list of posts and slots.
type entry struct {
	index  int // of the post in its feed, or noPost for a slot
	post   apiv1.Post
	loaded bool // post is in memory
	ghost  ghost
}

// at returns the time of an entry, zero if it is not known.
func (e entry) at() time.Time {
	switch {
	case e.index == noPost:
		return e.ghost.At.Time
	case planned(e.post) == nil:
		return time.Time{}
	}
	return planned(e.post).Time
}

// selectable reports whether the selection can be on the entry.
func (e entry) selectable() bool { return e.index != noPost || e.ghost.isFree() }

// entries returns the posts of the current view up to reach posts away from the
// selection, merged with the slots between them. selected is the index of the selected
// entry, or -1.
func (m *Model) entries(reach int) (list []entry, selected int) {
	f := m.feed()
	if f == nil {
		return nil, -1
	}
	first, end := max(0, f.selected-reach), min(f.size(), f.selected+reach+1)
	var times []time.Time // of posts, to leave out their slots
	for i := first; i < end; i++ {
		e := entry{index: i}
		if e.post, e.loaded = f.at(i); e.loaded {
			times = append(times, e.at())
		}
		list = append(list, e)
	}
	ghosts := m.ghosts()
	if first > 0 {
		ghosts = ghostsFrom(ghosts, firstTime(times))
	}
	if end < f.size() || f.next != "" {
		ghosts = ghosts[:len(ghosts)-len(ghostsFrom(ghosts, lastTime(times)))]
	}
	list = mergeGhosts(list, ghosts, times)
	chosen, isGhost := m.selectedGhost()
	return list, slices.IndexFunc(list, func(e entry) bool {
		if isGhost {
			return e.index == noPost && e.ghost.key() == chosen.key()
		}
		return e.index == f.selected
	})
}

func firstTime(times []time.Time) time.Time {
	if len(times) == 0 {
		return time.Time{}
	}
	return times[0]
}

func lastTime(times []time.Time) time.Time {
	if len(times) == 0 {
		return time.Time{}
	}
	return times[len(times)-1]
}

// mergeGhosts inserts slots into posts, in order of time. It leaves out taken slots if
// their posts are listed.
func mergeGhosts(posts []entry, ghosts []ghost, times []time.Time) []entry {
	if len(ghosts) == 0 {
		return posts
	}
	list := make([]entry, 0, len(posts)+len(ghosts))
	next := 0
	for _, g := range ghosts {
		if g.State == apiv1.SlotIsTaken && slices.ContainsFunc(times, g.At.Equal) {
			continue
		}
		for next < len(posts) && !posts[next].at().After(g.At.Time) {
			list = append(list, posts[next])
			next++
		}
		list = append(list, entry{index: noPost, ghost: g})
	}
	return append(list, posts[next:]...)
}

// selectEntry moves the selection to entry i of a list from entries.
func (m *Model) selectEntry(list []entry, i int) {
	f := m.feed()
	e := list[i]
	m.ghost = slotKey{}
	if e.index == noPost {
		m.ghost = e.ghost.key()
	}
	for near := i; near >= 0; near-- { // the post before a slot, so that the feed loads the right page
		if list[near].index != noPost {
			f.move(list[near].index - f.selected)
			return
		}
	}
	f.move(-f.size())
}

// moveEntry moves the selection over posts and free slots.
func (m *Model) moveEntry(by int) {
	f := m.feed()
	if len(m.ghosts()) == 0 {
		m.ghost = slotKey{}
		f.move(by)
		return
	}
	step, left := 1, by
	if by < 0 {
		step, left = -1, -by
	}
	reach := left + 1
	if left > f.size()+len(m.ghosts()) { // to an end of the list
		m.ghost = slotKey{}
		f.move(by)
		left, reach = len(m.ghosts()), 1
	}
	list, at := m.entries(reach)
	best := at
	for i := at + step; i >= 0 && i < len(list) && left > 0; i += step {
		if list[i].selectable() {
			best = i
			left--
		}
	}
	if best >= 0 {
		m.selectEntry(list, best)
	}
}

// stepEntryDay selects the first entry of the next or previous day with entries.
func (m *Model) stepEntryDay(by int) {
	f := m.feed()
	list, at := m.entries(f.size())
	if at < 0 {
		return
	}
	day := func(i int) time.Time { return dayOf(list[i].at(), m.Zone) }
	usable := func(i int) bool { return list[i].selectable() && !list[i].at().IsZero() }
	for i := at; i >= 0 && i < len(list); i += by {
		if !usable(i) || day(i).Equal(day(at)) {
			continue
		}
		for i > 0 && day(i-1).Equal(day(i)) {
			i--
		}
		for !usable(i) {
			i++
		}
		m.selectEntry(list, i)
		return
	}
	if by > 0 && f.next != "" {
		f.move(f.size()) // the next day is on a page that is not loaded yet
	}
}
