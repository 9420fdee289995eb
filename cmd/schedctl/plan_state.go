package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl/client/apiv1"
)

// postState is what files decide of a post.
type postState struct {
	content  string
	at       time.Time         // UTC; zero for a draft
	accounts []string          // ids, in order
	texts    map[string]string // those of single accounts, by id
}

func stateOf(p apiv1.Post) postState {
	s := postState{content: p.Content, accounts: slices.Sorted(slices.Values(p.SocialAccountIDs)), texts: map[string]string{}}
	if p.PublishAt != nil {
		s.at = p.PublishAt.UTC()
	}
	for _, o := range p.TargetOverrides {
		if o.Content != nil {
			s.texts[o.SocialAccountID] = *o.Content
		}
	}
	return s
}

// print returns the fingerprint of the state.
func (s postState) print() string {
	parts := []string{printOf(s.content, s.at, s.accounts)}
	for _, id := range slices.Sorted(maps.Keys(s.texts)) {
		parts = append(parts, id, s.texts[id])
	}
	return keyOf(parts...)
}

// difference is a field that is to be changed.
type difference struct {
	Field  string `json:"field"` // at, to, content, or override and an account
	Before string `json:"before"`
	After  string `json:"after"`
}

// differences returns what is to be changed so that a post has another state.
func differences(before, after postState, names references) (list []difference) {
	add := func(field, b, a string) {
		if b != a {
			list = append(list, difference{field, b, a})
		}
	}
	add("at", stamp(before.at), stamp(after.at))
	add("to", toText(before, names), toText(after, names))
	add("content", before.content, after.content)
	ids := map[string]bool{}
	for id := range before.texts {
		ids[id] = true
	}
	for id := range after.texts {
		ids[id] = true
	}
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		add("override "+first(names[id], id), before.texts[id], after.texts[id])
	}
	return list
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return apiv1.Time{Time: t}.String()
}

func toText(s postState, names references) string {
	return strings.Join(names.of(apiv1.Post{SocialAccountIDs: s.accounts}), ", ")
}

// brief returns the difference in a line.
func (d difference) brief() string {
	if d.Field == "at" || d.Field == "to" {
		return fmt.Sprintf("%s: %s → %s", d.Field, first(d.Before, "none"), first(d.After, "none"))
	}
	return d.Field
}

// lineDiff returns the lines of two texts that differ, those that go with "- "
// and those that come with "+ ".
func lineDiff(before, after string) (lines []string) {
	b, a := textLines(before), textLines(after)
	for len(b) > 0 && len(a) > 0 && b[0] == a[0] {
		b, a = b[1:], a[1:]
	}
	for len(b) > 0 && len(a) > 0 && b[len(b)-1] == a[len(a)-1] {
		b, a = b[:len(b)-1], a[:len(a)-1]
	}
	for _, l := range b {
		lines = append(lines, "- "+l)
	}
	for _, l := range a {
		lines = append(lines, "+ "+l)
	}
	return lines
}

func textLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}
