package files

import (
	"strings"
	"time"

	"github.com/schedctl/schedctl"
)

// guardOption is the option of accounts with the time during which the same text is refused.
const guardOption = "duplicate_guard"

// sameTextWarning is the time between equal texts below which there is a warning, as in the
// daemon.
const sameTextWarning = 24 * time.Hour

// addTwins reports files that this plan creates or changes and that give an account the same
// text. The daemon compares each of them with the posts that it has already.
func (p *planner) addTwins() {
	if p.allowDuplicate {
		return
	}
	guards := map[string]string{}
	for _, a := range p.accounts {
		guards[a.ID] = schedctl.Options(a.Options).String(guardOption)
	}
	earlier := map[string][]*step{} // by account and text
	for i := range p.steps {
		s := &p.steps[i]
		if !s.does() || s.wanted.doc == nil || s.wanted.At == "" {
			continue
		}
		for _, id := range s.wanted.Accounts {
			key := id + "\x00" + s.wanted.textFor(id)
			for _, other := range earlier[key] {
				if p.addTwin(s, other, id, guards[id]) {
					break
				}
			}
			earlier[key] = append(earlier[key], s)
		}
	}
}

// addTwin reports whether two steps give the account the same text too soon.
func (p *planner) addTwin(s, other *step, accountID, guard string) bool {
	apart := s.wanted.moment.Time.Sub(other.wanted.moment.Time).Abs()
	found := s.wanted.doc.Problemf(s.wanted.doc.Line("content"), "%s: the same text as %s less than ", p.names[accountID], other.File)
	if d, err := time.ParseDuration(guard); err == nil && apart < d {
		if found.Message += guard + " away; change the text, or give --allow-duplicate"; p.checkOnly {
			p.warnings = append(p.warnings, found)
		} else {
			p.addProblems(found)
		}
		return true
	}
	if apart < sameTextWarning {
		found.Message += "24 h away; its network may treat it as spam"
		p.warnings = append(p.warnings, found)
		return true
	}
	return false
}

// textFor returns what an account publishes of the post, as far as duplicates are concerned.
func (s postState) textFor(accountID string) string {
	content, media, thread, poll := s.Content, s.Media, s.Thread, s.Poll
	for _, o := range s.Overrides {
		if o.Account != accountID {
			continue
		}
		if o.Content != "" {
			content = o.Content
		}
		if o.Media != nil {
			media = *o.Media
		}
		if o.Thread != nil {
			thread = *o.Thread
		}
		if o.Poll != nil {
			poll = o.Poll
		}
	}
	parts := append([]partState{{content, media}}, thread...)
	if s.FirstComment != nil {
		parts = append(parts, partState{Content: "\x00"}, *s.FirstComment)
	}
	var b strings.Builder
	for _, part := range parts {
		b.WriteString(part.Content + "\x00")
		for _, m := range part.Media {
			b.WriteString(m.SHA256 + "\x00")
		}
		b.WriteString("\x00")
	}
	if poll != nil {
		b.WriteString(strings.Join(poll.Options, "\x00"))
	}
	return b.String()
}
