package tui

import "github.com/charmbracelet/bubbles/key"

// keyMap holds every key of the browser. The help is generated from it.
type keyMap struct {
	Tabs, Next, Previous                       key.Binding
	Up, Down, PageUp, PageDown, Top, End       key.Binding
	Left, Right                                key.Binding
	Today, GoTo                                key.Binding
	Mark, Range, Grab                          key.Binding
	Label, Accounts, Enqueue, Archive, Command key.Binding
	Days, Times, Rows, Drop, PutBack, Unmark   key.Binding // while posts are moved or marked
	Apply, Abandon                             key.Binding // in menus
	Weeks, Months, OpenDay, CloseDay, GoToDate key.Binding // other names in one view
	Open, Back                                 key.Binding
	Search, Filter, Sort, Reload               key.Binding
	New, Edit, Editor, Duplicate               key.Binding
	Schedule, Later, Sooner                    key.Binding
	HourLater, HourSooner                      key.Binding
	DayLater, DaySooner                        key.Binding
	WeekLater, WeekSooner                      key.Binding
	Publish, Unschedule                        key.Binding
	Cancel, Delete, Retry                      key.Binding
	Copy, Browse, Undo                         key.Binding
	Skip, DragUp, DragDown, Reflow             key.Binding
	View, Pictures, Verify, Connect            key.Binding
	WriteHere                                  key.Binding // New on a free slot
	Approve, Submit, Withdraw, Note            key.Binding
	ApprovePost, Changes, CancelPost           key.Binding // Approve and Cancel in one view
	Help, Quit, Kill                           key.Binding
	Save, Ask, Leave, Field, FieldBack, Toggle key.Binding
	SaveDraft, Keep, Discard                   key.Binding
	Own, Outside, Yes, No, Theirs              key.Binding
	Attach, Remove, AltText                    key.Binding
	NewPart, OtherPart                         key.Binding
	Comment, BackToText, Settings              key.Binding
	Preview, Split, Narrow, Snippet            key.Binding
	NextPart, PartBefore                       key.Binding
	PartDown, PartUp                           key.Binding
}

func bind(keys, help string, names ...string) key.Binding {
	return key.NewBinding(key.WithKeys(names...), key.WithHelp(keys, help))
}

func newKeyMap() keyMap {
	var k keyMap
	k.bindViews()
	k.bindPosts()
	k.bindDialogs()
	return k
}

// bindViews sets the keys of the views and of the selection.
func (k *keyMap) bindViews() {
	k.Tabs = bind("1–9, 0", "go to a view", "1", "2", "3", "4", "5", "6", "7", "8", "9", "0")
	k.Next = bind("tab", "next view", "tab")
	k.Previous = bind("shift+tab", "previous view", "shift+tab")
	k.Search = bind("/", "search", "/")
	k.Filter = bind("f", "filter", "f")
	k.Sort = bind("S", "sort", "S")
	k.Reload = bind("R", "reload", "R")
	k.Help = bind("?", "help", "?")
	k.Quit = bind("q", "quit", "q")
	k.Kill = bind("ctrl+c", "quit", "ctrl+c")
	k.Up = bind("↑/k", "up", "up", "k")
	k.Down = bind("↓/j", "down", "down", "j")
	k.PageUp = bind("pgup", "a page up", "pgup", "ctrl+b")
	k.PageDown = bind("pgdn", "a page down", "pgdown", "ctrl+f")
	k.Top = bind("home", "first", "home")
	k.End = bind("G", "last loaded", "end", "G")
	k.Today = bind("t", "today", "t")
	k.GoTo = bind("g", "a date, or first in lists", "g")
	k.GoToDate = bind("g", "go to a date", "g")
	k.Mark = bind("space", "mark, and go on", " ")
	k.Range = bind("V", "mark a range", "V")
	k.Grab = bind("m", "move in time", "m")
	k.Label = bind("L", "labels", "L")
	k.Accounts = bind("T", "accounts", "T")
	k.Enqueue = bind("Q", "put in a queue", "Q")
	k.Archive = bind("Z", "archive", "Z")
	k.Command = bind(":", "type a command", ":")
	k.Days = bind("← →", "days", "left", "right")
	k.Times = bind("↑ ↓", "15 minutes", "up", "down")
	k.Rows = bind("↑ ↓", "weeks", "up", "down")
	k.Drop = bind("enter", "move", "enter")
	k.PutBack = bind("esc", "put back", "esc")
	k.Unmark = bind("esc", "end marks", "esc")
	k.Apply = bind("enter", "apply", "enter")
	k.Abandon = bind("esc", "cancel", "esc")
	k.Weeks = bind("[ ]", "other weeks", "[", "]")
	k.Months = bind("[ ]", "other months", "[", "]")
	k.OpenDay = bind("enter", "posts of the day", "enter")
	k.CloseDay = bind("esc", "back to the days", "esc")
	k.Left = bind("←/h", "previous day", "left", "h")
	k.Right = bind("→/l", "next day", "right", "l")
	k.Open = bind("enter", "details", "enter")
	k.Back = bind("esc", "back", "esc")
	k.WeekLater = bind("]", "next week or month", "]")
	k.WeekSooner = bind("[", "previous week or month", "[")
}

