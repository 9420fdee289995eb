package oracle

import (
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// apply sets the given fields of a post.
func (c Changes) apply(p *post) {
	if c.Thread != nil {
		p.Thread = *c.Thread
	}
	if c.Comment != nil {
		if p.Comment = c.Comment; c.Comment.Text == "" && len(c.Comment.Media) == 0 {
			p.Comment = nil
		}
	}
	if c.Poll != nil {
		if p.Poll = c.Poll; len(c.Poll.Options) == 0 {
			p.Poll = nil
		}
	}
	if c.Preview != nil {
		p.Preview = *c.Preview
	}
	for field, value := range map[*string]*string{&p.Warning: c.Warning, &p.Visibility: c.Visibility, &p.Language: c.Language} {
		if value != nil {
			*field = *value
		}
	}
	if c.Overrides == nil {
		return
	}
	for _, t := range p.targets {
		t.own = Override{}
		for _, o := range *c.Overrides {
			if o.Account == t.Account {
				t.own = o
			}
		}
	}
}

// none reports whether no field is given.
func (c Changes) none() bool {
	return c.Thread == nil && c.Comment == nil && c.Poll == nil && c.Preview == nil && c.Warning == nil && c.Visibility == nil &&
		c.Language == nil && c.Overrides == nil
}

// maxThread is the maximum number of parts after the first one.
const maxThread = 24

// TooManyParts reports whether a given thread has too many parts for any post.
func (c Changes) TooManyParts() bool {
	tooMany := func(thread *[]Part) bool { return thread != nil && len(*thread) > maxThread }
	return tooMany(c.Thread) || c.Overrides != nil && slices.ContainsFunc(*c.Overrides, func(o Override) bool { return tooMany(o.Thread) })
}

// presentation returns the given fields.
func (c Changes) presentation() (s Presentation) {
	for field, value := range map[*string]*string{&s.Warning: c.Warning, &s.Visibility: c.Visibility, &s.Language: c.Language} {
		if value != nil {
			*field = *value
		}
	}
	return s
}

// refuseChanges returns what is wrong with the changes of a post that has these accounts,
// text and media afterwards.
func (m *model) refuseChanges(k Key, c Changes, accounts []string, text string, media []string) (codes []string) {
	if c.Thread != nil {
		codes = append(codes, m.refuseThread(k, *c.Thread)...)
	}
	if c.Comment != nil && (c.Comment.Text != "" || len(c.Comment.Media) > 0) {
		codes = append(codes, m.refuseParts(k, c.Comment.Text, c.Comment.Media)...)
	}
	codes = append(codes, refusePoll(c.Poll)...)
	if c.Preview != nil && c.Preview.Mode == "card" {
		if !strings.HasPrefix(c.Preview.URL, "https://") {
			codes = append(codes, invalid)
		}
		if id := c.Preview.Image; id != "" && !m.hasAsset(k, id) {
			codes = append(codes, invalid)
		}
	}
	codes = append(codes, c.presentation().refuse()...)
	if c.Overrides == nil {
		return codes
	}
	for i, o := range *c.Overrides {
		twice := slices.ContainsFunc((*c.Overrides)[:i], func(other Override) bool { return other.Account == o.Account })
		if twice || !slices.Contains(accounts, o.Account) {
			codes = append(codes, invalid)
		}
		codes = append(codes, m.refuseOverride(k, o, text, media)...)
	}
	return codes
}

// refuseOverride returns what is wrong with an override for a post with this text and
// these media.
func (m *model) refuseOverride(k Key, o Override, text string, media []string) (codes []string) {
	if o.Text != "" {
		text = o.Text
		codes = append(codes, refuseContent(o.Text)...)
	}
	if o.Media != nil {
		media = *o.Media
		codes = append(codes, m.refuseMedia(k, media)...)
	}
	if text == "" && len(media) == 0 {
		codes = append(codes, invalid)
	}
	if o.Thread != nil {
		codes = append(codes, m.refuseThread(k, *o.Thread)...)
	}
	return append(append(codes, refusePoll(o.Poll)...), o.Presentation.refuse()...)
}

func (m *model) refuseThread(k Key, thread []Part) (codes []string) {
	if len(thread) > maxThread {
		codes = append(codes, invalid)
	}
	for _, part := range thread {
		codes = append(codes, m.refuseParts(k, part.Text, part.Media)...)
	}
	return codes
}

// refusePoll returns what is wrong with a poll, if there is one.
func refusePoll(p *Poll) (codes []string) {
	if p == nil || len(p.Options) == 0 {
		return nil
	}
	if len(p.Options) < 2 || len(p.Options) > 10 || p.Runs < 5*time.Minute || p.Runs > 30*24*time.Hour {
		codes = append(codes, invalid)
	}
	for i, option := range p.Options {
		if strings.TrimSpace(option) == "" || slices.Contains(p.Options[:i], option) {
			codes = append(codes, invalid)
		}
	}
	return codes
}

var languageTag = regexp.MustCompile(`^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$`)

func (s Presentation) refuse() []string {
	wrong := s.Visibility != "" && !slices.Contains([]string{"public", "unlisted", "followers", "direct"}, s.Visibility) ||
		s.Warning != "" && strings.TrimSpace(s.Warning) == "" || utf8.RuneCountInString(s.Warning) > 500 ||
		s.Language != "" && !languageTag.MatchString(s.Language)
	if wrong {
		return []string{invalid}
	}
	return nil
}

// refuseKept returns what is wrong with the overrides that an edit keeps, for a post with
// these accounts, text and media afterwards.
func (p *post) refuseKept(r Request, accounts []string, text string, media []string) []string {
	for _, t := range p.targets {
		kept := r.Overrides == nil && slices.Contains(accounts, t.Account)
		if kept && text == "" && t.own.Text == "" && t.own.Media != nil && len(*t.own.Media) == 0 {
			return []string{invalid}
		}
	}
	return nil
}
