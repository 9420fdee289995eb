package share

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/qrcode"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/tui/screen"
)

// shown is the dialog with an address. The address is not shown again.
type shown struct {
	frame Frame
	made  apiv1.ShareAddress
}

// FullScreen implements [screen.Dialog].
func (d *shown) FullScreen() bool { return true }

// Key implements [screen.Dialog].
func (d *shown) Key(f screen.Frame, k tea.KeyMsg) tea.Cmd {
	switch s := f.Current(); {
	case key.Matches(k, s.Keys.Kill):
		return tea.Quit
	case key.Matches(k, s.Keys.Copy):
		return d.frame.CopyText(d.made.URL, "copied the address")
	case key.Matches(k, s.Keys.Back):
		f.Close()
	}
	return nil
}

// FootKeys implements [screen.FootKeys].
func (d *shown) FootKeys(f screen.Frame) []key.Binding {
	k := &f.Current().Keys
	return []key.Binding{k.Copy, k.Back}
}

// Lines implements [screen.Dialog]. The code is left out where it does not fit, for
// screen readers, and where its signs do not show.
func (d *shown) Lines(f screen.Frame, width, height int) []string {
	s := f.Current()
	lines := screen.Wrap("An address for "+screen.OneLine(d.made.Share.Name)+", until "+when.Format(d.made.Share.ExpiresAt.In(s.Zone))+". It is not shown again.", width)
	for i, l := range lines {
		lines[i] = s.Theme.Title.Render(l)
	}
	for _, l := range screen.Wrap(d.made.URL, width) {
		lines = append(lines, s.Theme.Link.Render(l))
	}
	if d.frame.IsOnThisMachine(d.made.URL) {
		for _, l := range screen.Wrap("Only this computer can open it, because of its host. For others, start the daemon with a --public-url that they can reach.", width) {
			lines = append(lines, s.Theme.Warn.Render(l))
		}
	}
	foot := screen.ShortHelp(s.Theme, d.FootKeys(f), width)
	switch code, err := qrcode.Draw(d.made.URL, s.Theme.Colored()); {
	case s.Theme.Plain || s.Theme.ASCII || err != nil:
	case len(lines)+len(code)+1 > height || ansi.StringWidth(code[0]) > width:
		lines = append(lines, "", s.Theme.Hint.Render(screen.Clip("A larger window also shows a QR code.", width)))
	default:
		for _, l := range code {
			lines = append(lines, screen.Own(l))
		}
		return append(lines, foot)
	}
	return append(lines, "", foot)
}
