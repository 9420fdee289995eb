package tui

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// linkState says how the stream of events is.
type linkState int

const (
	linkConnecting linkState = iota
	linkOpen
	linkWaiting // for the next try
	linkRefused // the key is not taken
)

// link is the connection as the screen shows it.
type link struct {
	state linkState
	again time.Time // when the next try is, while waiting
}

type (
	// linkMsg tells of the stream.
	linkMsg struct {
		link
		err error
	}
	// eventMsg is something that has happened.
	eventMsg struct{ event apiv1.Event }
)

// Pauses between two connections: twice as long after each that came to nothing.
const (
	firstPause = time.Second
	maxPause   = 30 * time.Second
)

// follow tells send of events and of the state of the stream, until ctx ends. A
// stream that breaks off is opened again where it was.
func follow(ctx context.Context, c Client, now func() time.Time, send func(tea.Msg)) {
	position, pause := "", firstPause
	for ctx.Err() == nil {
		send(linkMsg{link: link{state: linkConnecting}})
		err := c.Follow(ctx, position, func(e apiv1.Event) {
			position, pause = e.ID, firstPause
			if e.Type == "" {
				send(linkMsg{link: link{state: linkOpen}})
				return
			}
			send(eventMsg{e})
		})
		if ctx.Err() != nil {
			return
		}
		wait := pause/2 + rand.N(pause/2+1) // many browsers shall not come back together
		send(linkMsg{link: link{state: stateAfter(err), again: now().Add(wait)}, err: err})
		if pause = min(2*pause, maxPause); !sleep(ctx, wait) {
			return
		}
	}
}

// stateAfter tells a key that is not taken from a daemon that is away.
func stateAfter(err error) linkState {
	switch schedctl.CodeOf(err) {
	case schedctl.AuthenticationRequired, schedctl.InvalidAPIKey, schedctl.APIKeyRevoked, schedctl.APIKeyExpired, schedctl.InsufficientScope:
		return linkRefused
	}
	return linkWaiting
}

func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// takeLink shows the state of the stream. When it is back, what could not be
// read is asked for again; when it is there for the first time, everything:
// something may have happened between what was read and its beginning.
func (m *Model) takeLink(msg linkMsg) tea.Cmd {
	before := m.link.state
	if m.link = msg.link; msg.state == linkConnecting && before != linkConnecting {
		m.link.state = before // the next try is no news
	}
	if msg.err != nil && before == linkOpen && !errors.Is(msg.err, ErrUnreachable) {
		m.showError(explain(msg.err))
	}
	switch {
	case msg.state != linkOpen || before == linkOpen:
		return nil
	case !m.wasConnected:
		m.wasConnected = true
		return m.reload()
	}
	return m.retryReads()
}

// text says the state of the connection.
func (l link) text(s drawContext) string {
	switch l.state {
	case linkOpen:
		return s.theme.good.Render("live")
	case linkRefused:
		return s.theme.bad.Render("key refused")
	case linkWaiting:
		text := "offline"
		if wait := l.again.Sub(s.now).Round(time.Second); wait > 0 && !s.theme.plain {
			text += ", again " + relativeTime(wait)
		}
		return s.theme.warn.Render(text)
	}
	return s.theme.faint.Render("connecting")
}
