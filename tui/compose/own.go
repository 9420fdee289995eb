package compose

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/fields"
	"github.com/schedctl/schedctl/client/threadtext"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// The texts of a post that are not the text of one account.
const (
	commonText  = ""              // for all accounts without their own text
	commentText = "first comment" // the reply to the last part
)

// texts are the texts of a post: the common text, the first comment, and the texts of
// single accounts. The text field holds one of them. In the field, lines --- separate
// the parts of a thread.
type texts struct {
	shown      string   // the text in the field: a constant above, or the id of an account
	parts      []string // the parts that were put into the field
	raw        string   // the text that was put into the field
	fieldValue string   // the field's version of raw, without tabs

	// The texts that are not in the field.
	common  []string
	comment string
	own     map[string]ownText // by account id
}

// ownText is what one account gets instead of the common text. Nil fields are those of
// the common text.
type ownText struct {
	content *string
	thread  []string
}

func (o ownText) isZero() bool { return o.content == nil && o.thread == nil }

func (o ownText) equal(other ownText) bool {
	return equalStrings(o.content, other.content) && (o.thread == nil) == (other.thread == nil) && slices.Equal(o.thread, other.thread)
}

// equalStrings reports whether two texts, which may be nil, are the same.
func equalStrings(a, b *string) bool { return (a == nil) == (b == nil) && (a == nil || *a == *b) }

// setTexts takes the texts of the post.
func (c *composer) setTexts(p apiv1.Post) {
	c.texts.own = map[string]ownText{}
	for _, id := range c.accountIDs {
		c.texts.own[id] = c.originalOwn(id)
	}
	if p.FirstComment != nil {
		c.texts.comment = p.FirstComment.Content
	}
	c.setField(partTexts(p.Content, p.Thread))
}

// partTexts returns the texts of all parts of a thread.
func partTexts(content string, thread []apiv1.Part) []string {
	texts := []string{content}
	for _, part := range thread {
		texts = append(texts, part.Content)
	}
	return texts
}

// setField puts parts into the field.
func (c *composer) setField(parts []string) {
	t := &c.texts
	t.parts, t.raw = parts, threadtext.Join(parts)
	if t.shown == commentText {
		t.raw = parts[0]
	}
	c.text.SetValue(t.raw)
	t.fieldValue = c.text.Value()
}

// currentText returns the text in the field. An unedited text is returned exactly as
// it was set.
func (c *composer) currentText() string {
	if text := c.text.Value(); text != c.texts.fieldValue {
		return text
	}
	return c.texts.raw
}

// fieldParts returns the parts of the text in the field. A first comment is one part.
func (c *composer) fieldParts() []string {
	switch text := c.text.Value(); {
	case text == c.texts.fieldValue:
		return c.texts.parts
	case c.texts.shown == commentText:
		return []string{text}
	default:
		return threadtext.Split(text)
	}
}

// commonParts returns the parts of all accounts without their own text.
func (c *composer) commonParts() []string {
	if c.texts.shown == commonText {
		return c.fieldParts()
	}
	return c.texts.common
}

// comment returns the text of the first comment.
func (c *composer) comment() string {
	if c.texts.shown == commentText {
		return c.currentText()
	}
	return c.texts.comment
}

// ownText returns what an account gets instead of the common text.
func (c *composer) ownText(id string) ownText {
	if id == c.texts.shown {
		return c.ownFrom(c.fieldParts())
	}
	return c.texts.own[id]
}

// ownFrom returns the difference between parts and the common text. An empty text is
// none.
func (c *composer) ownFrom(parts []string) (own ownText) {
	if strings.TrimSpace(strings.Join(parts, "")) == "" {
		return own
	}
	common := c.commonParts()
	if parts[0] != common[0] {
		own.content = &parts[0]
	}
	if !slices.Equal(parts[1:], common[1:]) {
		own.thread = append([]string{}, parts[1:]...)
	}
	return own
}

// partsFor returns the parts that an account gets.
func (c *composer) partsFor(id string) []string {
	own, parts := c.ownText(id), slices.Clone(c.commonParts())
	if own.content != nil {
		parts[0] = *own.content
	}
	if own.thread != nil {
		parts = append(parts[:1], own.thread...)
	}
	return parts
}

