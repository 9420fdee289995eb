package mcp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
)

// outcome is the result of a call: a short text, and the same as data.
type outcome struct {
	text string
	data any
}

const (
	maxText = 280 // of a text, in characters
	maxMany = 230 // of a text in lists of more than few posts
	few     = 10
	maxRow  = 90  // of a text in a line of a table
	maxSaid = 200 // of a message of a network, a reviewer or a warning
)

// postView is a post as results have it.
type postView struct {
	ID         string          `json:"id"`
	Version    int64           `json:"version"`
	Status     schedctl.Status `json:"status"`
	PublishAt  string          `json:"publish_at,omitempty"`
	ProposedAt string          `json:"proposed_at,omitempty"`
	Local      string          `json:"local,omitempty"` // of either time
	Accounts   []string        `json:"accounts,omitempty"`
	Content    string          `json:"content,omitempty"`
	Clipped    bool            `json:"clipped,omitempty"`
	Parts      int             `json:"parts,omitempty"` // of a thread
	Files      int             `json:"files,omitempty"`
	Title      string          `json:"title,omitempty"`
	Labels     []string        `json:"labels,omitempty"`
	SeriesID   string          `json:"series_id,omitempty"`
	Approval   string          `json:"approval,omitempty"`
	Asked      string          `json:"changes_requested,omitempty"` // what a reviewer asked for
	Targets    map[string]int  `json:"targets,omitempty"`           // by status, if they differ
	URLs       []string        `json:"urls,omitempty"`
	Errors     []string        `json:"errors,omitempty"`
	Waits      string          `json:"waits,omitempty"`
	Warnings   []string        `json:"warnings,omitempty"`
	Also       []string        `json:"proposed_also,omitempty"`
}

// local returns a time in the zone of the call, such as "Fri 4 Dec 2026 09:00 CET".
func (d *directory) local(t time.Time) string { return when.Format(t.In(d.zone)) }

// both returns a time in the zone of the call and in UTC.
func (d *directory) both(t time.Time) string {
	return d.local(t) + " (" + apiv1.Time{Time: t}.String() + ")"
}

// views returns posts in short. Many have shorter texts and one address each, so that a page
// stays short.
func (d *directory) views(posts []apiv1.Post) []postView {
	out := make([]postView, len(posts))
	for i := range posts {
		if out[i] = d.view(&posts[i]); len(posts) > few {
			out[i].Content = clip(out[i].Content, maxMany)
			out[i].Clipped = out[i].Content != posts[i].Content
			out[i].URLs = out[i].URLs[:min(1, len(out[i].URLs))]
		}
	}
	return out
}

// view returns a post in short.
func (d *directory) view(p *apiv1.Post) postView {
	v := postView{
		ID: p.ID, Version: p.Version, Status: p.Status, Accounts: d.names(p.SocialAccountIDs), Content: clip(p.Content, maxText),
		Files: len(p.Media), Title: textOf(p.Title), Labels: p.Labels, SeriesID: textOf(p.SeriesID), Also: p.ProposedAlso,
	}
	v.Clipped = v.Content != p.Content
	if len(p.Thread) > 0 {
		v.Parts = 1 + len(p.Thread)
	}
	switch {
	case p.PublishAt != nil:
		v.PublishAt, v.Local = p.PublishAt.String(), d.local(p.PublishAt.Time)
	case p.ProposedAt != nil && p.ProposedAt.NextSlot:
		v.ProposedAt = apiv1.PublishNextSlot
	case p.ProposedAt != nil:
		v.ProposedAt, v.Local = apiv1.Time{Time: p.ProposedAt.Time}.String(), d.local(p.ProposedAt.Time)
	}
	if a := p.Approval; a != nil {
		v.Approval = string(a.State)
		if a.State == schedctl.ApprovalChangesRequested {
			v.Asked = clip(textOf(a.Note), maxSaid)
		}
	}
	for _, w := range p.Warnings {
		v.Warnings = append(v.Warnings, d.said(w))
	}
	d.viewTargets(&v, p.Targets)
	return v
}

// viewTargets summarizes the targets of a post.
func (d *directory) viewTargets(v *postView, targets []apiv1.Target) {
	states := map[string]int{}
	for i := range targets {
		t := &targets[i]
		states[string(t.Status)]++
		if t.PlatformPostURL != nil {
			v.URLs = append(v.URLs, *t.PlatformPostURL)
		}
		if t.Error != nil {
			v.Errors = append(v.Errors, d.name(t.SocialAccountID)+": "+d.saidBy(t.Error))
		}
		if t.Waits != nil && v.Waits == "" {
			v.Waits = d.name(t.SocialAccountID) + ": " + d.said(t.Waits.Message)
		}
	}
	if len(states) > 1 {
		v.Targets = states
	}
}

// said returns a message of the daemon in short, in the words of the tools.
func (d *directory) said(message string) string { return clip(d.caller.forTools(message), maxSaid) }

// row describes a post in one line.
func (v *postView) row(width int) string {
	words := []string{v.ID, fmt.Sprintf("v%d", v.Version), string(v.Status)}
	if v.Approval != "" {
		words = append(words, v.Approval)
	}
	if v.ProposedAt != "" {
		words = append(words, "proposed")
	}
	words = append(words, cmp.Or(v.Local, v.ProposedAt, "no time"))
	for _, name := range v.Accounts {
		words = append(words, quote(name, 40))
	}
	for _, status := range slices.Sorted(maps.Keys(v.Targets)) {
		words = append(words, fmt.Sprintf("%d %s", v.Targets[status], status))
	}
	return strings.Join(words, " ") + " " + quote(v.Content, width)
}

// clip returns the start of a text.
func clip(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}

// plain returns the start of a text in one line, without characters that do not show.
func plain(text string, most int) string {
	words := strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) })
	return clip(strings.Join(words, " "), most)
}

// quote returns the start of a text of others for a text of a result: one line, as JSON.
func quote(text string, most int) string {
	quoted, err := encode(plain(text, most))
	if err != nil {
		return `""`
	}
	return string(quoted)
}

func textOf(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// encode returns v as JSON without the escapes that only HTML needs.
func encode(v any) ([]byte, error) {
	var buf bytes.Buffer
	out := json.NewEncoder(&buf)
	out.SetEscapeHTML(false)
	err := out.Encode(v)
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), err
}

// plural returns a number with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
