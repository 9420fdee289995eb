package tui

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// command is a command of the command line.
type command struct {
	name, arg string // arg names what follows; empty for nothing
	aliases   []string
	optional  bool // arg may be left out
	about     string
	example   string
	posts     bool                                         // acts on the marked posts or the selected one
	run       func(m *Model, arg string) (tea.Cmd, string) // also returns what is wrong, or the empty string
}

// commands lists the commands in the order in which they are shown.
func commands() []command {
	list := []command{
		{name: "goto", arg: "DATE", aliases: []string{"date"}, about: "show the week or month of a date", example: "goto friday", run: (*Model).runGoTo},
		{name: "today", about: "show today in the week or month", run: func(m *Model, _ string) (tea.Cmd, string) {
			m.GoTo(m.Now)
			return nil, ""
		}},
		{name: "move", arg: "TIME", posts: true, about: "move by +2h or -1 week, or to a time", example: "move +1 week", run: (*Model).runMove},
		{name: "label", arg: "LABELS", posts: true, optional: true, about: "add labels; -NAME removes one; without names it lets you choose", example: "label launch, -draft", run: (*Model).runLabel},
		{name: "to", arg: "ACCOUNTS", posts: true, optional: true, about: "add accounts, or a group such as @brand; -NAME removes one; without names it lets you choose", example: "to blog, -sky", run: (*Model).runAccounts},
		{name: "queue", arg: "QUEUE", posts: true, optional: true, about: "give the next free slots of a queue", example: "queue daily", run: (*Model).runQueue},
		{name: "unschedule", posts: true, about: "change to drafts", run: func(m *Model, _ string) (tea.Cmd, string) {
			return m.askBulk("change to drafts", schedctl.OpUnschedule, m.unschedulePosts), ""
		}},
		{name: "cancel", posts: true, about: "cancel, after a question", run: func(m *Model, _ string) (tea.Cmd, string) {
			return m.askBulk("cancel", schedctl.OpCancel, m.cancelPosts), ""
		}},
		{name: "archive", posts: true, about: "put away posts that are published, failed or canceled", run: func(m *Model, _ string) (tea.Cmd, string) {
			return m.askBulk("archive", schedctl.OpArchive, m.archive), ""
		}},
		{name: "mark", about: "mark all posts that are loaded in this view", run: (*Model).runMark},
		{name: "unmark", about: "end all marks", run: func(m *Model, _ string) (tea.Cmd, string) {
			m.marks.Clear()
			return nil, ""
		}},
		{name: "search", arg: "TEXT", optional: true, about: "show the posts with a text; without one, all", example: "search release", run: (*Model).runSearch},
		{name: "new", about: "write a post", run: func(m *Model, _ string) (tea.Cmd, string) { return m.writePost(), "" }},
		{name: "forecast", about: "show what will fail or be late, with the commands that fix it", run: func(m *Model, _ string) (tea.Cmd, string) {
			return nil, m.forecast.Open()
		}},
		{name: "undo", about: "undo the last change", run: func(m *Model, _ string) (tea.Cmd, string) { return m.undoLast(), "" }},
		{name: "reload", about: "read everything again", run: func(m *Model, _ string) (tea.Cmd, string) { return m.reload(), "" }},
	}
	for t := range tab(tabs) {
		list = append(list, command{name: strings.ToLower(t.String()), about: "go to the view " + t.String(), run: func(m *Model, _ string) (tea.Cmd, string) {
			m.showTab(t)
			return nil, ""
		}})
	}
	return append(list,
		command{name: "help", about: "list all keys", run: func(m *Model, _ string) (tea.Cmd, string) {
			m.dialog = m.newHelp()
			return nil, ""
		}},
		command{name: "quit", aliases: []string{"exit"}, about: "quit", run: func(m *Model, _ string) (tea.Cmd, string) { return m.quit(), "" }})
}

func (m *Model) runGoTo(arg string) (tea.Cmd, string) {
	at, err := parseDay(arg, m.Now, m.Zone)
	if err != nil {
		return nil, err.Error()
	}
	m.GoTo(at)
	return nil, ""
}

