package tui

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl/tui/screen"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/repeat"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/recurrence"
)

// nextTimes is the number of occurrences in the details of a post.
const nextTimes = 3

// seriesInfo is what the details of an occurrence show about its series.
type seriesInfo struct {
	series   apiv1.Series
	rule     string // in words
	next     []time.Time
	loaded   bool
	loading  bool
	outdated bool
	deleted  bool
	err      error
}

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
	if info.loading || info.err != nil || info.loaded && !info.outdated {
		return nil
	}
	info.loading = true
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
	switch info.loading = false; {
	case schedctl.CodeOf(msg.err) == schedctl.NotFound:
		info = seriesInfo{loaded: true, deleted: true}
	case msg.err != nil:
		info.err = msg.err
	default:
		info = seriesInfo{series: msg.series, rule: ruleWords(msg.series), loaded: true}
		for _, o := range msg.next {
			if len(info.next) < nextTimes && o.State != apiv1.OccurrenceSkipped && o.State != apiv1.OccurrenceBlocked && o.At.After(m.Now) {
				info.next = append(info.next, o.At.Time)
			}
		}
		if a := msg.series.Approval; a != nil && a.State == schedctl.ApprovalPending {
			info = m.pendingInfo(msg.series)
		}
	}
	m.series[msg.id] = info
	return m.RetryLater(info.err)
}

// ruleWords returns the rule of a series in words.
func ruleWords(s apiv1.Series) string {
	loc, err := time.LoadLocation(s.Timezone)
	if err != nil {
		loc = time.UTC
	}
	rule, _, err := recurrence.Parse(s.Rule, schedctl.LocalTime(s.Start), loc)
	if err != nil {
		return s.Rule // of a newer daemon
	}
	return repeat.Words(&rule, schedctl.LocalTime(s.Start))
}

// markSeries makes a series be read again when it is shown.
func (m *Model) markSeries(id string) {
	if info, known := m.series[id]; known {
		info.outdated = true
		m.series[id] = info
	}
}

// repeatMark renders the sign of an occurrence of a series, with a space before it.
func repeatMark(t screen.Theme, p apiv1.Post) string {
	switch {
	case p.SeriesID == nil:
		return ""
	case t.Plain:
		return " repeats"
	}
	return " " + t.Link.Render("↻")
}

// slotText describes the slot of a post, empty for none.
func (s drawContext) slotText(p apiv1.Post) string {
	if p.Slot == nil {
		return ""
	}
	text := "slot " + strings.Replace(p.Slot.Local, "T", " ", 1) + " " + p.Slot.Timezone
	if p.QueueID != nil {
		text += " of queue " + s.queueName(*p.QueueID)
	}
	if p.NotBefore != nil {
		text += ", not before " + when.Format(p.NotBefore.In(s.Zone))
	}
	return text
}

// planLines renders the slot of a post and its series.
func (s drawContext) planLines(p apiv1.Post, width int) (lines []string) {
	if text := s.slotText(p); text != "" {
		lines = append(lines, screen.WrapWords(text, width)...)
	}
	if p.SeriesID == nil {
		return lines
	}
	info := s.series[*p.SeriesID]
	sign := "↻ "
	if s.Theme.Plain {
		sign = "repeats: "
	}
	switch {
	case info.deleted:
		lines = append(lines, screen.WrapWords(sign+"its series was deleted", width)...)
	case !info.loaded:
		lines = append(lines, sign+"…")
	default:
		lines = append(lines, screen.WrapWords(sign+screen.OneLine(info.series.Name)+": "+info.rule+", "+info.series.Timezone, width)...)
		lines = append(lines, s.nextLines(info, width)...)
	}
	if p.Detached {
		lines = append(lines, screen.WrapWords("changed alone: edits of the series do not change it", width)...)
	}
	return lines
}

// nextLines renders the next occurrences of a series.
func (s drawContext) nextLines(info seriesInfo, width int) []string {
	text := "no further times"
	switch {
	case info.series.State == schedctl.SeriesPaused:
		text = "the series is paused"
	case info.series.State == schedctl.SeriesEnded:
		text = "the series has ended"
	case len(info.next) > 0:
		times := make([]string, len(info.next))
		for i, t := range info.next {
			times[i] = t.In(s.Zone).Format("Mon 2 Jan 15:04")
		}
		text = "next: " + strings.Join(times, ", ")
	}
	var lines []string
	for _, l := range screen.WrapWords(text, width) {
		lines = append(lines, s.Theme.Faint.Render(l))
	}
	return lines
}

// queueName returns the name of a queue.
func (s drawContext) queueName(id string) string {
	if i := slices.IndexFunc(s.queues, func(q apiv1.Queue) bool { return q.ID == id }); i >= 0 {
		return screen.OneLine(s.queues[i].Name)
	}
	return screen.OneLine(id)
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
		Question: append(question, "", screen.Excerpt(postText(p), 200)),
		Yes: func() tea.Cmd {
			c := m.Client()
			return m.startChange(change{post: p, done: "skipped", removes: true,
				call: func(ctx context.Context) (apiv1.Post, error) {
					return p, c.SkipOccurrence(ctx, seriesID, occurrence)
				},
				undo: func(apiv1.Post) *undo {
					return &undo{
						label: "restore the occurrence " + quoted(p), at: versionOf(p), from: p.Version,
						run: func(u *undo) tea.Cmd { return m.unskip(u, p.ID, seriesID, occurrence) },
					}
				}})
		},
	}
	return nil
}

// unskip undoes skipping an occurrence: it removes the exdate, and the daemon makes the
// same post again.
func (m *Model) unskip(u *undo, postID, seriesID, occurrence string) tea.Cmd {
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
