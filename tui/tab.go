package tui

import (
	"slices"
	"strconv"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/tui/month"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
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
func (t tab) String() string {
	return [...]string{"Agenda", "Week", "Month", "Drafts", "History", "Failed", "Queues", "Review", "Accounts", "Webhooks"}[t]
}

// short returns the label of the tab on a narrow screen.
func (t tab) short() string {
	return [...]string{"Agenda", "Week", "Month", "Draft", "Hist", "Fail", "Que", "Rev", "Acct", "Hook"}[t]
}

// statuses returns the statuses of a tab without a filter.
func (t tab) statuses() []schedctl.Status {
	switch t {
	case tabAgenda, tabQueues:
		return []schedctl.Status{schedctl.Scheduled, schedctl.Publishing}
	case tabWeek, tabMonth:
		return []schedctl.Status{schedctl.Scheduled, schedctl.Publishing, schedctl.Published, schedctl.Failed, schedctl.Canceled}
	case tabDrafts:
		return []schedctl.Status{schedctl.Draft}
	case tabHistory:
		return []schedctl.Status{schedctl.Published, schedctl.Failed, schedctl.Canceled}
	case tabFailed:
		return []schedctl.Status{schedctl.Failed}
	}
	return nil
}

// sorts returns the sort orders of a tab, its default first.
func (t tab) sorts() []string {
	switch t {
	case tabAgenda:
		return []string{"publish_at", "-publish_at", "-created_at"}
	case tabWeek, tabMonth, tabQueues:
		return []string{"publish_at"}
	case tabDrafts:
		return []string{"-created_at", "created_at"}
	case tabReview:
		return []string{postlist.SortProposed, "created_at", "-created_at"}
	}
	return []string{"-publish_at", "publish_at", "-created_at"}
}

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
