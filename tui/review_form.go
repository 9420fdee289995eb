package tui

import (
	"context"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textarea"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// reviewStep is a step of the review of a post.
type reviewStep int

const (
	stepApprove reviewStep = iota
	stepChanges
	stepSubmit
	stepNote
)

// String describes what sending the form does.
func (s reviewStep) String() string {
	return [...]string{"approve", "request changes", "ask for approval", "save the note"}[s]
}

// reviewForm shows a post and asks for a time and a note. It keeps what was typed until
// the daemon has accepted it or the user discards it.
type reviewForm struct {
	id   string // identifies this form, to ignore late responses
	step reviewStep
	post apiv1.Post // as it is shown, and as the decision is about it
	keys []key.Binding

	notes        []apiv1.PostNote // about the post
	when         textinput.Model
	originalWhen string
	note         textarea.Model
	onWhen       bool // the time has the focus
	top          int  // the first line of the post on the screen

	sending  bool
	leaving  bool // the question whether to leave is open
	fault    string
	changed  bool   // someone else has changed the post since the form was opened
	blackout string // the time that a blackout has refused, as it was typed
}

// scrollStep is how many lines of the post a key scrolls.
const scrollStep = 3

// notesMsg is the notes of the post in a form.
type notesMsg struct {
	form  *reviewForm
	notes []apiv1.PostNote
	err   error
}

// openReview opens the form for a step of the review, and reads the notes.
func (m *Model) openReview(p apiv1.Post, step reviewStep) tea.Cmd {
	d := &reviewForm{id: schedctl.NewULID(m.Now).String(), post: p, when: screen.NewInput(m.Theme, ""), note: newText(m.Theme)}
	d.note.CharLimit = schedctl.MaxReviewNote
	d.setStep(m, step)
	d.setWhen(m)
	d.focus(d.hasTime())
	m.dialog, m.notice = d, notice{}
	if postlist.IsSeries(p) {
		return nil
	}
	c := m.Client()
	return m.Call(func(ctx context.Context) tea.Msg {
		notes, err := c.Notes(ctx, p.ID)
		return notesMsg{form: d, notes: notes, err: screen.UnlessUnknown(err)}
	})
}

// setWhen shows the proposed time of the post, unless another one was typed or it has
// passed.
func (d *reviewForm) setWhen(m *Model) {
	typed := d.when.Value() != d.originalWhen
	d.originalWhen = ""
	if at := d.post.ProposedAt; at != nil && (at.NextSlot || at.Time.After(m.Now)) {
		if d.originalWhen = apiv1.PublishNextSlot; !at.NextSlot {
			d.originalWhen = strings.TrimSuffix(at.Time.In(m.Zone).Format(localTime), ":00")
		}
	}
	if !typed {
		d.when.SetValue(d.originalWhen)
	}
}

// setStep sets what the form does.
func (d *reviewForm) setStep(m *Model, step reviewStep) {
	d.step = step
	d.note.Placeholder = "What has to change?"
	switch step {
	case stepApprove, stepSubmit:
		d.note.Placeholder, d.when.Placeholder = "optional", "tomorrow 9am, next-slot"
	case stepNote:
		d.note.Placeholder = "Notes are never published."
	}
	d.keys = []key.Binding{screen.Bind("ctrl+s", step.String(), "ctrl+s"), m.Keys.Field, screen.Bind("pgdn", "more of the post", "pgdown"), m.Keys.Leave}
	if !d.hasTime() {
		d.keys = append(d.keys[:1:1], d.keys[2:]...)
	}
}

// hasTime reports whether the form asks for a time. A post that has failed is retried
// after its approval, and a series has its rule.
func (d *reviewForm) hasTime() bool {
	return (d.step == stepApprove || d.step == stepSubmit) && d.post.Status == schedctl.Draft && !postlist.IsSeries(d.post)
}

// FullScreen implements [Dialog].
func (d *reviewForm) FullScreen() bool { return true }

// Key implements [Dialog].
func (d *reviewForm) Key(f screen.Frame, k tea.KeyMsg) tea.Cmd {
	m := f.(*Model)
	switch {
	case d.leaving:
		return d.handleLeaveKey(m, k)
	case key.Matches(k, m.Keys.Kill):
		d.askToLeave(m)
	case d.sending: // changes now would not be part of the request
	case key.Matches(k, m.Keys.Leave):
		d.askToLeave(m)
	case key.Matches(k, m.Keys.Save), d.onWhen && k.Type == tea.KeyEnter:
		return d.send(m)
	case k.Type == tea.KeyPgDown:
		d.top = min(d.top+scrollStep, d.lastTop(m))
	case k.Type == tea.KeyPgUp:
		d.top = max(0, d.top-scrollStep)
	case key.Matches(k, m.Keys.Field, m.Keys.FieldBack):
		d.focus(!d.onWhen && d.hasTime())
	case d.onWhen:
		d.fault = ""
		d.when, _ = d.when.Update(k)
	default:
		d.fault = ""
		d.note, _ = d.note.Update(k)
	}
	return nil
}

// lastTop returns the first line of the post when its end is on the screen.
func (d *reviewForm) lastTop(m *Model) int {
	height := m.BodyHeight()
	room := height - len(d.below(m, m.width, height)) - 1
	return max(0, len(d.contentLines(m.scene(), m.width))-max(1, room-1))
}

// focus moves the focus to the time, or to the note.
func (d *reviewForm) focus(onWhen bool) {
	d.onWhen = onWhen
	d.when.Blur()
	d.note.Blur()
	if onWhen {
		d.when.Focus()
	} else {
		d.note.Focus()
	}
}

// typed returns the note without surrounding white space.
func (d *reviewForm) typed() string { return strings.TrimSpace(d.note.Value()) }

// askToLeave closes the form. If something was typed, it asks first.
func (d *reviewForm) askToLeave(m *Model) {
	if d.typed() != "" || d.hasTime() && d.when.Value() != d.originalWhen {
		d.leaving = true
		return
	}
	m.dialog = nil
}

func (d *reviewForm) handleLeaveKey(m *Model, k tea.KeyMsg) tea.Cmd {
	switch {
	case key.Matches(k, m.Keys.Kill):
		return tea.Quit // the caller of Run keeps the note
	case key.Matches(k, m.Keys.Keep):
		d.leaving = false
	case key.Matches(k, m.Keys.Discard) && !d.sending:
		m.dialog, d.leaving = nil, false
		m.ShowNotice("discarded")
		if text := d.typed(); text != "" {
			m.offerUndo(&postlist.Undo{
				Label: "continue writing “" + screen.Clip(screen.Excerpt(text, 24), 24) + "”",
				Run: func(_ *postlist.Undo) tea.Cmd {
					m.dialog = d
					return nil
				},
			})
		}
	}
	return nil
}
