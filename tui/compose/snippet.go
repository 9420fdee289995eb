package compose

import (
	"context"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/fields"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// snippetChooser lets the user choose the snippet whose text is put into the text field.
type snippetChooser struct {
	*screen.Menu
	list []apiv1.Snippet // nil until they are read
}

// SnippetsMsg is the snippets of the workspace.
type SnippetsMsg struct {
	id   string
	list []apiv1.Snippet
	err  error
}

func (m SnippetsMsg) composer() string { return m.id }

// askSnippet opens the chooser and reads the snippets, which others may have changed.
func (c *composer) askSnippet(f Frame) tea.Cmd {
	d := screen.NewMenu(theme(f), "Insert which snippet?", nil, nil)
	d.Empty = "reading the snippets …"
	c.snippets = &snippetChooser{Menu: d}
	cl, id := f.Client(), c.id
	return f.Call(func(ctx context.Context) tea.Msg {
		list, err := cl.Snippets(ctx)
		return SnippetsMsg{id: id, list: list, err: screen.UnlessUnknown(err)}
	})
}

// takeSnippets shows the snippets, or says why there are none.
func (c *composer) takeSnippets(msg SnippetsMsg) {
	switch d := c.snippets; {
	case d == nil:
	case msg.err != nil:
		c.snippets, c.fault = nil, "the snippets cannot be read: "+screen.Explain(msg.err)
	case len(msg.list) == 0:
		c.snippets, c.fault = nil, `there is no snippet: make one with schedctl snippet set tags "#go"`
	default:
		d.list, d.Items, d.Empty = msg.list, nil, ""
		for i, s := range msg.list {
			const most = 200 // columns of a text
			d.Items = append(d.Items, screen.Item{Label: screen.OneLine(s.Name) + "  " + screen.Excerpt(s.Text, most), Group: "snippet", Chosen: i == 0})
		}
		d.Cursor = screen.Clamp(d.Cursor, len(d.Visible()))
	}
}

// handleSnippetKey passes a key to the chooser. Enter inserts the text of the snippet with
// the cursor.
func (c *composer) handleSnippetKey(f Frame, k tea.KeyMsg) tea.Cmd {
	d := c.snippets
	switch {
	case key.Matches(k, keys(f).Kill):
		c.snippets = nil
		return c.askToLeave(f)
	case k.Type == tea.KeyEsc && d.Filter.Value() == "":
		c.snippets = nil
	case k.Type == tea.KeyEnter:
		if list := d.Visible(); d.Cursor < len(list) {
			return c.insertSnippet(f, d.list[list[d.Cursor]].Text)
		}
	default:
		return d.Key(f, k)
	}
	return nil
}

// insertSnippet inserts the text of a snippet at the cursor of the text field.
func (c *composer) insertSnippet(f Frame, text string) tea.Cmd {
	c.snippets = nil
	c.text.SetWidth(screen.TextWidth(width(f)))
	return tea.Batch(c.focus(fieldText), c.changeText(func() { c.text.InsertString(text) }))
}

// warnsOfReferences says that references to snippets stay in the text as they are, once for
// the same ones, and reports whether it did.
func (c *composer) warnsOfReferences(f Frame) bool {
	var found []string
	fields.MapTexts(c.body(postlist.Booking{}), func(text string) string {
		for _, r := range fields.SnippetReferences(text) {
			found = append(found, text[r.Start:r.End])
		}
		return text
	})
	all := strings.Join(found, "\n")
	if all == c.keptReferences {
		return false
	}
	if c.keptReferences = all; all == "" {
		return false
	}
	const most = 60 // columns of a reference
	c.fault = screen.Clip(screen.OneLine(found[0]), most) + " would stay in the text: only the command line puts snippets in. " +
		keys(f).Snippet.Help().Key + " inserts a snippet; save again to keep the braces"
	return true
}
