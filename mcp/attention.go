package mcp

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

// looking are the arguments of attention.
type looking struct {
	Days int `json:"days,omitempty" doc:"How far to look ahead; 21 by default." minimum:"1" maximum:"366"`
	zoned
}

func attentionTools() []tool {
	return []tool{{
		name: "attention", scopes: readsPosts,
		about: "What needs action: failed posts with the next step, requested changes, posts and series that wait for approval, held posts, and what will fail.",
		in:    reflect.TypeFor[looking](), call: with(attention),
	}, {
		name: "split_text", scopes: readsPosts,
		about: "Splits a long text into parts of a thread that fit the accounts.",
		in:    reflect.TypeFor[splitting](), call: with(splitText),
	}}
}

// attentionView is a post that needs action, and the next step.
type attentionView struct {
	ID      string   `json:"id"`
	Version int64    `json:"version"`
	Name    string   `json:"name,omitempty"` // of a series
	Local   string   `json:"local,omitempty"`
	Content string   `json:"content"`
	Why     []string `json:"why,omitempty"`
	Next    string   `json:"next"`
}

// row describes the view in a line, by its text or name.
func (v *attentionView) row(name string) string {
	return strings.Join(nonEmpty([]string{v.ID, quote(name, 40), quoted(strings.Join(v.Why, "; ")), "next: " + v.Next}), " ") + "\n"
}

// maxAttention is how many posts of each kind, and how many warnings, are shown.
const maxAttention = 10

// group is posts that need action for the same reason.
type group struct {
	name  string
	query client.PostQuery
	needs func(d *directory, c *call, p *apiv1.Post, v *postView) (why []string, next string, ok bool)
}

func attentionGroups() []group {
	return []group{{
		"failed", client.PostQuery{Statuses: []schedctl.Status{schedctl.Failed}},
		func(d *directory, c *call, p *apiv1.Post, v *postView) ([]string, string, bool) {
			return v.Errors, afterFailure(c, p), true
		},
	}, {
		"changes_requested", client.PostQuery{Approval: schedctl.ApprovalChangesRequested},
		func(d *directory, c *call, p *apiv1.Post, v *postView) ([]string, string, bool) {
			return []string{v.Asked}, c.afterReview(p.CreatedBy, stepsToChange), p.Status == schedctl.Draft
		},
	}, {
		"pending", client.PostQuery{Approval: schedctl.ApprovalPending},
		func(d *directory, c *call, p *apiv1.Post, v *postView) ([]string, string, bool) {
			return nil, byApprover, true
		},
	}, {
		"held", client.PostQuery{Statuses: []schedctl.Status{schedctl.Scheduled, schedctl.Publishing}, Sort: "publish_at", Limit: 100},
		func(d *directory, c *call, p *apiv1.Post, v *postView) ([]string, string, bool) {
			return []string{v.Waits}, "wait, or a person ends what holds it", v.Waits != ""
		},
	}}
}

// The steps after failures and reviews.
const (
	byApprover = "a person approves it"
	byAuthor   = "its author changes it and submits it again"
)

var (
	stepsAfterContent = steps{"create_draft for the accounts that failed, with what their networks accept", "a person writes what the network accepts"}
	stepsAfterRetry   = steps{"retry_post", "a person retries it"}
	stepsToSubmit     = steps{"submit_post; " + byApprover, byApprover}
	stepsOfSeries     = steps{"edit_series, then submit_series", byAuthor}
	stepsToChange     = steps{"edit_post, then submit_post", byAuthor}
)

// afterFailure says what to do about a failed post.
func afterFailure(c *call, p *apiv1.Post) string {
	for i := range p.Targets {
		e := p.Targets[i].Error
		if e == nil || p.Targets[i].Status != schedctl.Failed {
			continue
		}
		switch {
		case e.Outcome == schedctl.OutcomeUnknown:
			return "a person checks whether the network has it"
		case e.Kind == schedctl.KindAuth:
			return "a person reconnects the account"
		case e.Kind == schedctl.KindContent || e.Kind == schedctl.KindMedia || e.Kind == schedctl.KindDuplicate:
			return c.first(stepsAfterContent)
		case e.Kind == schedctl.KindApproval:
			return c.first(stepsToSubmit)
		}
	}
	return c.first(stepsAfterRetry)
}

