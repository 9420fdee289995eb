// Package webhooks is the screen of the webhooks and their deliveries.
package webhooks

import (
	"context"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/screen"
)

// maxDeliveries is the maximum number of deliveries in memory.
const maxDeliveries = 1000

const (
	lookAhead = 40  // rows below the selection that are read before the user gets there
	onePage   = 100 // deliveries on a page
)

// Screen shows the webhooks, or the deliveries of one. It is a [screen.Screen].
type Screen struct {
	frame screen.Frame

	list            []apiv1.Webhook
	loaded, loading bool
	err             error
	selected        int

	opened          string // the id of the webhook whose deliveries are shown, or empty
	deliveries      []apiv1.Delivery
	next            string
	firstPageLoaded bool // the first page of deliveries is loaded
	fetching        bool
	seq             int // number of reloads, to ignore late responses
	deliveriesErr   error
	delivery        int // the selected delivery
}

// New returns the screen in a frame.
func New(f screen.Frame) *Screen { return &Screen{frame: f} }

type (
	webhooksMsg struct {
		list []apiv1.Webhook
		err  error
	}
	deliveriesMsg struct {
		seq  int
		list apiv1.DeliveryList
		err  error
	}
	replayedMsg struct {
		webhook  string
		delivery apiv1.Delivery
		err      error
	}
)

// Arrive implements [screen.Screen].
func (h *Screen) Arrive() { h.Refresh() }

// Refresh implements [screen.Screen].
func (h *Screen) Refresh() { h.Reload() }

// Retry implements [screen.Screen].
func (h *Screen) Retry() { h.err, h.deliveriesErr = nil, nil }

// Poll reads the shown deliveries again, for which the daemon sends no events.
func (h *Screen) Poll() {
	if h.opened != "" && !h.fetching && len(h.deliveries) <= onePage {
		h.reloadDeliveries()
	}
}

// Handle implements [screen.Screen].
func (h *Screen) Handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case webhooksMsg:
		return h.takeWebhooks(msg)
	case deliveriesMsg:
		return h.takeDeliveries(msg)
	case replayedMsg:
		h.takeReplayed(msg)
	case screen.Event:
		h.loaded = h.loaded && msg.Type != schedctl.EventWebhookDisabled
	}
	return nil
}

// Key implements [screen.Screen].
func (h *Screen) Key(k tea.KeyMsg) tea.Cmd {
	if key.Matches(k, h.frame.Current().Keys.Retry) {
		return h.replay()
	}
	return nil
}

// Keys implements [screen.Screen].
func (h *Screen) Keys() []key.Binding {
	k := &h.frame.Current().Keys
	if h.opened != "" {
		return []key.Binding{k.Help, k.Back, k.Retry, k.Reload, k.Quit}
	}
	return []key.Binding{k.Help, k.Open, k.Reload, k.Quit}
}

// Open shows the deliveries of the selected webhook.
func (h *Screen) Open() {
	if h.opened == "" && h.selected < len(h.list) {
		h.opened = h.list[h.selected].ID
		h.deliveries, h.delivery = nil, 0
		h.reloadDeliveries()
	}
}

// Reload implements [screen.Screen].
func (h *Screen) Reload() {
	h.loaded = false
	h.reloadDeliveries()
}

// reloadDeliveries reads the deliveries again from the first page. The old ones stay
// on the screen until then.
func (h *Screen) reloadDeliveries() {
	h.seq++
	h.next, h.firstPageLoaded, h.fetching, h.deliveriesErr = "", false, false, nil
}

// title returns the name of the open webhook.
func (h *Screen) title() string {
	for _, w := range h.list {
		if w.ID == h.opened {
			return screen.OneLine(webhookName(w))
		}
	}
	return h.opened
}

func webhookName(w apiv1.Webhook) string {
	if w.Name != nil {
		return *w.Name + "  " + w.URL
	}
	return w.URL
}

// Back closes the deliveries.
func (h *Screen) Back() { h.opened = "" }

// Move implements [screen.Screen].
func (h *Screen) Move(by int) {
	if h.opened != "" {
		h.delivery = screen.Clamp(h.delivery+by, len(h.deliveries))
		return
	}
	h.selected = screen.Clamp(h.selected+by, len(h.list))
}

// Fill requests the webhooks, and the deliveries of the open webhook as the
// user scrolls.
func (h *Screen) Fill() tea.Cmd {
	c := h.frame.Client()
	if !h.loaded && !h.loading && h.err == nil {
		h.loading = true
		return h.frame.Call(func(ctx context.Context) tea.Msg {
			list, err := c.Webhooks(ctx)
			return webhooksMsg{list: list, err: err}
		})
	}
	more := !h.firstPageLoaded || h.next != "" && h.delivery+lookAhead > len(h.deliveries) && len(h.deliveries) < maxDeliveries
	if h.opened == "" || h.fetching || h.deliveriesErr != nil || !more {
		return nil
	}
	h.fetching = true
	id, seq, cursor := h.opened, h.seq, h.next
	return h.frame.Call(func(ctx context.Context) tea.Msg {
		list, err := c.Deliveries(ctx, id, cursor)
		return deliveriesMsg{seq: seq, list: list, err: err}
	})
}

func (h *Screen) takeWebhooks(msg webhooksMsg) tea.Cmd {
	h.loading = false
	if h.err = msg.err; msg.err == nil {
		h.loaded, h.list = true, msg.list
		h.selected = screen.Clamp(h.selected, len(h.list))
	}
	return h.frame.RetryLater(msg.err)
}

func (h *Screen) takeDeliveries(msg deliveriesMsg) tea.Cmd {
	if msg.seq != h.seq {
		return nil
	}
	h.fetching = false
	if h.deliveriesErr = msg.err; msg.err != nil {
		return h.frame.RetryLater(msg.err)
	}
	if !h.firstPageLoaded {
		h.deliveries = nil
	}
	h.firstPageLoaded, h.next = true, ""
	h.deliveries = append(h.deliveries, msg.list.Results...)
	h.delivery = screen.Clamp(h.delivery, len(h.deliveries))
	if msg.list.NextCursor != nil {
		h.next = *msg.list.NextCursor
	}
	return nil
}

// replay queues the selected delivery again.
func (h *Screen) replay() tea.Cmd {
	c := h.frame.Client()
	if h.opened == "" || h.delivery >= len(h.deliveries) {
		h.frame.ShowError("open a webhook and select a delivery first")
		return nil
	}
	webhook, id := h.opened, h.deliveries[h.delivery].ID
	return h.frame.Call(func(ctx context.Context) tea.Msg {
		d, err := c.ReplayDelivery(ctx, webhook, id)
		return replayedMsg{webhook: webhook, delivery: d, err: err}
	})
}

func (h *Screen) takeReplayed(msg replayedMsg) {
	if msg.err != nil {
		h.frame.ShowError(screen.Explain(msg.err))
		return
	}
	h.frame.ShowNotice("queued again")
	for i := range h.deliveries {
		if h.opened == msg.webhook && h.deliveries[i].ID == msg.delivery.ID {
			h.deliveries[i] = msg.delivery
		}
	}
}
