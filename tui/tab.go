package tui

import (
	"strconv"

	"github.com/schedctl/schedctl/tui/accounts"
	"github.com/schedctl/schedctl/tui/feed"
	"github.com/schedctl/schedctl/tui/month"
	"github.com/schedctl/schedctl/tui/queues"
	"github.com/schedctl/schedctl/tui/review"
	"github.com/schedctl/schedctl/tui/screen"
	"github.com/schedctl/schedctl/tui/webhooks"
	"github.com/schedctl/schedctl/tui/week"
)

// tabTable describes the tabs, in their order on the screen. It is the only place that knows
// which screens there are.
var tabTable = [...]struct {
	name, short string // the label, and the one on a narrow screen
	room        func(m *Model) screen.Screen
}{
	{"Agenda", "Agenda", func(m *Model) screen.Screen { return feed.Agenda(m) }},
	{"Week", "Week", func(m *Model) screen.Screen { return week.New(m) }},
	{"Month", "Month", func(m *Model) screen.Screen { return month.New(m) }},
	{"Drafts", "Draft", func(m *Model) screen.Screen { return feed.Drafts(m) }},
	{"History", "Hist", func(m *Model) screen.Screen { return feed.History(m) }},
	{"Failed", "Fail", func(m *Model) screen.Screen { return feed.Failed(m) }},
	{"Accounts", "Acct", func(m *Model) screen.Screen { return accounts.New(m) }},
	{"Webhooks", "Hook", func(m *Model) screen.Screen { return webhooks.New(m) }},
	{"Queues", "Que", func(m *Model) screen.Screen { return queues.New(m) }},
	{"Review", "Rev", func(m *Model) screen.Screen { return review.NewScreen(m.review) }},
}

// tabs is the number of tabs.
const tabs = len(tabTable)

// tab is the position of a tab in tabTable.
type tab int

// number returns the key that shows the tab, empty if there are not enough digits.
func (t tab) number() string {
	if t >= 10 {
		return ""
	}
	return strconv.Itoa((int(t) + 1) % 10)
}

// step returns the tab that is by tabs to the right on the screen.
func (t tab) step(by int) tab { return (t + tab(by+tabs)) % tab(tabs) }

// String returns the label of the tab.
func (t tab) String() string { return tabTable[t].name }

// short returns the label of the tab on a narrow screen.
func (t tab) short() string { return tabTable[t].short }

// tabOfNumber returns the tab that a digit shows: 0 is the tenth.
func tabOfNumber(digit rune) tab { return tab(min((int(digit-'0')+9)%10, tabs-1)) }
