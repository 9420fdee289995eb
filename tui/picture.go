package tui

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/schedctl/schedctl/tui/screen"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// Picture is a picture of a post.
type Picture struct {
	Asset apiv1.MediaAsset
	// Lines describe the picture: name, type and size, the part of the post, alt text.
	// They may be longer than the screen is wide.
	Lines []string
}

// pictures returns the pictures of all parts of a post.
func pictures(p apiv1.Post) (list []Picture) {
	several := len(p.Thread) > 0 || p.FirstComment != nil
	add := func(part string, files []apiv1.PostMedia) {
		for _, m := range postMedia(files, p.MediaAssets) {
			class := schedctl.MediaClassOf(m.asset.MIMEType)
			if class != schedctl.MediaImage && class != schedctl.MediaGIF {
				continue
			}
			name := fileName(m.asset) + "  " + mediaFacts(m.asset)
			if several {
				name += ", " + part
			}
			list = append(list, Picture{Asset: m.asset, Lines: []string{name, altLabel(m.alt)}})
		}
	}
	add(partName(0), p.Media)
	for i, part := range p.Thread {
		add(partName(i+1), part.Media)
	}
	if p.FirstComment != nil {
		add("first comment", p.FirstComment.Media)
	}
	for i := range list {
		if len(list) > 1 {
			list[i].Lines[0] = fmt.Sprintf("%d of %d: %s", i+1, len(list), list[i].Lines[0])
		}
	}
	return list
}

// shownMsg reports that the pictures were closed.
type shownMsg struct{ err error }

// showPictures shows the pictures of a post in full screen.
func (m *Model) showPictures(p apiv1.Post) tea.Cmd {
	list := pictures(p)
	switch {
	case len(list) == 0:
		m.ShowNotice("the post has no pictures")
		return nil
	case m.show == nil:
		m.ShowError("pictures are not shown here: the details describe the files")
		return nil
	}
	show := m.show
	return tea.Exec(&terminalRun{run: func() error { return show(list) }}, func(err error) tea.Msg { return shownMsg{err} })
}

// handleShown shows why the pictures could not be shown.
func (m *Model) handleShown(msg shownMsg) {
	if msg.err != nil && !errors.Is(msg.err, context.Canceled) {
		m.ShowError(screen.Explain(msg.err))
	}
}

// terminalRun is a function that uses the terminal of the program. It is a
// [tea.ExecCommand], which releases the terminal while the function runs.
type terminalRun struct{ run func() error }

// Run calls the function.
func (t *terminalRun) Run() error { return t.run() }

// The function uses the program's own terminal.

func (t *terminalRun) SetStdin(io.Reader)  {}
func (t *terminalRun) SetStdout(io.Writer) {}
func (t *terminalRun) SetStderr(io.Writer) {}
