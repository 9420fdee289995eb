package tui

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
)

// handle changes the state according to a message.
func (m *Model) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.resize(msg.Width, msg.Height)
	case tickMsg:
		return m.handleTick(msg)
	case tea.KeyMsg:
		return m.handleKey(msg)
	case tea.MouseMsg:
		return m.handleMouse(msg)
	case pageMsg:
		return m.takePage(msg)
	case accountsMsg:
		return m.takeAccounts(msg)
	case queuesMsg:
		return m.takeQueues(msg)
	case blackoutsMsg:
		return m.takeBlackouts(msg)
	case groupsMsg:
		m.takeGroups(msg)
	case seriesMsg:
		return m.takeSeries(msg)
	case keysMsg:
		m.takeKeys(msg)
	case timelineMsg:
		return m.takeTimeline(msg)
	case timelineDueMsg:
		msg.of.Due = msg.of.Due || msg.seq == msg.of.Seq
	case retryMsg:
		return m.retryReads()
	default:
		return m.handleChange(msg)
	}
	return nil
}

// handleChange handles messages about changes, events and open forms.
func (m *Model) handleChange(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case linkMsg:
		return m.takeLink(msg)
	case eventMsg:
		return m.takeEvent(msg)
	case staleMsg:
		return m.refresh()
	case postMsg:
		return m.takePost(msg)
	case changedMsg:
		return m.takeChanged(msg)
	case nudgeMsg:
		if msg.seq == m.nudge.seq {
			return m.sendNudge()
		}
	case settledMsg:
		m.unsettled = m.unsettled && msg.seq != m.settleSeq
	case stepSlotsMsg:
		return m.takeStepSlots(msg)
	case bulkMsg:
		return m.takeBulk(msg)
	case shownMsg:
		m.handleShown(msg)
	case doneMsg:
		m.takeDone(msg)
	default:
		return m.tell(msg)
	}
	return nil
}

// resize sets the size of the terminal. A terminal without a known size gets the
// default size.
func (m *Model) resize(width, height int) {
	if m.width, m.height = max(0, width), max(0, height); width <= 0 && height <= 0 {
		m.width, m.height = defaultWidth, defaultHeight
	}
}

// handleTick advances the clock and removes expired notices.
func (m *Model) handleTick(msg tickMsg) tea.Cmd {
	m.Now = timeOf(msg)
	if m.Now.After(m.notice.until) {
		m.notice = notice{}
	}
	return tea.Batch(m.tick(), m.poll())
}

// poll regularly reads data for which the daemon sends no events: attempts of a
// publishing post, and the displayed deliveries.
func (m *Model) poll() tea.Cmd {
	const every = 5 * time.Second
	if m.Now.Sub(m.lastPoll) < every {
		return nil
	}
	m.lastPoll = m.Now
	m.pollSilent()
	m.forecast.Poll()
	m.room().Poll()
	if p, ok := m.CurrentPost(); ok && p.Status == schedctl.Publishing {
		return m.MarkStale(p.ID)
	}
	return nil
}

// handleKey passes a key to the open dialog or the list. Keys that were pressed fast
// arrive in one message and are handled one by one; pasted text is not.
func (m *Model) handleKey(k tea.KeyMsg) tea.Cmd {
	if k.Type == tea.KeyRunes && len(k.Runes) > 1 && !k.Paste {
		cmds := make([]tea.Cmd, len(k.Runes))
		for i, r := range k.Runes {
			cmds[i] = m.handleKey(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}, Alt: k.Alt})
		}
		return tea.Batch(cmds...)
	}
	if m.dialog != nil {
		return m.dialog.Key(m, k)
	}
	return m.handleBrowseKey(k)
}

// quit ends the program when all changes are saved.
func (m *Model) quit() tea.Cmd {
	if m.quitting {
		return tea.Quit // pressed twice
	}
	m.quitting = true
	if h, ok := m.dragging(); ok {
		return tea.Batch(m.sendNudge(), h.SendOrder())
	}
	if m.nudge.id != "" {
		return m.sendNudge()
	}
	if len(m.busy) > 0 {
		m.ShowNotice("saving; press again to quit without waiting")
	}
	return nil
}