// afterReview says what to do about an object of which changes were requested.
func (c *call) afterReview(author *apiv1.Author, of steps) string {
	if author == nil || author.ID != c.KeyID {
		return byAuthor
	}
	return c.first(of)
}

func attention(ctx context.Context, c *call, in looking) (outcome, error) {
	d, err := c.look(ctx)
	if err != nil {
		return outcome{}, err
	}
	data, text := map[string]any{}, strings.Builder{}
	for _, g := range attentionGroups() {
		page, err := c.Client.Posts(ctx, g.query)
		if err != nil {
			return outcome{}, err
		}
		list := g.needing(d, c, page.Results)
		if len(list) > maxAttention || page.NextCursor != nil {
			data["more"] = append(moreOf(data), g.name)
		}
		list = list[:min(len(list), maxAttention)]
		if len(list) == 0 {
			continue
		}
		data[g.name] = list
		fmt.Fprintf(&text, "%s:\n", g.name)
		for _, v := range list {
			text.WriteString(v.row(v.Content))
		}
	}
	if err := c.waitingSeries(ctx, d, data, &text); err != nil {
		return outcome{}, err
	}
	forecast, err := c.Client.Forecast(ctx, in.Days)
	if err != nil {
		return outcome{}, err
	}
	if len(forecast.Results) > maxAttention {
		forecast.Results, data["more"] = forecast.Results[:maxAttention], append(moreOf(data), "forecast")
	}
	views, lines, err := c.forecast(ctx, forecast)
	if err != nil {
		return outcome{}, err
	}
	if len(views) > 0 {
		data["forecast"] = views
		text.WriteString("forecast:" + lines)
	}
	if forecast.Truncated {
		data["more"] = append(moreOf(data), "forecast")
	}
	if more := moreOf(data); len(more) > 0 {
		fmt.Fprintf(&text, "not all are shown of: %s\n", strings.Join(more, ", "))
	}
	if text.Len() == 0 {
		return outcome{"Nothing needs action.", data}, nil
	}
	return outcome{text.String(), data}, nil
}

// waitingSeries adds the series that wait for an approval or for changes.
func (c *call) waitingSeries(ctx context.Context, d *directory, data map[string]any, text *strings.Builder) error {
	var list []attentionView
	for _, state := range []schedctl.ApprovalState{schedctl.ApprovalChangesRequested, schedctl.ApprovalPending} {
		page, err := c.Client.SeriesList(ctx, client.SeriesQuery{Approval: state, Limit: 100})
		if err != nil {
			return err
		}
		for i := range page.Results {
			s := &page.Results[i]
			v := attentionView{ID: s.ID, Version: s.Version, Name: clip(s.Name, maxRow), Content: clip(s.Content, maxRow), Next: byApprover}
			if state == schedctl.ApprovalChangesRequested {
				v.Why, v.Next = nonEmpty([]string{clip(textOf(s.Approval.Note), maxSaid)}), c.afterReview(s.CreatedBy, stepsOfSeries)
			}
			if s.State != schedctl.SeriesEnded {
				list = append(list, v)
			}
		}
		if page.NextCursor != nil && len(list) <= maxAttention {
			data["more"] = append(moreOf(data), "series")
		}
	}
	if len(list) > maxAttention {
		list, data["more"] = list[:maxAttention], append(moreOf(data), "series")
	}
	if len(list) == 0 {
		return nil
	}
	data["series"] = list
	text.WriteString("series:\n")
	for _, v := range list {
		text.WriteString(v.row(v.Name))
	}
	return nil
}

// moreOf returns the kinds of which not all are shown.
func moreOf(data map[string]any) []string {
	more, _ := data["more"].([]string)
	return more
}

// needing returns the posts that need action.
func (g group) needing(d *directory, c *call, posts []apiv1.Post) []attentionView {
	var out []attentionView
	for i := range posts {
		v := d.view(&posts[i])
		why, next, ok := g.needs(d, c, &posts[i], &v)
		if !ok {
			continue
		}
		out = append(out, attentionView{ID: v.ID, Version: v.Version, Local: v.Local, Content: clip(v.Content, maxRow), Why: nonEmpty(why), Next: next})
	}
	return out
}

func nonEmpty(list []string) []string {
	var out []string
	for _, text := range list {
		if text != "" {
			out = append(out, text)
		}
	}
	return out
}
