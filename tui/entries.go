package tui

import (
	"slices"
	"time"

	"github.com/schedctl/schedctl/tui/postlist"
)

// entries returns the posts of the current view up to reach posts away from the
// selection, merged with the slots between them. selected is the index of the selected
// entry, or -1.
func (m *Model) entries(reach int) (list []postlist.Entry, selected int) {
	f := m.Feed()
	if f == nil {
		return nil, -1
	}
	first, end := max(0, f.Selected-reach), min(f.Size(), f.Selected+reach+1)
	var times []time.Time // of posts, to leave out their slots
	for i := first; i < end; i++ {
		e := postlist.Entry{Index: i}
		if e.Post, e.Loaded = f.At(i); e.Loaded {
			times = append(times, e.At())
		}
		list = append(list, e)
	}
	ghosts := m.ghosts()
	if first > 0 {
		ghosts = postlist.GhostsFrom(ghosts, postlist.FirstTime(times))
	}
	if end < f.Size() || f.Next != "" {
		ghosts = ghosts[:len(ghosts)-len(postlist.GhostsFrom(ghosts, postlist.LastTime(times)))]
	}
	list = postlist.MergeGhosts(list, ghosts, times)
	chosen, isGhost := m.selectedGhost()
	return list, slices.IndexFunc(list, func(e postlist.Entry) bool {
		if isGhost {
			return e.Index == postlist.NoPost && e.Ghost.Key() == chosen.Key()
		}
		return e.Index == f.Selected
	})
}

// selectEntry moves the selection to entry i of a list from entries.
func (m *Model) selectEntry(list []postlist.Entry, i int) {
	f := m.Feed()
	e := list[i]
	m.ghost = postlist.SlotKey{}
	if e.Index == postlist.NoPost {
		m.ghost = e.Ghost.Key()
	}
	for near := i; near >= 0; near-- { // the post before a slot, so that the feed loads the right page
		if list[near].Index != postlist.NoPost {
			f.Move(list[near].Index - f.Selected)
			return
		}
	}
	f.Move(-f.Size())
}

// moveEntry moves the selection over posts and free slots.
func (m *Model) moveEntry(by int) {
	f := m.Feed()
	if len(m.ghosts()) == 0 {
		m.ghost = postlist.SlotKey{}
		f.Move(by)
		return
	}
	step, left := 1, by
	if by < 0 {
		step, left = -1, -by
	}
	reach := left + 1
	if left > f.Size()+len(m.ghosts()) { // to an end of the list
		m.ghost = postlist.SlotKey{}
		f.Move(by)
		left, reach = len(m.ghosts()), 1
	}
	list, at := m.entries(reach)
	best := at
	for i := at + step; i >= 0 && i < len(list) && left > 0; i += step {
		if list[i].Selectable() {
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
	f := m.Feed()
	list, at := m.entries(f.Size())
	if at < 0 {
		return
	}
	day := func(i int) time.Time { return postlist.DayOf(list[i].At(), m.Zone) }
	usable := func(i int) bool { return list[i].Selectable() && !list[i].At().IsZero() }
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
	if by > 0 && f.Next != "" {
		f.Move(f.Size()) // the next day is on a page that is not loaded yet
	}
}
