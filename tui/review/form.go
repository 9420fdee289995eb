package review

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

// step is a step of the review of a post.
type step int

const (
	stepApprove step = iota
	stepChanges
	stepSubmit
	stepNote
)

// String describes what sending the form does.
func (s step) String() string {
	return [...]string{"approve", "request changes", "ask for approval", "save the note"}[s]
}

// form shows a post and asks for a time and a note. It keeps what was typed until
// the daemon has accepted it or the user discards it.
type form struct {
	review *Review

	id   string // identifies this form, to ignore late responses
	step step
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
	form  *form
	notes []apiv1.PostNote
	err   error
}

// openReview opens the form for a step of the review, and reads the notes.
func (r *Review) openReview(p apiv1.Post, step step) tea.Cmd {
	d := &form{review: r, id: schedctl.NewULID(r.frame.Current().Now).String(), post: p, when: screen.NewInput(r.frame.Current().Theme, ""), note: screen.NewText(r.frame.Current().Theme)}
	d.note.CharLimit = schedctl.MaxReviewNote
	d.setStep(step)
	d.setWhen()
	d.focus(d.hasTime())
	r.frame.ClearNotice()
	r.frame.Open(d)
	if postlist.IsSeries(p) {
		return nil
	}
	c := r.frame.Client()
	return r.frame.Call(func(ctx context.Context) tea.Msg {
		notes, err := c.Notes(ctx, p.ID)
		return notesMsg{form: d, notes: notes, err: screen.UnlessUnknown(err)}
	})
}

// setWhen shows the proposed time of the post, unless another one was typed or it has
// passed.
func (d *form) setWhen() {
	typed := d.when.Value() != d.originalWhen
	d.originalWhen = ""
	if at := d.post.ProposedAt; at != nil && (at.NextSlot || at.Time.After(d.review.frame.Current().Now)) {
		if d.originalWhen = apiv1.PublishNextSlot; !at.NextSlot {
			d.originalWhen = strings.TrimSuffix(at.Time.In(d.review.frame.Current().Zone).Format(screen.LocalTime), ":00")
		}
	}
	if !typed {
		d.when.SetValue(d.originalWhen)
	}
}

// setStep sets what the form does.
func (d *form) setStep(step step) {
	d.step = step
	d.note.Placeholder = "What has to change?"
	switch step {
	case stepApprove, stepSubmit:
		d.note.Placeholder, d.when.Placeholder = "optional", "tomorrow 9am, next-slot"
	case stepNote:
		d.note.Placeholder = "Notes are never published."
	}
	d.keys = []key.Binding{screen.Bind("ctrl+s", step.String(), "ctrl+s"), d.keyMap().Field, screen.Bind("pgdn", "more of the post", "pgdown"), d.keyMap().Leave}
	if !d.hasTime() {
		d.keys = append(d.keys[:1:1], d.keys[2:]...)
	}
}

// hasTime reports whether the form asks for a time. A post that has failed is retried
// after its approval, and a series has its rule.
func (d *form) hasTime() bool {
	return (d.step == stepApprove || d.step == stepSubmit) && d.post.Status == schedctl.Draft && !postlist.IsSeries(d.post)
}

// FullScreen implements [screen.Dialog].
func (d *form) FullScreen() bool { return true }

// Key implements [screen.Dialog].
func (d *form) Key(f screen.Frame, k tea.KeyMsg) tea.Cmd {
	switch {
	case d.leaving:
		return d.handleLeaveKey(k)
	case key.Matches(k, d.keyMap().Kill):
		d.askToLeave()
	case d.sending: // changes now would not be part of the request
	case key.Matches(k, d.keyMap().Leave):
		d.askToLeave()
	case key.Matches(k, d.keyMap().Save), d.onWhen && k.Type == tea.KeyEnter:
		return d.send()
	case k.Type == tea.KeyPgDown:
		d.top = min(d.top+scrollStep, d.lastTop())
	case k.Type == tea.KeyPgUp:
		d.top = max(0, d.top-scrollStep)
	case key.Matches(k, d.keyMap().Field, d.keyMap().FieldBack):
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
func (d *form) lastTop() int {
	width, _ := d.review.frame.Size()
	height := d.review.frame.BodyHeight()
	room := height - len(d.below(width, height)) - 1
	return max(0, len(d.contentLines(d.review.frame.PostScene(), width))-max(1, room-1))
}

// focus moves the focus to the time, or to the note.
func (d *form) focus(onWhen bool) {
	d.onWhen = onWhen
	d.when.Blur()
	d.note.Blur()
	if onWhen {
		d.when.Focus()
	} else {
		d.note.Focus()
	}
}

// Unsaved implements [screen.Writer].
func (d *form) Unsaved() screen.Unsaved {
	if text := d.typed(); text != "" {
		return screen.Unsaved{Text: text, PostID: d.post.ID}
	}
	return screen.Unsaved{}
}

// typed returns the note without surrounding white space.
func (d *form) typed() string { return strings.TrimSpace(d.note.Value()) }

// askToLeave closes the form. If something was typed, it asks first.
func (d *form) askToLeave() {
	if d.typed() != "" || d.hasTime() && d.when.Value() != d.originalWhen {
		d.leaving = true
		return
	}
	d.review.frame.Close()
}

func (d *form) handleLeaveKey(k tea.KeyMsg) tea.Cmd {
	switch {
	case key.Matches(k, d.keyMap().Kill):
		return tea.Quit // the caller of Run keeps the note
	case key.Matches(k, d.keyMap().Keep):
		d.leaving = false
	case key.Matches(k, d.keyMap().Discard) && !d.sending:
		d.review.frame.Close()
		d.leaving = false
		d.review.frame.ShowNotice("discarded")
		if text := d.typed(); text != "" {
			d.review.frame.OfferUndo(&postlist.Undo{
				Label: "continue writing “" + screen.Clip(screen.Excerpt(text, 24), 24) + "”",
				Run: func(_ *postlist.Undo) tea.Cmd {
					d.review.frame.Open(d)
					return nil
				},
			})
		}
	}
	return nil
}