// bindPosts sets the keys that change posts and accounts.
func (k *keyMap) bindPosts() {
	k.New = bind("n", "new", "n")
	k.Edit = bind("i", "edit here", "i")
	k.Editor = bind("e", "edit in $EDITOR", "e")
	k.Duplicate = bind("D", "duplicate", "D")
	k.Schedule = bind("s", "schedule", "s")
	k.Unschedule = bind("U", "change to a draft", "U")
	k.Later = bind("+", "15 minutes later", "+", "=")
	k.Sooner = bind("-", "15 minutes sooner", "-")
	k.HourLater = bind(">", "an hour or a slot later", ">")
	k.HourSooner = bind("<", "an hour or a slot sooner", "<")
	k.DayLater = bind("}", "a day later", "}")
	k.DaySooner = bind("{", "a day sooner", "{")
	k.Publish = bind("P", "publish now", "P")
	k.Cancel = bind("c", "cancel, request changes", "c")
	k.CancelPost = bind("c", "cancel", "c")
	k.Delete = bind("d", "delete a draft", "d")
	k.Retry = bind("r", "retry, replay", "r")
	k.Copy = bind("y", "copy the address", "y")
	k.Browse = bind("o", "open the address", "o")
	k.Undo = bind("u", "undo", "u")
	k.Skip = bind("x", "skip an occurrence", "x")
	k.DragDown = bind("J/alt+↓", "down in its queue", "J", "alt+down")
	k.DragUp = bind("K/alt+↑", "up in its queue", "K", "alt+up")
	k.Reflow = bind("F", "reflow the open queue", "F")
	k.WriteHere = bind("n", "write a post here", "n")
	k.View = bind("v", "show pictures, verify an account", "v")
	k.Pictures = bind("v", "pictures", "v")
	k.Verify = bind("v", "verify an account", "v")
	k.Connect = bind("a", "add an account", "a")
	k.Approve = bind("a", "approve, add an account", "a")
	k.ApprovePost = bind("a", "approve", "a")
	k.Changes = bind("c", "request changes", "c")
	k.Submit = bind("A", "ask for approval", "A")
	k.Withdraw = bind("w", "withdraw from review", "w")
	k.Note = bind("N", "write a note", "N")
}

