package compose

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// Frame is what the composer asks of the program around it.
type Frame interface {
	postlist.Frame
	// Groups returns the account groups as of the last read, and WantGroups has them read
	// again.
	Groups() []apiv1.AccountGroup
	WantGroups()
	// ZoneName returns the IANA name of the zone if the zone itself does not have it.
	ZoneName() string
	// Complete returns the function that returns the paths that start with a text,
	// directories with a slash at the end, or nil.
	Complete() func(text string) []string
	// Editor returns the function that opens a text in an editor which uses the terminal, and
	// returns the edited text, or nil.
	Editor() func(text string) (string, error)
	// Upload is Call with the time of an upload.
	Upload(f func(ctx context.Context) tea.Msg) tea.Cmd
	// ShowSaved shows and selects a post that the daemon has saved.
	ShowSaved(p apiv1.Post)
	// Reload has everything on the screen read again.
	Reload() tea.Cmd
}

func width(f Frame) int {
	w, _ := f.Size()
	return w
}

func height(f Frame) int {
	_, h := f.Size()
	return h
}

func theme(f Frame) screen.Theme { return f.Current().Theme }

func keys(f Frame) *screen.KeyMap { return &f.Current().Keys }
