package api_test

import (
	"time"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage/storagetest/oracle"
)

// addExtras adds the given extras to the body of a request.
func addExtras(b map[string]any, c oracle.Changes) {
	if c.Thread != nil {
		b["thread"] = bodyParts(*c.Thread)
	}
	if c.Comment != nil {
		b["first_comment"] = nil
		if c.Comment.Text != "" {
			b["first_comment"] = bodyParts([]oracle.Part{*c.Comment})[0]
		}
	}
	if c.Poll != nil {
		b["poll"] = nil
		if len(c.Poll.Options) > 0 {
			b["poll"] = bodyPoll(*c.Poll)
		}
	}
	if c.Preview != nil {
		b["link_preview"] = c.Preview.Mode
		if c.Preview.Mode == "card" {
			b["link_preview"] = map[string]any{"url": c.Preview.URL, "title": c.Preview.Title}
		}
	}
	for name, value := range map[string]*string{"content_warning": c.Warning, "visibility": c.Visibility, "language": c.Language} {
		if value != nil {
			b[name] = *value
		}
	}
	if c.Overrides == nil {
		return
	}
	list := []map[string]any{}
	for _, o := range *c.Overrides {
		list = append(list, bodyOverride(o))
	}
	b["target_overrides"] = list
}

func bodyParts(parts []oracle.Part) []map[string]any {
	list := []map[string]any{}
	for _, part := range parts {
		list = append(list, map[string]any{"content": part.Text})
	}
	return list
}

func bodyPoll(p oracle.Poll) map[string]any {
	return map[string]any{
		"options": append([]string{}, p.Options...), "expires_in_seconds": int(p.Runs / time.Second), "multiple": p.Multiple, "hide_totals": p.HideTotals,
	}
}

func bodyOverride(o oracle.Override) map[string]any {
	b := map[string]any{"social_account_id": o.Account}
	for name, value := range map[string]string{
		"content": o.Text, "content_warning": o.Warning, "visibility": o.Visibility, "language": o.Language,
	} {
		if value != "" {
			b[name] = value
		}
	}
	if o.Thread != nil {
		b["thread"] = bodyParts(*o.Thread)
	}
	if o.Poll != nil {
		b["poll"] = bodyPoll(*o.Poll)
	}
	return b
}

// seenExtras returns the extras of a post as the model sees them.
func seenExtras(p apiv1.Post) oracle.Extras {
	e := oracle.Extras{
		Thread: partsOf(p.Thread), Poll: seenPoll(p.Poll), Preview: oracle.Preview{Mode: p.LinkPreview.Mode},
		Presentation: seenPresentation(p.ContentWarning, p.Visibility, p.Language),
	}
	if p.FirstComment != nil {
		e.Comment = &partsOf([]apiv1.Part{*p.FirstComment})[0]
	}
	if card := p.LinkPreview.Card; card != nil {
		e.Preview = oracle.Preview{Mode: "card", URL: card.URL, Title: card.Title}
	}
	for _, o := range p.TargetOverrides {
		own := oracle.Override{Account: o.SocialAccountID, Poll: seenPoll(o.Poll), Presentation: seenPresentation(o.ContentWarning, o.Visibility, o.Language)}
		if o.Content != nil {
			own.Text = *o.Content
		}
		if o.Thread != nil {
			thread := partsOf(*o.Thread)
			own.Thread = &thread
		}
		e.Overrides = append(e.Overrides, own)
	}
	return e
}

func partsOf(parts []apiv1.Part) (list []oracle.Part) {
	for _, part := range parts {
		list = append(list, oracle.Part{Text: part.Content})
	}
	return list
}

func seenPoll(p *apiv1.Poll) *oracle.Poll {
	if p == nil {
		return nil
	}
	return &oracle.Poll{Options: p.Options, Runs: time.Duration(p.ExpiresInSeconds) * time.Second, Multiple: p.Multiple, HideTotals: p.HideTotals}
}

func seenPresentation(warning, visibility, language *string) (s oracle.Presentation) {
	for field, value := range map[*string]*string{&s.Warning: warning, &s.Visibility: visibility, &s.Language: language} {
		if value != nil {
			*field = *value
		}
	}
	return s
}

// seenParts returns the parts of a target as the model sees them.
func seenParts(t apiv1.Target) (list []oracle.PartState) {
	for _, part := range t.Parts {
		s := oracle.PartState{
			Kind: string(part.Kind), Status: string(part.Status), PublishedAt: seenTime(part.PublishedAt), Attempts: part.Attempts, Error: seenFault(part.Error),
		}
		if part.PlatformPostID != nil {
			s.ID = *part.PlatformPostID
		}
		list = append(list, s)
	}
	return list
}
