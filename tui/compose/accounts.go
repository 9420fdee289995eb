package compose

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// accountFilter narrows the accounts and groups of the composer to those whose name has a text.
type accountFilter struct {
	typing bool // keys go to the text
	text   string
}

// maxFilter is the maximum number of bytes of the text.
const maxFilter = 80

// of returns the accounts that match.
func (f *accountFilter) of(list []apiv1.Account) (out []apiv1.Account) {
	if f.text == "" {
		return list
	}
	for _, a := range list {
		if strings.Contains(strings.ToLower(screen.OneLine(a.Name)+" "+screen.OneLine(a.Platform)), strings.ToLower(f.text)) {
			out = append(out, a)
		}
	}
	return out
}

// groups returns the account groups that match.
func (f *accountFilter) groups(list []apiv1.AccountGroup) (out []apiv1.AccountGroup) {
	for _, g := range list {
		if strings.Contains(strings.ToLower(postlist.GroupName(g)), strings.ToLower(f.text)) {
			out = append(out, g)
		}
	}
	return out
}

// key changes the text, or ends the typing: enter keeps the filter, and esc drops it.
func (f *accountFilter) key(k tea.KeyMsg) {
	switch k.Type {
	case tea.KeyEnter, tea.KeyUp, tea.KeyDown:
		f.typing = false
	case tea.KeyEsc:
		*f = accountFilter{}
	case tea.KeyBackspace:
		if runes := []rune(f.text); len(runes) > 0 {
			f.text = string(runes[:len(runes)-1])
		}
	case tea.KeyRunes, tea.KeySpace:
		if text := f.text + string(k.Runes); len(text) <= maxFilter {
			f.text = text
		}
	}
}

// title describes the filter.
func (f *accountFilter) title(n int) string {
	if f.typing {
		return fmt.Sprintf(", / %s: %d match, enter keeps the filter, esc drops it", screen.OneLine(f.text), n)
	}
	return fmt.Sprintf(", with “%s”: %d; / filters again", screen.OneLine(f.text), n)
}
