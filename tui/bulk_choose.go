package tui

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// askLabels lets the user add and remove labels of the chosen posts.
func (m *Model) askLabels() tea.Cmd {
	posts, _ := m.usable(schedctl.OpAnnotate)
	if len(posts) == 0 {
		return nil
	}
	var known []string
	if f := m.Feed(); f != nil {
		known = m.labels(f.Query)
	}
	for _, p := range posts {
		known = append(known, p.Labels...)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	has := func(p apiv1.Post, label string) bool { return slices.Contains(p.Labels, label) }
	d := m.newSetMenu("Labels", known, known, posts, has, func(add, remove []string) tea.Cmd { return m.setLabels(posts, add, remove) })
	d.Noun = "label"
	d.Add = func(text string) string {
		if err := schedctl.CheckLabel("", text); err != nil {
			return explainText(err)
		}
		return ""
	}
	m.dialog = d
	return nil
}

// askAccounts lets the user add and remove accounts of the chosen posts.
func (m *Model) askAccounts() tea.Cmd {
	posts, _ := m.usable(schedctl.OpEdit)
	if len(posts) == 0 {
		return nil
	}
	var ids, names []string
	for _, a := range m.Accounts.List {
		ids, names = append(ids, a.ID), append(names, screen.OneLine(a.Name)+" ("+screen.OneLine(a.Platform)+")")
	}
	has := func(p apiv1.Post, id string) bool { return slices.Contains(p.SocialAccountIDs, id) }
	d := m.newSetMenu("Accounts", ids, names, posts, has, func(add, remove []string) tea.Cmd { return m.setAccounts(posts, add, remove) })
	d.Noun = "account"
	m.dialog = d
	return nil
}

// askQueue lets the user choose the queue whose next slots the chosen posts get.
func (m *Model) askQueue() tea.Cmd {
	posts, left := m.usable(schedctl.OpEdit)
	if len(posts) == 0 {
		return nil
	}
	if !m.queueList.loaded {
		m.queueList.wanted = true // the question opens when they are read
		return nil
	}
	if len(m.queueList.list) == 0 {
		m.ShowError("there is no queue: create one with schedctl queue create")
		return nil
	}
	var items []screen.Item
	for _, q := range m.queueList.list {
		name := screen.OneLine(q.Name)
		if q.Default {
			name += ", default"
		}
		items = append(items, screen.Item{Label: name + ": " + postlist.QueueTimes(q), Group: "queue", Chosen: len(items) == 0})
	}
	list := m.queueList.list
	d := screen.NewMenu(m.Theme, "Next free slots of which queue?", items, func(chosen []int) tea.Cmd { return m.enqueue(posts, list[chosen[0]]) })
	d.What = screen.Plural(len(posts), "post")
	if left != "" {
		d.What += "; " + left
	}
	m.dialog = d
	return nil
}

// newSetMenu returns a menu of what posts can have several of. What only some of the posts
// have stays so unless the user changes it.
func (m *Model) newSetMenu(title string, values, names []string, posts []apiv1.Post, has func(apiv1.Post, string) bool, accept func(add, remove []string) tea.Cmd) *screen.Menu {
	items := make([]screen.Item, len(values))
	for i, v := range values {
		n := 0
		for _, p := range posts {
			if has(p, v) {
				n++
			}
		}
		items[i] = screen.Item{Label: screen.OneLine(names[i]), Chosen: n == len(posts), Partly: n > 0 && n < len(posts)}
	}
	before := slices.Clone(items)
	d := screen.NewMenu(m.Theme, title, items, nil)
	d.What = screen.Plural(len(posts), "post")
	d.Accept = func(_ []int) tea.Cmd {
		var add, remove []string
		for i, it := range d.Items {
			value := it.Label
			was := screen.Item{}
			if i < len(values) {
				value, was = values[i], before[i]
			}
			switch {
			case it.Chosen && !was.Chosen:
				add = append(add, value)
			case !it.Chosen && !it.Partly && (was.Chosen || was.Partly):
				remove = append(remove, value)
			}
		}
		if add == nil && remove == nil {
			m.ShowNotice("nothing changed")
			return nil
		}
		return accept(add, remove)
	}
	return d
}

// explainText returns the message of a refusal without its code.
func explainText(err error) string {
	var refused *schedctl.Error
	if screen.AsError(err, &refused) {
		return refused.Message
	}
	return err.Error()
}
