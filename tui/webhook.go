package tui

import (
	"context"
	"fmt"

	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// maxDeliveries is the maximum number of deliveries in memory.
const maxDeliveries = 1000

// webhookList is the state of the view Webhooks.
type webhookList struct {
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

// open shows the deliveries of the selected webhook.
func (h *webhookList) open() {
	if h.opened == "" && h.selected < len(h.list) {
		h.opened = h.list[h.selected].ID
		h.deliveries, h.delivery = nil, 0
		h.reloadDeliveries()
	}
}

// markOutdated makes the view reload everything.
func (h *webhookList) markOutdated() {
	h.loaded = false
	h.reloadDeliveries()
}

// reloadDeliveries reads the deliveries again from the first page. The old ones stay
// on the screen until then.
func (h *webhookList) reloadDeliveries() {
	h.seq++
	h.next, h.firstPageLoaded, h.fetching, h.deliveriesErr = "", false, false, nil
}

// title returns the name of the open webhook.
func (h *webhookList) title() string {
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

func (h *webhookList) close() { h.opened = "" }

func (h *webhookList) step(by int) {
	if h.opened != "" {
		h.delivery = screen.Clamp(h.delivery+by, len(h.deliveries))
		return
	}
	h.selected = screen.Clamp(h.selected+by, len(h.list))
}

// fillWebhooks requests the webhooks, and the deliveries of the open webhook as the
// user scrolls.
func (m *Model) fillWebhooks() tea.Cmd {
	h, c := &m.webhooks, m.Client()
	if !h.loaded && !h.loading && h.err == nil {
		h.loading = true
		return m.Call(func(ctx context.Context) tea.Msg {
			list, err := c.Webhooks(ctx)
			return webhooksMsg{list: list, err: err}
		})
	}
	more := !h.firstPageLoaded || h.next != "" && h.delivery+postlist.LookAhead > len(h.deliveries) && len(h.deliveries) < maxDeliveries
	if h.opened == "" || h.fetching || h.deliveriesErr != nil || !more {
		return nil
	}
	h.fetching = true
	id, seq, cursor := h.opened, h.seq, h.next
	return m.Call(func(ctx context.Context) tea.Msg {
		list, err := c.Deliveries(ctx, id, cursor)
		return deliveriesMsg{seq: seq, list: list, err: err}
	})
}

func (m *Model) takeWebhooks(msg webhooksMsg) tea.Cmd {
	h := &m.webhooks
	h.loading = false
	if h.err = msg.err; msg.err == nil {
		h.loaded, h.list = true, msg.list
		h.selected = screen.Clamp(h.selected, len(h.list))
	}
	return m.RetryLater(msg.err)
}

func (m *Model) takeDeliveries(msg deliveriesMsg) tea.Cmd {
	h := &m.webhooks
	if msg.seq != h.seq {
		return nil
	}
	h.fetching = false
	if h.deliveriesErr = msg.err; msg.err != nil {
		return m.RetryLater(msg.err)
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
func (m *Model) replay() tea.Cmd {
	h, c := &m.webhooks, m.Client()
	if h.opened == "" || h.delivery >= len(h.deliveries) {
		m.ShowError("open a webhook and select a delivery first")
		return nil
	}
	webhook, id := h.opened, h.deliveries[h.delivery].ID
	return m.Call(func(ctx context.Context) tea.Msg {
		d, err := c.ReplayDelivery(ctx, webhook, id)
		return replayedMsg{webhook: webhook, delivery: d, err: err}
	})
}

func (m *Model) takeReplayed(msg replayedMsg) {
	if msg.err != nil {
		m.ShowError(screen.Explain(msg.err))
		return
	}
	m.ShowNotice("queued again")
	for i := range m.webhooks.deliveries {
		if m.webhooks.opened == msg.webhook && m.webhooks.deliveries[i].ID == msg.delivery.ID {
			m.webhooks.deliveries[i] = msg.delivery
		}
	}
}

// webhookRows renders the webhooks, or the deliveries of the open webhook.
func webhookRows(s *screen.Scene, h *webhookList, width, height int) []string {
	if h.opened != "" {
		return deliveryRows(s, h, width, height)
	}
	if len(h.list) == 0 {
		return screen.EmptyMessage(s, h.loaded, h.err, "No webhook yet. Create one with: schedctl webhook create", width)
	}
	var lines []string
	at := 0
	for i, w := range h.list {
		if i == h.selected {
			at = len(lines)
		}
		state := s.Theme.Good.Render("enabled")
		switch {
		case !w.Enabled:
			state = s.Theme.Faint.Render("disabled")
		case w.FailingSince != nil:
			state = s.Theme.Bad.Render("failing since " + screen.RelativeTime(w.FailingSince.Sub(s.Now)))
		}
		lines = append(lines, screen.Justify(s.Theme.Mark(i == h.selected)+s.Theme.Row(screen.Clip(screen.OneLine(webhookName(w)), width-20), i == h.selected), state, width))
		if w.DisabledReason != nil {
			lines = append(lines, "    "+s.Theme.Bad.Render(screen.Clip(screen.OneLine(*w.DisabledReason), width-4)))
		}
	}
	return screen.LinesAround(lines, at, height)
}

func deliveryRows(s *screen.Scene, h *webhookList, width, height int) []string {
	head := []string{s.Theme.Title.Render(screen.Clip("Deliveries to "+h.title()+", newest first", width)), ""}
	if len(h.deliveries) == 0 {
		return append(head, screen.EmptyMessage(s, h.firstPageLoaded, h.deliveriesErr, "No deliveries to this webhook yet.", width)...)
	}
	var lines []string
	at := 0
	for i, d := range h.deliveries {
		if i == h.delivery {
			at = len(lines)
		}
		lines = append(lines, screen.Justify(s.Theme.Mark(i == h.delivery)+s.Theme.Row(screen.Clip(deliveryText(s, d), width-14), i == h.delivery), deliveryState(s, d), width))
		if i == h.delivery {
			lines = append(lines, deliveryNotes(s, d, width)...)
		}
	}
	return append(head, screen.LinesAround(lines, at, height-len(head))...)
}

func deliveryText(s *screen.Scene, d apiv1.Delivery) string {
	text := s.Clock(d.CreatedAt) + "  " + string(d.EventType)
	if d.Attempt > 0 {
		text += "  " + screen.Plural(d.Attempt, "attempt")
	}
	if d.HTTPStatus != nil {
		text += fmt.Sprintf(", %d", *d.HTTPStatus)
	}
	return text
}

func deliveryState(s *screen.Scene, d apiv1.Delivery) string {
	switch d.Status {
	case schedctl.DeliveryDelivered:
		return s.Theme.Good.Render("delivered")
	case schedctl.DeliveryFailed:
		return s.Theme.Bad.Render("failed")
	}
	return s.Theme.Warn.Render(string(d.Status))
}

// deliveryNotes describes the error and the next attempt of a delivery.
func deliveryNotes(s *screen.Scene, d apiv1.Delivery, width int) (lines []string) {
	add := func(text string) {
		lines = append(lines, "    "+s.Theme.Hint.Render(screen.Clip(screen.OneLine(text), width-4)))
	}
	if d.Error != nil {
		add(*d.Error)
	}
	if d.Response != nil && *d.Response != "" {
		add("response: " + screen.Excerpt(*d.Response, width))
	}
	if d.NextAttemptAt != nil {
		add("next attempt " + screen.RelativeTime(d.NextAttemptAt.Sub(s.Now)))
	}
	if d.Status == schedctl.DeliveryFailed {
		add("next: r sends it again")
	}
	return lines
}