// bindDialogs sets the keys of the composer, forms and questions.
func (k *keyMap) bindDialogs() {
	k.Save = bind("ctrl+s", "save", "ctrl+s")
	k.Ask = bind("alt+a", "ask for approval", "alt+a")
	k.Leave = bind("esc", "leave", "esc")
	k.Field = bind("tab", "next field", "tab")
	k.FieldBack = bind("shift+tab", "previous field", "shift+tab")
	k.SaveDraft = bind("s", "save as a draft, when leaving", "s")
	k.Keep = bind("esc", "keep editing", "esc", "n")
	k.Discard = bind("d", "discard", "d")
	k.Own = bind("o", "own text", "o")
	k.Outside = bind("ctrl+e", "edit in $EDITOR", "ctrl+e")
	k.Attach = bind("ctrl+o", "attach a file", "ctrl+o")
	k.Remove = bind("x", "remove a file", "x")
	k.AltText = bind("enter", "alt text of a file", "enter")
	k.NewPart = bind("ctrl+l", "new part", "ctrl+l")
	k.NextPart = bind("pgdn", "next part", "pgdown")
	k.PartBefore = bind("pgup", "previous part", "pgup")
	k.PartDown = bind("alt+↓", "move part down", "alt+down")
	k.PartUp = bind("alt+↑", "move part up", "alt+up")
	k.Comment = bind("ctrl+r", "first comment", "ctrl+r")
	k.Preview = bind("alt+p", "preview", "alt+p")
	k.Snippet = bind("alt+i", "insert a snippet", "alt+i")
	k.Narrow = bind("/", "filter", "/")
	k.Split = bind("alt+s", "split a long text", "alt+s")
	k.Settings = bind("ctrl+g", "settings", "ctrl+g")
	k.BackToText = bind("ctrl+r", "back to the text", "ctrl+r")
	k.OtherPart = bind("←/→", "move a file to another part", "left", "right")
	k.Toggle = bind("space", "select", " ", "x")
	k.Yes = bind("y", "yes", "y", "Y")
	k.No = bind("n", "no", "n", "N", "esc", "q")
	k.Theirs = bind("ctrl+t", "use theirs", "ctrl+t")
}

// keyGroup is a section of the help.
type keyGroup struct {
	title string
	keys  []key.Binding
}

// browsing returns the keys of lists.
func (k keyMap) browsing() []keyGroup {
	return []keyGroup{
		{"Views", []key.Binding{k.Tabs, k.Next, k.Previous, k.Search, k.Filter, k.Sort, k.Reload, k.WeekSooner, k.WeekLater, k.Today, k.GoTo}},
		{"Moving", []key.Binding{k.Up, k.Down, k.Left, k.Right, k.PageUp, k.PageDown, k.Top, k.End, k.Open, k.Back}},
		{"Posts", []key.Binding{k.New, k.Edit, k.Editor, k.Duplicate, k.Publish, k.Cancel, k.Delete, k.Retry, k.Copy, k.Browse, k.View, k.Undo}},
		{"Marked posts, or the selected one", []key.Binding{k.Mark, k.Range, k.Grab, k.Label, k.Accounts, k.Enqueue, k.Archive, k.Command}},
		{"Time", []key.Binding{k.Schedule, k.Later, k.Sooner, k.HourLater, k.HourSooner, k.DayLater, k.DaySooner, k.Unschedule}},
		{"Queues and series", []key.Binding{k.DragDown, k.DragUp, k.Reflow, k.Skip}},
		{"Review", []key.Binding{k.Approve, k.Submit, k.Withdraw, k.Note}},
		{"Other", []key.Binding{k.Help, k.Quit, k.Kill}},
	}
}

// composing returns the keys of the composer.
func (k keyMap) composing() keyGroup {
	return keyGroup{"While writing", []key.Binding{k.Save, k.Ask, k.Field, k.FieldBack, k.Toggle, k.Narrow, k.Own, k.Attach, k.AltText, k.Remove, k.OtherPart, k.NewPart, k.NextPart, k.PartBefore, k.PartDown, k.PartUp, k.Split, k.Snippet, k.Preview, k.Comment, k.Settings, k.Outside, k.Theirs, k.Leave, k.SaveDraft}}
}

// postKeys returns the keys that act on a post.
func (k keyMap) postKeys() []key.Binding {
	return []key.Binding{
		k.Edit, k.Editor, k.Duplicate, k.Publish, k.Cancel, k.Delete, k.Retry, k.Copy, k.Browse, k.View, k.Skip,
		k.Schedule, k.Unschedule, k.Later, k.Sooner, k.HourLater, k.HourSooner, k.DayLater, k.DaySooner, k.DragDown, k.DragUp,
		k.Approve, k.Submit, k.Withdraw, k.Note,
	}
}
