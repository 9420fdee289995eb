package week

import (
	"time"

	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// rows renders the posts, slots and blackouts near the selection, with days below each other.
func (w *Screen) rows(v view, width, height int) postlist.EntryRows {
	room, zone := max(1, height), v.Zone
	style := postlist.EntryStyle{Post: postlist.AgendaRow, Layout: "15:04 ", Named: true}
	list, selected := w.Entries(room)
	d := postlist.EntryRows{Entries: list}
	at, day := 0, w.monday.AddDate(0, 0, -1)
	for i, e := range list {
		if its := postlist.DayOf(e.At(), zone); !e.At().IsZero() && !its.Equal(day) {
			v.addDays(&d, day.AddDate(0, 0, 1), its, i > 0 || len(d.Lines) > 0, width)
			day = its
		}
		if i == selected {
			at = len(d.Lines)
		}
		d.Add(i, style.Lines(v.Scene, e, i == selected, width)...)
	}
	if w.Posts.Next == "" {
		v.addDays(&d, day.AddDate(0, 0, 1), w.monday.AddDate(0, 0, 7), len(d.Lines) > 0, width)
	}
	above := d.Cut(at, room)
	if above > 0 && len(d.Owner) > 1 && d.Owner[0] != selected && d.Owner[0] != postlist.NoPost {
		its := postlist.DayOf(list[d.Owner[0]].At(), zone)
		d.Lines[0], d.Owner[0] = postlist.DayLines(v.Scene, its, false, width)[0], postlist.NoPost
	}
	return d
}

// addDays adds the blackouts of the days from first on, and the heading of the day last if it
// is in the week.
func (v view) addDays(d *postlist.EntryRows, first, last time.Time, apart bool, width int) {
	for day := first; !day.After(last); day = day.AddDate(0, 0, 1) {
		shades := v.ShadesOf(day, v.feed.Query.AccountID)
		if len(shades) == 0 && !day.Equal(last) || !day.Before(v.monday.AddDate(0, 0, 7)) || day.Before(v.monday) {
			continue
		}
		d.Add(postlist.NoPost, postlist.DayLines(v.Scene, day, apart, width)...)
		apart = true
		for _, sh := range shades {
			if v.Theme.Plain {
				d.Add(postlist.NoPost, screen.Wrap(sh.Sentence(day), width)...)
				continue
			}
			d.Add(postlist.NoPost, postlist.ShadeLine(v.Scene, sh, sh.Sentence(day), width))
		}
	}
}
