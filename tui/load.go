package tui

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// retryPause is the pause before failed reads are retried.
const retryPause = 5 * time.Second

type (
	// pageMsg is the response to a request for a page.
	pageMsg struct {
		room postlist.Holder
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
	if h := m.holder(); h != nil {
		cmds = append(cmds, m.fillFeed(h))
	}
	cmds = append(cmds, m.fillBlackouts(), m.fillGroups())
	if m.needsQueues() {
		cmds = append(cmds, m.fillQueues())
	}
	cmds = append(cmds, m.room().Fill())
	for h := range m.holders() {
		if h.Traits().Counted && screen.Screen(h) != m.room() && !h.Feed().Loaded {
			cmds = append(cmds, m.fillFeed(h)) // for the count on its tab
		}
	}
	return tea.Batch(append(cmds, m.fillKeys(), m.fillForecast(), m.fillDetail())...)
}

func (m *Model) fillFeed(h postlist.Holder) tea.Cmd {
	n, ok := h.Feed().NextRequest(m.height)
	if !ok {
		return nil
	}
	c := m.Client()
	return m.Call(func(ctx context.Context) tea.Msg {
		msg := pageMsg{room: h, need: n}
		msg.list, msg.pending, msg.err = h.Read(ctx, c, n.Query)
		return msg
	})
}

// fillForecast reads the forecast once the first screen with posts has them.
func (m *Model) fillForecast() tea.Cmd {
	h, _, ok := first[postlist.Holder](m)
	if m.link.state != linkOpen || ok && h.Feed() != nil && !h.Feed().Loaded {
		return nil
	}
	return m.forecast.Fill()
}

func (m *Model) takePage(msg pageMsg) tea.Cmd {
	f := msg.room.Feed()
	if f == nil {
		return nil // the screen has closed what was read
	}
	for i, p := range msg.list.Results {
		if at, ok := f.Find(p.ID); ok && m.showsChange(p) {
			msg.list.Results[i], _ = f.At(at)
		}
	}
	for _, s := range msg.pending {
		m.series[s.ID] = m.pendingInfo(s)
	}
	first := !f.Loaded && f.Anchor == "" && f.From.IsZero()
	if f.Receive(msg.need, msg.list, msg.err); first && msg.room.Traits().FromNow {
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
	m.Accounts.Err = nil
	for _, r := range m.rooms {
		r.Retry()
	}
	m.retryPlans()
	return m.refresh()
}

// reload reads everything again as it is needed.
func (m *Model) reload() tea.Cmd {
	m.Accounts.Loaded = false
	m.forecast.Reload()
	for _, r := range m.rooms {
		r.Reload()
	}
	m.reloadPlans()
	return m.retryReads()
}
