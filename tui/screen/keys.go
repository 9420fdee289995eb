package screen

import "github.com/charmbracelet/bubbles/key"

// KeyMap holds every key of the browser. The help is generated from it.
type KeyMap struct {
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
	Copy, Browse, Undo, Share                  key.Binding
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

// Bind returns a key of the keyboard, or several, with how the help names them.
func Bind(keys, help string, names ...string) key.Binding {
	return key.NewBinding(key.WithKeys(names...), key.WithHelp(keys, help))
}

// NewKeyMap returns the keys of the browser.
func NewKeyMap() KeyMap {
	var k KeyMap
	k.bindViews()
	k.bindPosts()
	k.bindDialogs()
	return k
}

// bindViews sets the keys of the views and of the selection.
func (k *KeyMap) bindViews() {
	k.Tabs = Bind("1–9, 0", "go to a view", "1", "2", "3", "4", "5", "6", "7", "8", "9", "0")
	k.Next = Bind("tab", "next view", "tab")
	k.Previous = Bind("shift+tab", "previous view", "shift+tab")
	k.Search = Bind("/", "search", "/")
	k.Filter = Bind("f", "filter", "f")
	k.Sort = Bind("S", "sort", "S")
	k.Reload = Bind("R", "reload", "R")
	k.Help = Bind("?", "help", "?")
	k.Quit = Bind("q", "quit", "q")
	k.Kill = Bind("ctrl+c", "quit", "ctrl+c")
	k.Up = Bind("↑/k", "up", "up", "k")
	k.Down = Bind("↓/j", "down", "down", "j")
	k.PageUp = Bind("pgup", "a page up", "pgup", "ctrl+b")
	k.PageDown = Bind("pgdn", "a page down", "pgdown", "ctrl+f")
	k.Top = Bind("home", "first", "home")
	k.End = Bind("G", "last loaded", "end", "G")
	k.Today = Bind("t", "today", "t")
	k.GoTo = Bind("g", "a date, or first in lists", "g")
	k.GoToDate = Bind("g", "go to a date", "g")
	k.Mark = Bind("space", "mark, and go on", " ")
	k.Range = Bind("V", "mark a range", "V")
	k.Grab = Bind("m", "move in time", "m")
	k.Label = Bind("L", "labels", "L")
	k.Accounts = Bind("T", "accounts", "T")
	k.Enqueue = Bind("Q", "put in a queue", "Q")
	k.Archive = Bind("Z", "archive", "Z")
	k.Command = Bind(":", "type a command", ":")
	k.Days = Bind("← →", "days", "left", "right")
	k.Times = Bind("↑ ↓", "15 minutes", "up", "down")
	k.Rows = Bind("↑ ↓", "weeks", "up", "down")
	k.Drop = Bind("enter", "move", "enter")
	k.PutBack = Bind("esc", "put back", "esc")
	k.Unmark = Bind("esc", "end marks", "esc")
	k.Apply = Bind("enter", "apply", "enter")
	k.Abandon = Bind("esc", "cancel", "esc")
	k.Weeks = Bind("[ ]", "other weeks", "[", "]")
	k.Months = Bind("[ ]", "other months", "[", "]")
	k.OpenDay = Bind("enter", "posts of the day", "enter")
	k.CloseDay = Bind("esc", "back to the days", "esc")
	k.Left = Bind("←/h", "previous day", "left", "h")
	k.Right = Bind("→/l", "next day", "right", "l")
	k.Open = Bind("enter", "details", "enter")
	k.Back = Bind("esc", "back", "esc")
	k.WeekLater = Bind("]", "next week or month", "]")
	k.WeekSooner = Bind("[", "previous week or month", "[")
}

// bindPosts sets the keys that change posts and accounts.
func (k *KeyMap) bindPosts() {
	k.New = Bind("n", "new", "n")
	k.Edit = Bind("i", "edit here", "i")
	k.Editor = Bind("e", "edit in $EDITOR", "e")
	k.Duplicate = Bind("D", "duplicate", "D")
	k.Schedule = Bind("s", "schedule", "s")
	k.Unschedule = Bind("U", "change to a draft", "U")
	k.Later = Bind("+", "15 minutes later", "+", "=")
	k.Sooner = Bind("-", "15 minutes sooner", "-")
	k.HourLater = Bind(">", "an hour or a slot later", ">")
	k.HourSooner = Bind("<", "an hour or a slot sooner", "<")
	k.DayLater = Bind("}", "a day later", "}")
	k.DaySooner = Bind("{", "a day sooner", "{")
	k.Publish = Bind("P", "publish now", "P")
	k.Cancel = Bind("c", "cancel, request changes", "c")
	k.CancelPost = Bind("c", "cancel", "c")
	k.Delete = Bind("d", "delete a draft", "d")
	k.Retry = Bind("r", "retry, replay", "r")
	k.Copy = Bind("y", "copy the address", "y")
	k.Share = Bind("Y", "an address for a person", "Y")
	k.Browse = Bind("o", "open the address", "o")
	k.Undo = Bind("u", "undo", "u")
	k.Skip = Bind("x", "skip an occurrence", "x")
	k.DragDown = Bind("J/alt+↓", "down in its queue", "J", "alt+down")
	k.DragUp = Bind("K/alt+↑", "up in its queue", "K", "alt+up")
	k.Reflow = Bind("F", "reflow the open queue", "F")
	k.WriteHere = Bind("n", "write a post here", "n")
	k.View = Bind("v", "show pictures, verify an account", "v")
	k.Pictures = Bind("v", "pictures", "v")
	k.Verify = Bind("v", "verify an account", "v")
	k.Connect = Bind("a", "add an account", "a")
	k.Approve = Bind("a", "approve, add an account", "a")
	k.ApprovePost = Bind("a", "approve", "a")
	k.Changes = Bind("c", "request changes", "c")
	k.Submit = Bind("A", "ask for approval", "A")
	k.Withdraw = Bind("w", "withdraw from review", "w")
	k.Note = Bind("N", "write a note", "N")
}

// bindDialogs sets the keys of the composer, forms and questions.
func (k *KeyMap) bindDialogs() {
	k.Save = Bind("ctrl+s", "save", "ctrl+s")
	k.Ask = Bind("alt+a", "ask for approval", "alt+a")
	k.Leave = Bind("esc", "leave", "esc")
	k.Field = Bind("tab", "next field", "tab")
	k.FieldBack = Bind("shift+tab", "previous field", "shift+tab")
	k.SaveDraft = Bind("s", "save as a draft, when leaving", "s")
	k.Keep = Bind("esc", "keep editing", "esc", "n")
	k.Discard = Bind("d", "discard", "d")
	k.Own = Bind("o", "own text", "o")
	k.Outside = Bind("ctrl+e", "edit in $EDITOR", "ctrl+e")
	k.Attach = Bind("ctrl+o", "attach a file", "ctrl+o")
	k.Remove = Bind("x", "remove a file", "x")
	k.AltText = Bind("enter", "alt text of a file", "enter")
	k.NewPart = Bind("ctrl+l", "new part", "ctrl+l")
	k.NextPart = Bind("pgdn", "next part", "pgdown")
	k.PartBefore = Bind("pgup", "previous part", "pgup")
	k.PartDown = Bind("alt+↓", "move part down", "alt+down")
	k.PartUp = Bind("alt+↑", "move part up", "alt+up")
	k.Comment = Bind("ctrl+r", "first comment", "ctrl+r")
	k.Preview = Bind("alt+p", "preview", "alt+p")
	k.Snippet = Bind("alt+i", "insert a snippet", "alt+i")
	k.Narrow = Bind("/", "filter", "/")
	k.Split = Bind("alt+s", "split a long text", "alt+s")
	k.Settings = Bind("ctrl+g", "settings", "ctrl+g")
	k.BackToText = Bind("ctrl+r", "back to the text", "ctrl+r")
	k.OtherPart = Bind("←/→", "move a file to another part", "left", "right")
	k.Toggle = Bind("space", "select", " ", "x")
	k.Yes = Bind("y", "yes", "y", "Y")
	k.No = Bind("n", "no", "n", "N", "esc", "q")
	k.Theirs = Bind("ctrl+t", "use theirs", "ctrl+t")
}

// KeyGroup is a section of the help.
type KeyGroup struct {
	Title string
	Keys  []key.Binding
}

// Browsing returns the keys of lists.
func (k KeyMap) Browsing() []KeyGroup {
	return []KeyGroup{
		{"Views", []key.Binding{k.Tabs, k.Next, k.Previous, k.Search, k.Filter, k.Sort, k.Reload, k.WeekSooner, k.WeekLater, k.Today, k.GoTo}},
		{"Moving", []key.Binding{k.Up, k.Down, k.Left, k.Right, k.PageUp, k.PageDown, k.Top, k.End, k.Open, k.Back}},
		{"Posts", []key.Binding{k.New, k.Edit, k.Editor, k.Duplicate, k.Publish, k.Cancel, k.Delete, k.Retry, k.Copy, k.Share, k.Browse, k.View, k.Undo}},
		{"Marked posts, or the selected one", []key.Binding{k.Mark, k.Range, k.Grab, k.Label, k.Accounts, k.Enqueue, k.Archive, k.Command}},
		{"Time", []key.Binding{k.Schedule, k.Later, k.Sooner, k.HourLater, k.HourSooner, k.DayLater, k.DaySooner, k.Unschedule}},
		{"Queues and series", []key.Binding{k.DragDown, k.DragUp, k.Reflow, k.Skip}},
		{"Review", []key.Binding{k.Approve, k.Submit, k.Withdraw, k.Note}},
		{"Other", []key.Binding{k.Help, k.Quit, k.Kill}},
	}
}

// Composing returns the keys of the composer.
func (k KeyMap) Composing() KeyGroup {
	return KeyGroup{"While writing", []key.Binding{k.Save, k.Ask, k.Field, k.FieldBack, k.Toggle, k.Narrow, k.Own, k.Attach, k.AltText, k.Remove, k.OtherPart, k.NewPart, k.NextPart, k.PartBefore, k.PartDown, k.PartUp, k.Split, k.Snippet, k.Preview, k.Comment, k.Settings, k.Outside, k.Theirs, k.Leave, k.SaveDraft}}
}

// PostKeys returns the keys that act on a post.
func (k KeyMap) PostKeys() []key.Binding {
	return []key.Binding{
		k.Edit, k.Editor, k.Duplicate, k.Publish, k.Cancel, k.Delete, k.Retry, k.Copy, k.Share, k.Browse, k.View, k.Skip,
		k.Schedule, k.Unschedule, k.Later, k.Sooner, k.HourLater, k.HourSooner, k.DayLater, k.DaySooner, k.DragDown, k.DragUp,
		k.Approve, k.Submit, k.Withdraw, k.Note,
	}
}

// LeaveKeys describes the other keys of that question.
func LeaveKeys(k *KeyMap) string {
	return k.Keep.Help().Key + " " + k.Keep.Help().Desc + "   " + k.Discard.Help().Key + " " + k.Discard.Help().Desc
}
