package compose

import (
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// hasGroup reports whether all accounts of a group are chosen, or only some of them.
func (c *composer) hasGroup(g apiv1.AccountGroup) (all, some bool) {
	n := 0
	for _, id := range g.SocialAccountIDs {
		if slices.Contains(c.accountIDs, id) {
			n++
		}
	}
	all = n > 0 && n == len(g.SocialAccountIDs) && g.HiddenAccounts == 0
	return all, n > 0 && !all
}

// toggleGroup chooses the accounts of a group, or none of them if all are chosen.
func (c *composer) toggleGroup(g apiv1.AccountGroup) tea.Cmd {
	if c.fault = postlist.GroupFault(g); c.fault != "" {
		return nil
	}
	all, _ := c.hasGroup(g)
	for _, id := range g.SocialAccountIDs {
		i := slices.Index(c.accountIDs, id)
		switch {
		case all:
			c.accountIDs = slices.Delete(c.accountIDs, i, i+1)
		case i < 0:
			c.accountIDs = append(c.accountIDs, id)
		}
	}
	return c.check()
}

// groupLine renders a group among the accounts.
func (c *composer) groupLine(g apiv1.AccountGroup, here bool, width int) string {
	all, some := c.hasGroup(g)
	text := screen.Plural(len(g.SocialAccountIDs), "account")
	if g.HiddenAccounts > 0 {
		text += fmt.Sprintf(" and %d that your key may not use", g.HiddenAccounts)
	}
	line := screen.Checkbox(screen.Item{Chosen: all, Partly: some}) + " " + postlist.GroupName(g) + " " + c.theme.Faint.Render(text)
	return screen.Clip(c.theme.Mark(here)+line, width-1)
}
