package tui

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// linkState is the state of the event stream.
type linkState int

const (
	linkConnecting linkState = iota
	linkOpen
	linkWaiting // waiting for the next attempt
	linkRefused // the daemon refuses the API key
)

// link is the connection as it is shown on the screen.
type link struct {
	state linkState
	again time.Time // time of the next attempt, while waiting
}

type (
	// linkMsg is a new state of the stream.
	linkMsg struct {
		link
		err error
	}
	// eventMsg is an event from the stream.
	eventMsg struct{ event apiv1.Event }
)

// The pause between two connection attempts doubles after each failure.
const (
	firstPause = time.Second
	maxPause   = 30 * time.Second
)

// follow passes events and the state of the stream to send until ctx ends. After an
// interruption it resumes the stream where it stopped.
func follow(ctx context.Context, c screen.Client, now func() time.Time, send func(tea.Msg)) {
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
		wait := pause/2 + rand.N(pause/2+1) // spread the reconnects of many browsers
		send(linkMsg{link: link{state: stateAfter(err), again: now().Add(wait)}, err: err})
		if pause = min(2*pause, maxPause); !schedctl.Sleep(ctx, wait) {
			return
		}
	}
}

// stateAfter distinguishes a refused API key from an unreachable daemon.
func stateAfter(err error) linkState {
	switch schedctl.CodeOf(err) {
	case schedctl.AuthenticationRequired, schedctl.InvalidAPIKey, schedctl.APIKeyRevoked, schedctl.APIKeyExpired, schedctl.InsufficientScope:
		return linkRefused
	}
	return linkWaiting
}

// takeLink shows the state of the stream. After a reconnect it retries failed reads.
// After the first connection it reloads everything, because changes may have
// occurred between the first read and the start of the stream.
func (m *Model) takeLink(msg linkMsg) tea.Cmd {
	before := m.link.state
	if m.link = msg.link; msg.state == linkConnecting && before != linkConnecting {
		m.link.state = before // an attempt does not change the displayed state
	}
	if msg.err != nil && before == linkOpen && !errors.Is(msg.err, screen.ErrUnreachable) {
		m.ShowError(screen.Explain(msg.err))
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

// text describes the state of the connection.
func (l link) text(s postlist.Scene) string {
	switch l.state {
	case linkOpen:
		return s.Theme.Good.Render("live")
	case linkRefused:
		return s.Theme.Bad.Render("key refused")
	case linkWaiting:
		text := "offline"
		if wait := l.again.Sub(s.Now).Round(time.Second); wait > 0 && !s.Theme.Plain {
			text += ", retry " + screen.RelativeTime(wait)
		}
		return s.Theme.Warn.Render(text)
	}
	return s.Theme.Faint.Render("connecting")
}
