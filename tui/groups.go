package tui

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// groupList is the account groups of the workspace. The daemon sends no events for them:
// they are read when a composer or the command line opens.
type groupList struct {
	list    []apiv1.AccountGroup
	wanted  bool // they are to be read
	loading bool
	err     error // of the last read
}

// groupsMsg is the list of account groups.
type groupsMsg struct {
	list []apiv1.AccountGroup
	err  error
}

func (m *Model) fillGroups() tea.Cmd {
	g, c := &m.groups, m.Client()
	if !g.wanted || g.loading {
		return nil
	}
	g.wanted, g.loading = false, true
	return m.Call(func(ctx context.Context) tea.Msg {
		list, err := c.AccountGroups(ctx)
		return groupsMsg{list: list, err: screen.UnlessUnknown(err)}
	})
}

// takeGroups keeps the groups. After an error, the old ones stay.
func (m *Model) takeGroups(msg groupsMsg) {
	g := &m.groups
	if g.loading, g.err = false, msg.err; msg.err == nil {
		g.list = msg.list
	}
}

// accountsNamed returns the ids of the account with a name, or of the accounts of a group,
// such as @brand. Otherwise it says what is wrong with the name.
func (m *Model) accountsNamed(name string) (ids []string, fault string) {
	id, fault := m.accountNamed(name)
	group, isGroup := strings.CutPrefix(name, "@")
	if fault == "" {
		return []string{id}, ""
	}
	if !isGroup {
		return nil, fault
	}
	names := make([]string, len(m.groups.list))
	for i, g := range m.groups.list {
		if strings.EqualFold(g.Name, group) {
			return g.SocialAccountIDs, postlist.GroupFault(g)
		}
		names[i] = postlist.GroupName(g)
	}
	fault = "there is no account group “" + screen.OneLine(name) + "”"
	switch {
	case m.groups.loading:
		return nil, "the account groups are being read: press enter again"
	case m.groups.err != nil:
		return nil, "the account groups cannot be read: " + screen.Explain(m.groups.err)
	case len(names) == 0:
		return nil, fault + "; make one with schedctl account group create brand --account NAME"
	}
	return nil, fault + "; there are: " + screen.Clip(strings.Join(names, ", "), 200)
}