// switchText puts a text into the field, or the common text if it is already there.
func (c *composer) switchText(to string) tea.Cmd {
	t := &c.texts
	switch t.shown {
	case commonText:
		t.common = c.fieldParts()
	case commentText:
		t.comment = c.currentText()
	default:
		t.own[t.shown] = c.ownFrom(c.fieldParts())
	}
	if t.shown == to {
		to = commonText
	}
	parts := t.common
	switch to {
	case commonText:
	case commentText:
		parts = []string{t.comment}
	default:
		parts = c.partsFor(to)
	}
	t.shown = to
	c.setField(parts)
	return tea.Batch(c.focus(fieldText), c.check())
}

// originalOverride returns the override that an account had at first.
func (c *composer) originalOverride(id string) apiv1.Override {
	for _, o := range c.draft.From.TargetOverrides {
		if o.SocialAccountID == id {
			return o
		}
	}
	return apiv1.Override{SocialAccountID: id}
}

// originalOwn returns the own text that an account had at first.
func (c *composer) originalOwn(id string) (own ownText) {
	o := c.originalOverride(id)
	own.content = o.Content
	if o.Thread != nil {
		own.thread = append([]string{}, partTexts("", *o.Thread)[1:]...)
	}
	return own
}

// ownTextsChanged reports whether an account's own text has changed.
func (c *composer) ownTextsChanged() bool {
	return slices.ContainsFunc(c.accountIDs, func(id string) bool { return !c.ownText(id).equal(c.originalOwn(id)) })
}

// overrides returns the overrides of the selected accounts: their own texts, and
// everything else unchanged.
func (c *composer) overrides() (kept []apiv1.Override) {
	for _, id := range c.accountIDs {
		o, own, before := c.originalOverride(id), c.ownText(id), c.originalOwn(id)
		o.Content = own.content
		if own.thread == nil {
			o.Thread = nil
		} else if before.thread == nil || !slices.Equal(own.thread, before.thread) {
			o.Thread = c.ownThread(o.Thread, own.thread)
		}
		if !fields.IsEmpty(o) {
			kept = append(kept, o)
		}
	}
	return kept
}

// ownThread returns the thread of one account. Its parts keep their files, or have those
// of the common parts.
func (c *composer) ownThread(before *[]apiv1.Part, texts []string) *[]apiv1.Part {
	parts := []apiv1.Part{}
	for i, text := range texts {
		part := apiv1.Part{Content: text, Media: []apiv1.PostMedia{}}
		switch {
		case before == nil:
			part.Media = c.mediaBody(i + 1)
		case i < len(*before):
			part.Media = (*before)[i].Media
		}
		parts = append(parts, part)
	}
	return &parts
}

// allText returns all texts, to be saved in a file.
func (c *composer) allText() string {
	all := []string{threadtext.Join(c.commonParts())}
	if comment := c.comment(); strings.TrimSpace(comment) != "" {
		all = append(all, comment)
	}
	for _, id := range c.accountIDs {
		if !c.ownText(id).isZero() {
			all = append(all, threadtext.Join(c.partsFor(id)))
		}
	}
	return strings.Join(all, "\n\n")
}

// droppedFiles warns about files of parts that the own text of an account lacks.
func (c *composer) droppedFiles(s postlist.Scene) (warn []string) {
	for _, id := range c.accountIDs {
		own := c.ownText(id).thread
		if own == nil {
			continue
		}
		parts := c.thread()
		if before := c.originalOverride(id).Thread; before != nil {
			parts = *before
		}
		for i := len(own); i < len(parts); i++ {
			if len(parts[i].Media) > 0 {
				warn = append(warn, s.Name(id)+": its own text has no "+postlist.PartName(i+1)+", so the files of that part are not published there")
			}
		}
	}
	return warn
}

// Unsaved implements [screen.Writer].
func (c *composer) Unsaved() screen.Unsaved {
	if c.changed() {
		return screen.Unsaved{Text: c.allText()}
	}
	return screen.Unsaved{}
}
