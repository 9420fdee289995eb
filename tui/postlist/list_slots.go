package postlist

import (
	"slices"
	"time"

	"github.com/schedctl/schedctl"
)

// ShowsSlots reports whether slots are shown between the posts: they have neither text nor
// labels.
func (l *List) ShowsSlots() bool {
	q := l.Posts.Query
	return l.Slots != nil && q.Search == "" && q.Label == "" && slices.Contains(q.Statuses, schedctl.Scheduled)
}

// Ghosts returns the shown slots from now on, in order of time.
func (l *List) Ghosts() []Ghost {
	if !l.ShowsSlots() {
		return nil
	}
	return GhostsFrom(l.Slots(), l.frame.Current().Now.Add(time.Millisecond))
}

// SelectedGhost implements [Holder]. Without posts, the first free slot is selected.
func (l *List) SelectedGhost() (Ghost, bool) {
	f := &l.Posts
	if l.ghost == (SlotKey{}) && f.Size() > 0 {
		return Ghost{}, false
	}
	list := l.Ghosts()
	if l.ghost != (SlotKey{}) {
		for _, g := range GhostsFrom(list, time.UnixMilli(l.ghost.At)) {
			if g.Key() == l.ghost {
				return g, g.IsFree()
			}
			if g.At.UnixMilli() > l.ghost.At {
				break
			}
		}
	}
	if i := slices.IndexFunc(list, Ghost.IsFree); i >= 0 && f.Loaded && f.Size() == 0 {
		return list[i], true
	}
	return Ghost{}, false
}

// SelectGhost selects a slot.
func (l *List) SelectGhost(g Ghost) { l.ghost = g.Key() }

// Entries returns the posts up to reach posts away from the selection, merged with the slots
// between them. selected is the index of the selected entry, or -1.
func (l *List) Entries(reach int) (list []Entry, selected int) {
	f := &l.Posts
	first, end := max(0, f.Selected-reach), min(f.Size(), f.Selected+reach+1)
	var times []time.Time // of posts, to leave out their slots
	for i := first; i < end; i++ {
		e := Entry{Index: i}
		if e.Post, e.Loaded = f.At(i); e.Loaded {
			times = append(times, e.At())
		}
		list = append(list, e)
	}
	ghosts := l.Ghosts()
	if first > 0 {
		ghosts = GhostsFrom(ghosts, FirstTime(times))
	}
	if end < f.Size() || f.Next != "" {
		ghosts = ghosts[:len(ghosts)-len(GhostsFrom(ghosts, LastTime(times)))]
	}
	list = MergeGhosts(list, ghosts, times)
	chosen, isGhost := l.SelectedGhost()
	return list, slices.IndexFunc(list, func(e Entry) bool {
		if isGhost {
			return e.Index == NoPost && e.Ghost.Key() == chosen.Key()
		}
		return e.Index == f.Selected
	})
}

// selectEntry moves the selection to entry i of a list from Entries.
func (l *List) selectEntry(list []Entry, i int) {
	f := &l.Posts
	e := list[i]
	l.SelectPost()
	if e.Index == NoPost {
		l.SelectGhost(e.Ghost)
	}
	for near := i; near >= 0; near-- { // the post before a slot, so that the feed loads the right page
		if list[near].Index != NoPost {
			f.Move(list[near].Index - f.Selected)
			return
		}
	}
	f.Move(-f.Size())
}

// Move moves the selection over posts and free slots.
func (l *List) Move(by int) {
	f := &l.Posts
	ghosts := len(l.Ghosts())
	if ghosts == 0 {
		l.SelectPost()
		f.Move(by)
		return
	}
	step, left := 1, by
	if by < 0 {
		step, left = -1, -by
	}
	reach := left + 1
	if left > f.Size()+ghosts { // to an end of the list
		l.SelectPost()
		f.Move(by)
		left, reach = len(l.Ghosts()), 1
	}
	list, at := l.Entries(reach)
	best := at
	for i := at + step; i >= 0 && i < len(list) && left > 0; i += step {
		if list[i].Selectable() {
			best = i
			left--
		}
	}
	if best >= 0 {
		l.selectEntry(list, best)
	}
}

// StepDay selects the first post or free slot of the next or previous day that has any.
func (l *List) StepDay(by int) {
	if len(l.Ghosts()) > 0 {
		l.stepEntryDay(by)
		return
	}
	f, zone := &l.Posts, l.frame.Current().Zone
	p, ok := f.Current()
	if !ok || Planned(p) == nil {
		return
	}
	day := DayOf(Planned(p).Time, zone)
	for i := f.Selected + by; i >= 0 && i < f.Size(); i += by {
		if q, ok := f.At(i); ok && Planned(q) != nil && !DayOf(Planned(q).Time, zone).Equal(day) {
			f.Selected = f.FirstOfDay(i, zone)
			return
		}
	}
	if by > 0 {
		f.Move(f.Size()) // the next day is on a page that is not loaded yet
	}
}

// stepEntryDay selects the first entry of the next or previous day with entries.
func (l *List) stepEntryDay(by int) {
	f := &l.Posts
	list, at := l.Entries(f.Size())
	if at < 0 {
		return
	}
	day := func(i int) time.Time { return DayOf(list[i].At(), l.frame.Current().Zone) }
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
		l.selectEntry(list, i)
		return
	}
	if by > 0 && f.Next != "" {
		f.Move(f.Size()) // the next day is on a page that is not loaded yet
	}
}
