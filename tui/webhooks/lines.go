package webhooks

import (
	"fmt"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/screen"
)

// Lines renders the webhooks, or the deliveries of the open webhook.
func (h *Screen) Lines(width, height int) []string {
	s := h.frame.Current()
	if h.opened != "" {
		return h.deliveryLines(width, height)
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

func (h *Screen) deliveryLines(width, height int) []string {
	s := h.frame.Current()
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
