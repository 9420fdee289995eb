package tui

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/review"
	"github.com/schedctl/schedctl/tui/screen"
)

// retryPause is the pause before failed reads are retried.
const retryPause = 5 * time.Second

type (
	// pageMsg is the response to a request for a page.
	pageMsg struct {
		tab  tab
		need postlist.PageRequest
		list apiv1.PostList
		err  error

		pending []apiv1.Series // in the review
	}
	// retryMsg retries failed reads.
	retryMsg struct{}
)

func timeOf(t tickMsg) time.Time { return time.Time(t) }

// fill requests the data that the screen needs and does not have.
func (m *Model) fill() tea.Cmd {
	var cmds []tea.Cmd
	cmds = append(cmds, m.fillAccounts())
	if m.Feed() != nil {
		cmds = append(cmds, m.fillFeed(m.tab))
	}
	cmds = append(cmds, m.fillBlackouts(), m.fillGroups())
	if m.needsQueues() {
		cmds = append(cmds, m.fillQueues(), m.fillWeekSlots())
	}
	if m.tab != tabFailed && !m.feeds[tabFailed].Loaded {
		cmds = append(cmds, m.fillFeed(tabFailed)) // for the count on its tab
	}
	if m.tab != tabReview && !m.feeds[tabReview].Loaded {
		cmds = append(cmds, m.fillFeed(tabReview)) // for the count on its tab
	}
	cmds = append(cmds, m.fillKeys(), m.fillForecast())
	if r := m.room(); r != nil {
		cmds = append(cmds, r.Fill())
	}
	return tea.Batch(append(cmds, m.fillDetail())...)
}

func (m *Model) fillFeed(t tab) tea.Cmd {
	n, ok := m.feeds[t].NextRequest(m.height)
	if !ok {
		return nil
	}
	c := m.Client()
	return m.Call(func(ctx context.Context) tea.Msg {
		msg := pageMsg{tab: t, need: n}
		if t == tabReview {
			msg.list, msg.pending, msg.err = review.Reader(c)(ctx, n.Query)
		} else {
			msg.list, msg.err = c.Posts(ctx, n.Query)
		}
		return msg
	})
}

func (m *Model) takePage(msg pageMsg) tea.Cmd {
	f := &m.feeds[msg.tab]
	for i, p := range msg.list.Results {
		if at, ok := f.Find(p.ID); ok && m.showsChange(p) {
			msg.list.Results[i], _ = f.At(at)
		}
	}
	for _, s := range msg.pending {
		m.series[s.ID] = m.pendingInfo(s)
	}
	first := !f.Loaded && f.Anchor == "" && f.From.IsZero()
	if f.Receive(msg.need, msg.list, msg.err); first && msg.tab == tabWeek {
		f.SelectFrom(m.Now)
	}
	return m.RetryLater(msg.err)
}

// RetryLater shows why a read failed and schedules a retry.
func (m *Model) RetryLater(err error) tea.Cmd {
	if err == nil {
		return nil
	}
	if !m.notice.bad { // an error of a change is more important
		m.ShowError(screen.Explain(err))
	}
	if m.pausing {
		return nil
	}
	m.pausing = true
	return tea.Tick(retryPause, func(time.Time) tea.Msg { return retryMsg{} })
}

// retryReads clears read errors, so that missing data is requested again.
func (m *Model) retryReads() tea.Cmd {
	m.pausing = false
	for t := range m.feeds {
		m.feeds[t].Err = nil
	}
	m.Accounts.Err, m.detail.Err = nil, nil
	for r := range m.allRooms() {
		r.Retry()
	}
	m.retryPlans()
	return m.refresh()
}

// reload reads everything again as it is needed.
func (m *Model) reload() tea.Cmd {
	for t := range m.feeds {
		m.feeds[t].MarkOutdated()
	}
	m.Accounts.Loaded, m.forecast.loaded, m.detail.Outdated = false, false, true
	for r := range m.allRooms() {
		r.Reload()
	}
	m.reloadPlans()
	return m.retryReads()
}