// runMove moves the chosen posts without taking them first.
func (m *Model) runMove(arg string) (tea.Cmd, string) {
	cmd := m.grabPosts()
	g, ok := m.dialog.(*grab)
	if !ok {
		return cmd, ""
	}
	g.input.SetValue(arg)
	g.read(m)
	fault := g.fault
	if fault == "" {
		g.show(m)
		drop := g.drop(m)
		if fault = g.fault; fault == "" {
			return tea.Batch(cmd, drop), ""
		}
	}
	return tea.Batch(cmd, g.putBack(m)), fault
}

func (m *Model) runLabel(arg string) (tea.Cmd, string) {
	if arg == "" {
		return m.askLabels(), ""
	}
	add, remove := splitNames(arg)
	for _, label := range slices.Concat(add, remove) {
		if err := schedctl.CheckLabel("", label); err != nil {
			return nil, explainText(err)
		}
	}
	posts, _ := m.usable(schedctl.OpAnnotate)
	if len(posts) == 0 {
		return nil, ""
	}
	return m.setLabels(posts, add, remove), ""
}

func (m *Model) runAccounts(arg string) (tea.Cmd, string) {
	if arg == "" {
		return m.askAccounts(), ""
	}
	add, remove := splitNames(arg)
	var ids [2][]string
	for i, names := range [][]string{add, remove} {
		for _, name := range names {
			list, fault := m.accountsNamed(name)
			if fault != "" {
				return nil, fault
			}
			ids[i] = append(ids[i], list...)
		}
	}
	posts, _ := m.usable(schedctl.OpEdit)
	if len(posts) == 0 {
		return nil, ""
	}
	return m.setAccounts(posts, ids[0], ids[1]), ""
}

// accountNamed returns the id of the account with a name, or what is wrong with the name.
func (m *Model) accountNamed(name string) (id, fault string) {
	var names []string
	for _, a := range m.Accounts.List {
		if strings.EqualFold(screen.OneLine(a.Name), name) {
			return a.ID, ""
		}
		names = append(names, screen.OneLine(a.Name))
	}
	return "", "there is no account “" + screen.OneLine(name) + "”; there are: " + screen.Clip(strings.Join(names, ", "), 200)
}

func (m *Model) runQueue(arg string) (tea.Cmd, string) {
	if arg == "" {
		return m.askQueue(), ""
	}
	var names []string
	for _, q := range m.queueList.list {
		names = append(names, screen.OneLine(q.Name))
		if strings.EqualFold(screen.OneLine(q.Name), arg) {
			posts, _ := m.usable(schedctl.OpEdit)
			if len(posts) == 0 {
				return nil, ""
			}
			return m.enqueue(posts, q), ""
		}
	}
	if len(names) == 0 {
		return nil, "there is no queue: create one with schedctl queue create"
	}
	return nil, "there is no queue “" + screen.OneLine(arg) + "”; there are: " + screen.Clip(strings.Join(names, ", "), 200)
}

func (m *Model) runMark(string) (tea.Cmd, string) {
	f := m.Feed()
	if f == nil {
		return nil, "this view has no posts to mark"
	}
	all := true
	for p := range f.InMemory() {
		if !postlist.IsSeries(*p) && all {
			all = m.marks.Set(*p)
		}
	}
	m.ShowNotice(m.markText())
	m.noteMarks(all)
	return nil, ""
}

func (m *Model) runSearch(arg string) (tea.Cmd, string) {
	if m.Feed() == nil {
		return nil, "this view has no posts to search"
	}
	if len([]rune(arg)) > schedctl.MaxSearch {
		return nil, "the text is too long to search for"
	}
	m.requery(func(q *screen.Query) { q.Search = arg })
	return nil, ""
}

// splitNames splits names at commas, or at spaces without a comma. Those that start with a
// minus are to be removed.
func splitNames(arg string) (add, remove []string) {
	split := strings.Fields
	if strings.Contains(arg, ",") {
		split = func(s string) []string { return strings.Split(s, ",") }
	}
	for _, name := range split(arg) {
		name = strings.TrimSpace(name)
		if rest, minus := strings.CutPrefix(name, "-"); minus {
			if rest = strings.TrimSpace(rest); rest != "" {
				remove = append(remove, rest)
			}
			continue
		}
		if name = strings.TrimPrefix(name, "+"); name != "" {
			add = append(add, name)
		}
	}
	return add, remove
}
