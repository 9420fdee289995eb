package postfile

import "fmt"

// partMedia writes the media of the further parts of a thread.
func (e *encoder) partMedia(thread []Part) {
	written := false
	for i, part := range thread {
		if len(part.Media) == 0 {
			continue
		}
		if !written {
			e.line("part_media:")
			written = true
		}
		e.media("  ", fmt.Sprint(i+2), part.Media)
	}
}

func (e *encoder) comment(part *Part) {
	switch {
	case part == nil:
	case len(part.Media) == 0:
		e.line("first_comment: %s", quotedBlock(part.Content.Text))
	default:
		e.line("first_comment:")
		if part.Content.Text != "" {
			e.line("  content: %s", quotedBlock(part.Content.Text))
		}
		e.media("  ", "media", part.Media)
	}
}

// poll writes a poll. indent is the white space before the key.
func (e *encoder) poll(indent string, p *Poll) {
	if p == nil {
		return
	}
	e.line("%spoll:", indent)
	if p.Options == nil {
		e.line("%s  options: []", indent)
	}
	e.list(indent+"  options", p.Options)
	e.scalar(indent+"  for", p.For)
	if p.Multiple {
		e.line("%s  multiple: true", indent)
	}
	if p.HideTotals {
		e.line("%s  hide_totals: true", indent)
	}
}

func (e *encoder) preview(p LinkPreview) {
	e.scalar("link_preview", p.Mode)
	card := p.Card
	if card == nil {
		return
	}
	e.line("link_preview:")
	e.scalar("  url", card.URL)
	e.scalar("  title", card.Title)
	e.scalar("  description", card.Description)
	if card.Image != nil {
		e.scalar("  image", card.Image.File)
	}
}
