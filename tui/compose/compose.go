// Package compose is the composer, in which people write and edit posts.
package compose

import (
	"slices"
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

// The fields of the composer.
const (
	fieldText  = iota
	fieldMedia // skipped if the post has no media
	fieldAccounts
	fieldTime
	fieldCount
)

// Draft is the initial content of a composer.
type Draft struct {
	post apiv1.Post      // the edited post; without an id the composer creates one
	From apiv1.Post      // the source of text, accounts and overrides
	slot *postlist.Ghost // the slot for which a post is written, or nil
	Time string          // the initial time of a new post

	resends bool // saving makes a new post for the failed targets of post
}

// NewPost returns an empty draft.
func NewPost() Draft { return Draft{} }

// EditPost returns a draft that changes a post.
func EditPost(p apiv1.Post) Draft { return Draft{post: p, From: p} }

// CopyPost returns a draft of a new post with the content of another one.
func CopyPost(p apiv1.Post) Draft { return Draft{From: p} }

// ResendPost returns a draft for the failed targets of a post that published nothing.
func ResendPost(p apiv1.Post) Draft {
	from := p
	from.SocialAccountIDs, from.TargetOverrides = nil, nil
	for _, t := range postlist.FailedTargets(p) {
		if !postlist.OutcomeUnknown(t) && !slices.ContainsFunc(t.Parts, func(p apiv1.TargetPart) bool { return p.Status == schedctl.Published }) {
			from.SocialAccountIDs = append(from.SocialAccountIDs, t.SocialAccountID)
		}
	}
	for _, o := range p.TargetOverrides {
		if slices.Contains(from.SocialAccountIDs, o.SocialAccountID) {
			from.TargetOverrides = append(from.TargetOverrides, o)
		}
	}
	return Draft{post: p, From: from, resends: true}
}

// QueuePost returns a draft for the next free slot of a queue, for the accounts that it
// names.
func QueuePost(q apiv1.Queue) Draft {
	return Draft{From: apiv1.Post{SocialAccountIDs: q.SocialAccountIDs}, Time: apiv1.PublishNextSlot + " in " + screen.OneLine(q.Name)}
}

// SlotPost returns a draft for a free slot, for the accounts that its queue names.
func SlotPost(g postlist.Ghost, q apiv1.Queue) Draft {
	return Draft{From: apiv1.Post{SocialAccountIDs: q.SocialAccountIDs}, slot: &g}
}

// composer edits a new or existing post. It keeps what was typed until the daemon
// has saved it or the user discards it.
type composer struct {
	frame Frame

	id    string // identifies this composer, to ignore late responses
	theme screen.Theme
	draft Draft

	keys, partKeys, commentKeys, accountKeys, mediaKeys []key.Binding // the most important keys, for the help lines

	text         textarea.Model
	texts        texts
	media        media
	accountIDs   []string
	cursor       int
	narrow       accountFilter
	timeInput    textinput.Model
	originalTime string
	slotText     string // the text of the time field for draft.slot
	field        int

	validation validation
	sending    bool
	sent       sentPost
	fault      string
	conflict   *apiv1.Post // the version that someone else has saved
	leaving    bool        // the question whether to save is open
	submits    bool        // the request that was sent last asks for an approval
	asking     *question   // for a file or an alt text, or nil
	settings   settings
	split      splitText
	snippets   *snippetChooser // the open chooser, or nil

	keptReferences string // the references to snippets of which the last save warned

	preview preview
}

// Open opens the composer with a draft.
func Open(f Frame, d Draft) tea.Cmd { return newComposer(f, d).open() }

// OpenInEditor opens the composer with a draft, and its text in the user's editor.
func OpenInEditor(f Frame, d Draft) tea.Cmd {
	c := newComposer(f, d)
	return tea.Batch(c.open(), c.openEditor())
}

// open shows the composer.
func (c *composer) open() tea.Cmd {
	c.frame.Open(c)
	c.frame.WantGroups()
	return c.check()
}

// newComposer returns the composer of a draft.
func newComposer(f Frame, d Draft) *composer {
	k := keys(f)
	c := &composer{frame: f,
		id: schedctl.NewULID(f.Current().Now).String(), theme: theme(f), draft: d,
		keys:        []key.Binding{k.Save, k.Field, k.Leave, k.Ask, k.Attach, k.NewPart, k.Comment, k.Settings, k.Preview, k.Snippet, k.Outside},
		partKeys:    []key.Binding{k.Save, k.Field, k.Leave, k.Ask, k.Attach, k.NewPart, k.NextPart, k.PartDown, k.Comment, k.Settings, k.Preview, k.Snippet, k.Outside},
		commentKeys: []key.Binding{k.Save, k.BackToText, k.Field, k.Leave, k.Attach, k.Snippet, k.Outside},
		accountKeys: []key.Binding{k.Save, k.Toggle, k.Own, k.Narrow, k.Field, k.Leave, k.Submit},
		mediaKeys:   []key.Binding{k.Save, k.AltText, k.Remove, k.OtherPart, k.Attach, k.Field, k.Leave, k.Submit},
		text:        screen.NewText(theme(f)), timeInput: screen.NewInput(theme(f), "empty for a draft, or tomorrow 9am, every monday 9am, next-slot, now"),
		accountIDs: slices.Clone(d.From.SocialAccountIDs),
	}
	c.setTexts(d.From)
	c.setMedia(d.From)
	c.settings = newSettings(theme(f), d.From)
	if d.post.ID != "" && d.post.PublishAt != nil && !d.resends {
		c.timeInput.SetValue(strings.TrimSuffix(d.post.PublishAt.In(f.Current().Zone).Format(screen.LocalTime), ":00"))
	}
	if d.Time != "" {
		c.timeInput.SetValue(d.Time)
	}
	if g := d.slot; g != nil {
		c.slotText = "slot " + g.At.In(f.Current().Zone).Format("Mon 2 Jan 2006 15:04") + " in " + screen.OneLine(g.Queue)
		c.timeInput.SetValue(c.slotText)
	}
	c.timeInput.Blur()
	c.originalTime = c.timeInput.Value()
	return c
}

// FullScreen implements [screen.Dialog].
func (c *composer) FullScreen() bool { return true }

// Key implements [screen.Dialog].
func (c *composer) Key(_ screen.Frame, k tea.KeyMsg) tea.Cmd {
	f := c.frame
	if c.narrow.typing && c.field == fieldAccounts && !key.Matches(k, keys(f).Kill, keys(f).Field, keys(f).FieldBack, keys(f).Save) {
		return c.handleAccountKey(f, k)
	}
	if c.leaving {
		return c.handleLeaveKey(f, k)
	}
	if c.asking != nil {
		return c.handleQuestionKey(f, k)
	}
	if c.sending && !key.Matches(k, keys(f).Kill, keys(f).Leave) {
		return nil // changes now would not be part of the request
	}
	c.fault = ""
	if c.settings.open {
		return c.handleSettingsKey(f, k)
	}
	if c.preview.open {
		return c.handlePreviewKey(f, k)
	}
	if c.snippets != nil {
		return c.handleSnippetKey(f, k)
	}
	switch {
	case key.Matches(k, keys(f).Snippet):
		return c.askSnippet(f)
	case key.Matches(k, keys(f).Preview):
		c.preview = preview{open: true}
	case key.Matches(k, keys(f).Split):
		return c.splitText(f)
	case key.Matches(k, keys(f).Settings):
		c.settings.open = true
		c.settings.Focus(0)
	case key.Matches(k, keys(f).Kill), key.Matches(k, keys(f).Leave):
		return c.askToLeave(f)
	case key.Matches(k, keys(f).Save):
		return c.save(f, false)
	case key.Matches(k, keys(f).Ask), key.Matches(k, keys(f).Submit) && (c.field == fieldAccounts || c.field == fieldMedia):
		return c.save(f, true)
	case key.Matches(k, keys(f).Field):
		return c.focus(c.nextField(1))
	case key.Matches(k, keys(f).FieldBack):
		return c.focus(c.nextField(fieldCount - 1))
	case key.Matches(k, keys(f).Attach):
		return c.askFile(f)
	case key.Matches(k, keys(f).Comment):
		return c.switchText(commentText)
	case key.Matches(k, keys(f).Theirs) && c.conflict != nil:
		c.discard(f)
		return Open(f, EditPost(*c.conflict))
	case key.Matches(k, keys(f).Outside):
		return c.openEditor()
	default:
		return c.handleFieldKey(f, k)
	}
	return nil
}

// handleFieldKey passes a key to the focused field.
func (c *composer) handleFieldKey(f Frame, k tea.KeyMsg) tea.Cmd {
	switch c.field {
	case fieldText:
		return c.handleTextKey(f, k)
	case fieldTime:
		c.timeInput, _ = c.timeInput.Update(k)
	case fieldAccounts:
		return c.handleAccountKey(f, k)
	case fieldMedia:
		return c.handleMediaKey(f, k)
	}
	return nil
}

// nextField returns the field that is steps after the focused one.
func (c *composer) nextField(steps int) int {
	field := (c.field + steps) % fieldCount
	if field == fieldMedia && len(c.media.list) == 0 {
		field = (field + steps) % fieldCount
	}
	return field
}

// handleAccountKey changes the selected accounts.
func (c *composer) handleAccountKey(f Frame, k tea.KeyMsg) tea.Cmd {
	list, groups := c.narrow.of(f.Current().Accounts.List), c.narrow.groups(f.Groups())
	rows := len(list) + len(groups)
	switch {
	case c.narrow.typing:
		c.cursor = 0
		c.narrow.key(k)
	case key.Matches(k, keys(f).Narrow):
		c.narrow = accountFilter{typing: true}
		c.cursor = 0
	case key.Matches(k, keys(f).Up):
		c.cursor = screen.Clamp(c.cursor-1, rows)
	case key.Matches(k, keys(f).Down):
		c.cursor = screen.Clamp(c.cursor+1, rows)
	case key.Matches(k, keys(f).Toggle, keys(f).Open) && c.cursor < len(list):
		id := list[c.cursor].ID
		if i := slices.Index(c.accountIDs, id); i >= 0 {
			c.accountIDs = slices.Delete(c.accountIDs, i, i+1)
		} else {
			c.accountIDs = append(c.accountIDs, id)
		}
		return c.check()
	case key.Matches(k, keys(f).Own) && c.cursor < len(list):
		id := list[c.cursor].ID
		if !slices.Contains(c.accountIDs, id) {
			c.accountIDs = append(c.accountIDs, id)
		}
		return c.switchText(id)
	case key.Matches(k, keys(f).Toggle, keys(f).Open) && c.cursor < rows:
		return c.toggleGroup(groups[c.cursor-len(list)])
	case key.Matches(k, keys(f).Own) && c.cursor < rows:
		c.fault = "a group has no text of its own: choose one of its accounts"
	}
	return nil
}

func (c *composer) focus(field int) tea.Cmd {
	c.field = field
	c.text.Blur()
	c.timeInput.Blur()
	switch field {
	case fieldText:
		c.text.Focus()
	case fieldTime:
		c.timeInput.Focus()
	}
	return nil
}

// changed reports whether something was typed that the daemon does not have.
func (c *composer) changed() bool {
	if c.draft.post.ID == "" && c.draft.From.ID != "" {
		return true // a copy is not saved yet
	}
	return c.partsChanged() || c.commentChanged() || c.timeInput.Value() != c.originalTime || c.accountsChanged() || c.ownTextsChanged() || c.settings.changed()
}

// accountsChanged reports whether the selected accounts have changed.
func (c *composer) accountsChanged() bool {
	return !slices.Equal(c.accountIDs, c.draft.From.SocialAccountIDs)
}
