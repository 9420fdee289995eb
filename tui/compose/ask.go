package compose

import (
	"context"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// question asks for one line of text below the composer.
type question struct {
	label    string
	input    textinput.Model
	complete bool // the text is a path that can be completed
	fault    string
	accept   func(text string) (cmd tea.Cmd, fault string)
}

// completedMsg holds the paths that continue a text.
type completedMsg struct {
	id, text string
	paths    []string
}

func (m completedMsg) composer() string { return m.id }

// askFile asks for the file to attach.
func (c *composer) askFile(f Frame) tea.Cmd {
	q := &question{label: "File to attach: ", input: screen.NewInput(theme(f), "a path; tab completes it"), complete: true}
	q.input.ShowSuggestions = true
	q.accept = func(text string) (tea.Cmd, string) {
		text = strings.TrimSpace(text)
		switch {
		case text == "":
			return nil, "name a file, or press esc"
		case strings.HasSuffix(text, "/"):
			return nil, "this is a directory: name a file in it"
		}
		return c.attach(f, text), ""
	}
	c.asking = q
	return c.completePath(f)
}

// askAltText asks for the alt text of the selected file.
func (c *composer) askAltText(f Frame) {
	a := c.media.list[c.media.cursor]
	q := &question{label: "Alt text: ", input: screen.NewInput(theme(f), "what people who cannot see the file should know")}
	q.input.SetValue(a.Alt)
	shown := q.input.Value()
	q.accept = func(text string) (tea.Cmd, string) {
		if text == shown {
			return nil, "" // line breaks, which the field does not show, are kept
		}
		if err := schedctl.CheckAltText("", text); err != nil {
			return nil, screen.Explain(err)
		}
		for i := range c.media.list {
			if c.media.list[i].Asset.ID == a.Asset.ID && c.media.list[i].part == a.part {
				c.media.list[i].Alt = strings.TrimSpace(text)
			}
		}
		return c.check(), ""
	}
	c.asking = q
}

// completePath asks for the paths that continue the typed one.
func (c *composer) completePath(f Frame) tea.Cmd {
	complete, id, text := f.Complete(), c.id, c.asking.input.Value()
	if complete == nil {
		return nil
	}
	return f.Call(func(context.Context) tea.Msg { return completedMsg{id: id, text: text, paths: complete(text)} })
}

// handleCompleted takes the completions of the typed path.
func (c *composer) handleCompleted(msg completedMsg) {
	if q := c.asking; q != nil && q.complete && q.input.Value() == msg.text {
		q.input.SetSuggestions(msg.paths)
	}
}

// handleQuestionKey passes a key to the question.
func (c *composer) handleQuestionKey(f Frame, k tea.KeyMsg) tea.Cmd {
	q := c.asking
	switch {
	case key.Matches(k, keys(f).Kill, keys(f).Leave):
		c.asking = nil
		return nil
	case k.Type == tea.KeyEnter:
		cmd, fault := q.accept(q.input.Value())
		if q.fault = fault; fault == "" {
			c.asking = nil
		}
		return cmd
	}
	q.fault = ""
	before := q.input.Value()
	q.input, _ = q.input.Update(k)
	if q.complete && q.input.Value() != before {
		return c.completePath(f)
	}
	return nil
}

// questionLines renders the question with a few completions.
func (c *composer) questionLines(t screen.Theme, width int) []string {
	const most = 4
	q := c.asking
	in := q.input
	in.Width = max(1, width-len(q.label)-2)
	lines := []string{postlist.Truncate(t.Title.Render(q.label)+screen.Own(in.View()), width)}
	if q.fault != "" {
		for _, l := range screen.Wrap(q.fault, width) {
			lines = append(lines, t.Bad.Render(l))
		}
	}
	if !q.complete {
		return append(lines, t.Hint.Render(screen.Clip("enter save   esc back", width)))
	}
	for i, path := range in.MatchedSuggestions() {
		if i == most {
			lines = append(lines, t.Faint.Render("…"))
			break
		}
		lines = append(lines, t.Faint.Render(screen.Clip("  "+screen.OneLine(path), width)))
	}
	return append(lines, t.Hint.Render(screen.Clip("enter attach   tab complete   ↑ ↓ choose   esc back", width)))
}
