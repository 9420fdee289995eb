package tui

import (
	"context"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// seriesMsg is the response to a request for a series.
type seriesMsg struct {
	id     string
	series apiv1.Series
	next   []apiv1.Occurrence
	err    error
}

// fillSeries requests the series of an occurrence for its details.
func (m *Model) fillSeries(p apiv1.Post) tea.Cmd {
	if p.SeriesID == nil {
		return nil
	}
	id, c, now := *p.SeriesID, m.Client(), m.Now
	info := m.series[id]
	if info.Loading || info.Err != nil || info.Loaded && !info.Outdated {
		return nil
	}
	info.Loading = true
	m.series[id] = info
	return m.Call(func(ctx context.Context) tea.Msg {
		msg := seriesMsg{id: id}
		if msg.series, msg.err = c.Series(ctx, id); msg.err == nil && msg.series.State == schedctl.SeriesActive {
			const several = 10 // some may be skipped
			msg.next, msg.err = c.Occurrences(ctx, id, now, several)
		}
		return msg
	})
}

func (m *Model) takeSeries(msg seriesMsg) tea.Cmd {
	info := m.series[msg.id]
	switch info.Loading = false; {
	case schedctl.CodeOf(msg.err) == schedctl.NotFound:
		info = postlist.SeriesInfo{Loaded: true, Deleted: true}
	case msg.err != nil:
		info.Err = msg.err
	default:
		info = postlist.SeriesInfo{Series: msg.series, Rule: postlist.RuleWords(msg.series), Loaded: true}
		for _, o := range msg.next {
			if len(info.Next) < postlist.NextTimes && o.State != apiv1.OccurrenceSkipped && o.State != apiv1.OccurrenceBlocked && o.At.After(m.Now) {
				info.Next = append(info.Next, o.At.Time)
			}
		}
		if a := msg.series.Approval; a != nil && a.State == schedctl.ApprovalPending {
			info = m.pendingInfo(msg.series)
		}
	}
	m.series[msg.id] = info
	return m.RetryLater(info.Err)
}

// markSeries makes a series be read again when it is shown.
func (m *Model) markSeries(id string) {
	if info, known := m.series[id]; known {
		info.Outdated = true
		m.series[id] = info
	}
}

// askSkip asks whether to skip an occurrence.
func (m *Model) askSkip(p apiv1.Post) tea.Cmd {
	if p.SeriesID == nil || p.Occurrence == nil {
		m.ShowError("the post does not repeat: press c to cancel it")
		return nil
	}
	if p.Status != schedctl.Scheduled {
		m.ShowError("only a scheduled occurrence can be skipped; this one is " + string(p.Status))
		return nil
	}
	seriesID, occurrence := *p.SeriesID, *p.Occurrence
	question := []string{"Skip this occurrence? The series continues. Press u afterwards to restore it."}
	if p.Detached {
		question = append(question, "It was changed alone: restoring it brings back the text of the series.")
	}
	m.dialog = &screen.Confirm{
		Question: append(question, "", screen.Excerpt(postlist.PostText(p), 200)),
		Yes: func() tea.Cmd {
			c := m.Client()
			return m.StartChange(postlist.Change{Post: p, Done: "skipped", Removes: true,
				Call: func(ctx context.Context) (apiv1.Post, error) {
					return p, c.SkipOccurrence(ctx, seriesID, occurrence)
				},
				Undo: func(apiv1.Post) *postlist.Undo {
					return &postlist.Undo{
						Label: "restore the occurrence " + postlist.Quoted(p), At: postlist.VersionOf(p), From: p.Version,
						Run: func(u *postlist.Undo) tea.Cmd { return m.unskip(u, p.ID, seriesID, occurrence) },
					}
				}})
		},
	}
	return nil
}

// unskip undoes skipping an occurrence: it removes the exdate, and the daemon makes the
// same post again.
func (m *Model) unskip(u *postlist.Undo, postID, seriesID, occurrence string) tea.Cmd {
	c := m.Client()
	m.markSeries(seriesID)
	return m.Call(func(ctx context.Context) tea.Msg {
		err := removeExdate(ctx, c, seriesID, occurrence)
		var p apiv1.Post
		if err == nil {
			p, err = c.Post(ctx, postID)
		}
		return doneMsg{done: "undone: ", post: p, err: err, undoes: u}
	})
}

// removeExdate removes an exdate of a series. It reads the series again if someone else
// has changed it since.
func removeExdate(ctx context.Context, c screen.Client, seriesID, occurrence string) (err error) {
	const attempts = 3
	for range attempts {
		s, readErr := c.Series(ctx, seriesID)
		if readErr != nil {
			return readErr
		}
		kept := slices.DeleteFunc(append([]string{}, s.Exdates...), func(local string) bool { return local == occurrence })
		if len(kept) == len(s.Exdates) {
			return nil // restored by someone else
		}
		err = c.EditSeries(ctx, screen.Version{ID: seriesID, Number: s.Version}, apiv1.EditSeries{Exdates: &kept})
		if schedctl.CodeOf(err) != schedctl.VersionMismatch {
			return err
		}
	}
	return err
}

// pendingInfo returns what is shown about a series that waits for an approval. It has no
// occurrences, so that the next times follow from the rule.
func (m *Model) pendingInfo(s apiv1.Series) postlist.SeriesInfo {
	return postlist.SeriesInfo{Series: s, Rule: postlist.RuleWords(s), Next: postlist.TimesByRule(s, m.Now), Loaded: true}
}
