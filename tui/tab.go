package tui

import (
	"slices"
	"strconv"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/tui/accounts"
	"github.com/schedctl/schedctl/tui/month"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
	"github.com/schedctl/schedctl/tui/webhooks"
)

// tab is one of the views.
type tab int

// The tabs.
const (
	tabAgenda tab = iota
	tabWeek
	tabMonth
	tabDrafts
	tabHistory
	tabFailed
	tabQueues
	tabReview
	tabAccounts
	tabWebhooks
	tabs // number of tabs
)

// postTabs is the number of tabs that show posts. They come first.
const postTabs = tabAccounts

// tabOrder lists the tabs in the order of their numbers on the screen.
var tabOrder = [tabs]tab{tabAgenda, tabWeek, tabMonth, tabDrafts, tabHistory, tabFailed, tabAccounts, tabWebhooks, tabQueues, tabReview}

// tabTable describes the tabs.
var tabTable = [tabs]struct {
	name, short string // the label, and the one on a narrow screen
	statuses    []schedctl.Status
	sorts       []string                           // the default first
	room        func(f screen.Frame) screen.Screen // of a tab without posts
}{
	tabAgenda:   {name: "Agenda", short: "Agenda", statuses: upcoming, sorts: []string{"publish_at", "-publish_at", "-created_at"}},
	tabWeek:     {name: "Week", short: "Week", statuses: dated, sorts: []string{"publish_at"}},
	tabMonth:    {name: "Month", short: "Month", statuses: dated, sorts: []string{"publish_at"}},
	tabDrafts:   {name: "Drafts", short: "Draft", statuses: []schedctl.Status{schedctl.Draft}, sorts: []string{"-created_at", "created_at"}},
	tabHistory:  {name: "History", short: "Hist", statuses: []schedctl.Status{schedctl.Published, schedctl.Failed, schedctl.Canceled}, sorts: latestFirst},
	tabFailed:   {name: "Failed", short: "Fail", statuses: []schedctl.Status{schedctl.Failed}, sorts: latestFirst},
	tabQueues:   {name: "Queues", short: "Que", statuses: upcoming, sorts: []string{"publish_at"}},
	tabReview:   {name: "Review", short: "Rev", sorts: []string{postlist.SortProposed, "created_at", "-created_at"}},
	tabAccounts: {name: "Accounts", short: "Acct", room: func(f screen.Frame) screen.Screen { return accounts.New(f) }},
	tabWebhooks: {name: "Webhooks", short: "Hook", room: func(f screen.Frame) screen.Screen { return webhooks.New(f) }},
}

// The statuses and sort orders of several tabs.
var (
	upcoming    = []schedctl.Status{schedctl.Scheduled, schedctl.Publishing}
	dated       = []schedctl.Status{schedctl.Scheduled, schedctl.Publishing, schedctl.Published, schedctl.Failed, schedctl.Canceled}
	latestFirst = []string{"-publish_at", "publish_at", "-created_at"}
)

// number returns the key that shows the tab.
func (t tab) number() string { return strconv.Itoa((slices.Index(tabOrder[:], t) + 1) % 10) }

// isCalendar reports whether the tab shows the days of a period.
func (t tab) isCalendar() bool { return t == tabWeek || t == tabMonth }

// step returns the tab that is by tabs to the right on the screen.
func (t tab) step(by int) tab {
	at := slices.Index(tabOrder[:], t) + by
	return tabOrder[(at+int(tabs))%int(tabs)]
}

// String returns the label of the tab.
func (t tab) String() string { return tabTable[t].name }

// short returns the label of the tab on a narrow screen.
func (t tab) short() string { return tabTable[t].short }

// statuses returns the statuses of a tab without a filter.
func (t tab) statuses() []schedctl.Status { return tabTable[t].statuses }

// sorts returns the sort orders of a tab with posts, its default first.
func (t tab) sorts() []string { return tabTable[t].sorts }

// sortName describes a sort order.
func sortName(sort string) string {
	switch sort {
	case "publish_at":
		return "soonest first"
	case "-publish_at":
		return "latest first"
	case "created_at":
		return "oldest first"
	case postlist.SortProposed:
		return "by proposed time"
	}
	return "newest first"
}

// query returns the initial query of a tab. week is the Monday of the displayed week.
func (t tab) query(week time.Time) screen.Query {
	q := screen.Query{Statuses: t.statuses(), Limit: postlist.PageSize, Proposed: t == tabAgenda || t.isCalendar()}
	if sorts := t.sorts(); t < postTabs {
		q.Sort = sorts[0]
	}
	if t == tabReview {
		q.Approval = schedctl.ApprovalPending
	}
	switch t {
	case tabWeek:
		q.After, q.Before = week, week.AddDate(0, 0, 7)
	case tabMonth:
		q.After, q.Before = month.Period(week)
	}
	return q
}

// tabOfNumber returns the tab that a digit shows: 0 is the tenth.
func tabOfNumber(digit rune) tab { return tabOrder[(int(digit-'0')+int(tabs)-1)%int(tabs)] }
