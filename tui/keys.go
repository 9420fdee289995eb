package tui

import "github.com/charmbracelet/bubbles/key"

// keyMap is every key of the browser. The help is made from it.
type keyMap struct {
	Tabs, Next, Previous                  key.Binding
	Up, Down, PageUp, PageDown, Top, End  key.Binding
	Left, Right                           key.Binding
	Open, Back                            key.Binding
	Search, Filter, Sort, Reload          key.Binding
	New, Edit, Editor, Duplicate          key.Binding
	Schedule, Later, Sooner               key.Binding
	HourLater, HourSooner                 key.Binding
	DayLater, DaySooner                   key.Binding
	WeekLater, WeekSooner                 key.Binding
	Publish, Unschedule                   key.Binding
	Cancel, Delete, Retry                 key.Binding
	Copy, Browse, Undo                    key.Binding
	Verify, Connect                       key.Binding
	Help, Quit, Kill                      key.Binding
	Save, Leave, Field, FieldBack, Toggle key.Binding
	SaveDraft, Keep, Discard              key.Binding
	Own, Outside, Yes, No, Theirs         key.Binding
}

func bind(keys, help string, names ...string) key.Binding {
	return key.NewBinding(key.WithKeys(names...), key.WithHelp(keys, help))
}

func newKeyMap() keyMap {
	return keyMap{
		Tabs:     bind("1–7", "go to a view", "1", "2", "3", "4", "5", "6", "7"),
		Next:     bind("tab", "next view", "tab"),
		Previous: bind("shift+tab", "previous view", "shift+tab"),

		Up:       bind("↑/k", "up", "up", "k"),
		Down:     bind("↓/j", "down", "down", "j"),
		PageUp:   bind("pgup", "a page up", "pgup", "ctrl+b"),
		PageDown: bind("pgdn", "a page down", "pgdown", "ctrl+f", " "),
		Top:      bind("g", "first", "home", "g"),
		End:      bind("G", "last that is loaded", "end", "G"),
		Left:     bind("←/h", "a day back, in the week", "left", "h"),
		Right:    bind("→/l", "a day on, in the week", "right", "l"),
		Open:     bind("enter", "details", "enter"),
		Back:     bind("esc", "back", "esc"),

		Search: bind("/", "search", "/"),
		Filter: bind("f", "filter", "f"),
		Sort:   bind("S", "sort", "S"),
		Reload: bind("R", "load again", "R"),

		New:       bind("n", "new", "n"),
		Edit:      bind("i", "edit here", "i"),
		Editor:    bind("e", "edit in $EDITOR", "e"),
		Duplicate: bind("D", "duplicate", "D"),

		Schedule:   bind("s", "schedule", "s"),
		Unschedule: bind("U", "make it a draft again", "U"),
		Later:      bind("+", "15 minutes later", "+", "="),
		Sooner:     bind("-", "15 minutes sooner", "-"),
		HourLater:  bind(">", "an hour later", ">"),
		HourSooner: bind("<", "an hour sooner", "<"),
		DayLater:   bind("}", "a day later", "}"),
		DaySooner:  bind("{", "a day sooner", "{"),
		WeekLater:  bind("]", "next week", "]"),
		WeekSooner: bind("[", "previous week", "["),

		Publish: bind("P", "publish now", "P"),
		Cancel:  bind("c", "cancel", "c"),

		Delete:  bind("d", "delete a draft", "d"),
		Retry:   bind("r", "retry, replay", "r"),
		Copy:    bind("y", "copy the address", "y"),
		Browse:  bind("o", "open the address", "o"),
		Undo:    bind("u", "undo", "u"),
		Verify:  bind("v", "verify an account", "v"),
		Connect: bind("a", "add an account", "a"),

		Help: bind("?", "help", "?"),
		Quit: bind("q", "quit", "q"),
		Kill: bind("ctrl+c", "quit", "ctrl+c"),

		Save:      bind("ctrl+s", "save", "ctrl+s"),
		Leave:     bind("esc", "leave", "esc"),
		Field:     bind("tab", "next field", "tab"),
		FieldBack: bind("shift+tab", "previous field", "shift+tab"),
		SaveDraft: bind("s", "save as a draft, when leaving", "s"),
		Keep:      bind("esc", "keep editing", "esc", "n"),
		Discard:   bind("d", "discard", "d"),
		Own:       bind("o", "a text for it alone", "o"),
		Outside:   bind("ctrl+e", "in $EDITOR", "ctrl+e"),
		Toggle:    bind("space", "choose", " ", "x"),
		Yes:       bind("y", "yes", "y", "Y"),
		No:        bind("n", "no", "n", "N", "esc", "q"),
		Theirs:    bind("ctrl+t", "take theirs", "ctrl+t"),
	}
}

// keyGroup is a part of the help.
type keyGroup struct {
	title string
	keys  []key.Binding
}

// browsing are the keys while a list is shown.
func (k keyMap) browsing() []keyGroup {
	return []keyGroup{
		{"Views", []key.Binding{k.Tabs, k.Next, k.Previous, k.Search, k.Filter, k.Sort, k.Reload, k.WeekSooner, k.WeekLater}},
		{"Moving", []key.Binding{k.Up, k.Down, k.Left, k.Right, k.PageUp, k.PageDown, k.Top, k.End, k.Open, k.Back}},
		{"Posts", []key.Binding{k.New, k.Edit, k.Editor, k.Duplicate, k.Publish, k.Cancel, k.Delete, k.Retry, k.Copy, k.Browse, k.Undo}},
		{"Time", []key.Binding{k.Schedule, k.Later, k.Sooner, k.HourLater, k.HourSooner, k.DayLater, k.DaySooner, k.Unschedule}},
		{"Else", []key.Binding{k.Connect, k.Verify, k.Help, k.Quit, k.Kill}},
	}
}

// composing are the keys while a post is written.
func (k keyMap) composing() keyGroup {
	return keyGroup{"While writing", []key.Binding{k.Save, k.Field, k.FieldBack, k.Toggle, k.Own, k.Outside, k.Theirs, k.Leave, k.SaveDraft}}
}
