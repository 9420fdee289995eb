package tui

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/tui/screen"
)

// labels returns the labels of all loaded posts and the label of the query.
func (m *Model) labels(q screen.Query) (list []string) {
	if q.Label != "" {
		list = append(list, q.Label)
	}
	for f := range m.feeds() {
		for p := range f.InMemory() {
			list = append(list, p.Labels...)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// newFilter returns the menu that filters a tab by status, account and label.
func (m *Model) newFilter(q screen.Query) *screen.Menu {
	statuses := m.traits().Query.Statuses
	var items []screen.Item
	for _, s := range statuses {
		items = append(items, screen.Item{Label: string(s), Chosen: slices.Contains(q.Statuses, s)})
	}
	items = append(items, screen.Item{Label: "all accounts", Group: "account", Chosen: q.AccountID == ""})
	ids := []string{""}
	for _, a := range m.Accounts.List {
		ids = append(ids, a.ID)
		items = append(items, screen.Item{Label: screen.OneLine(a.Name) + " (" + screen.OneLine(a.Platform) + ")", Group: "account", Chosen: q.AccountID == a.ID})
	}
	labels := m.labels(q)
	if len(labels) > 0 {
		labels = append([]string{""}, labels...)
		items = append(items, screen.Item{Label: "all labels", Group: "label", Chosen: q.Label == ""})
	}
	for _, l := range labels[min(1, len(labels)):] {
		items = append(items, screen.Item{Label: "label " + screen.OneLine(l), Group: "label", Chosen: q.Label == l})
	}
	return screen.NewMenu(m.Theme, "Show only", items, func(chosen []int) tea.Cmd {
		m.requery(func(q *screen.Query) {
			q.Statuses = nil
			for _, i := range chosen {
				switch account := i - len(statuses); {
				case account < 0:
					q.Statuses = append(q.Statuses, statuses[i])
				case account < len(ids):
					q.AccountID = ids[account]
				default:
					q.Label = labels[account-len(ids)]
				}
			}
			if len(q.Statuses) == 0 {
				q.Statuses = append([]schedctl.Status{}, statuses...)
			}
		})
		return nil
	})
}

// newSearch asks for a part of the content.
func (m *Model) newSearch(before string) *screen.Prompt {
	d := screen.NewPrompt(m.Theme, "Search: ", "part of the text; empty for all posts")
	d.Input.CharLimit = schedctl.MaxSearch
	d.Input.SetValue(before)
	d.Accept = func(text string) (tea.Cmd, string) {
		m.requery(func(q *screen.Query) { q.Search = text })
		return nil, ""
	}
	return d
}
