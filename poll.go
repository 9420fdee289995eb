package schedctl

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Limits of polls. Networks have their own, narrower ones.
const (
	MinPollOptions = 2
	MaxPollOptions = 10
	MaxPollOption  = 300 // Unicode code points
	MinPollTime    = 5 * time.Minute
	MaxPollTime    = 30 * 24 * time.Hour
)

// Poll is a question with options, published with part 0. The text of the post is the
// question.
type Poll struct {
	Options    []string
	ExpiresIn  time.Duration // from the publication, in whole seconds
	Multiple   bool          // people can choose more than one option
	HideTotals bool          // the votes are hidden until the poll ends
}

// PollFor returns the poll of a target, or nil.
func (p *Post) PollFor(t *Target) *Poll {
	switch {
	case t.Poll == nil:
		return p.Poll
	case len(t.Poll.Options) == 0:
		return nil
	}
	return t.Poll
}

func (p *Poll) clone() *Poll {
	if p == nil {
		return nil
	}
	c := *p
	c.Options = slices.Clone(p.Options)
	return &c
}

func samePoll(a, b *Poll) bool {
	if a == nil || b == nil {
		return a == b
	}
	return slices.Equal(a.Options, b.Options) && a.ExpiresIn == b.ExpiresIn && a.Multiple == b.Multiple && a.HideTotals == b.HideTotals
}

// CheckPoll returns a [ValidationFailed] error for a poll that cannot be published. Its
// fields start with poll.
func CheckPoll(p Poll) error { return p.check("poll") }

// check returns a [ValidationFailed] error for a poll that cannot be published.
func (p *Poll) check(field string) error {
	if n := len(p.Options); n < MinPollOptions || n > MaxPollOptions {
		return Errorf(ValidationFailed, field+".options", "the poll needs %d to %d options and has %d", MinPollOptions, MaxPollOptions, n)
	}
	for i, option := range p.Options {
		if err := checkPollOption(fmt.Sprintf("%s.options[%d]", field, i), option, p.Options[:i]); err != nil {
			return err
		}
	}
	switch {
	case p.ExpiresIn < MinPollTime || p.ExpiresIn > MaxPollTime:
		return Errorf(ValidationFailed, field+".expires_in_seconds", "the poll ends after %s; give 5 minutes to 30 days", p.ExpiresIn)
	case p.ExpiresIn%time.Second != 0:
		return Errorf(ValidationFailed, field+".expires_in_seconds", "the poll ends after %s; give whole seconds", p.ExpiresIn)
	}
	return nil
}

func checkPollOption(field, option string, before []string) error {
	switch n := utf8.RuneCountInString(option); {
	case !plainText(option):
		return Errorf(ValidationFailed, field, "the option contains a NUL character or invalid UTF-8")
	case strings.TrimSpace(option) == "":
		return Errorf(ValidationFailed, field, "the option is empty; write at least one character that is not white space")
	case n > MaxPollOption:
		return Errorf(ValidationFailed, field, "the option has %d characters; the limit is %d", n, MaxPollOption)
	case slices.Contains(before, option):
		return Errorf(ValidationFailed, field, "the option is listed twice; options must differ")
	}
	return nil
}

// plainText reports whether a text is valid UTF-8 without NUL.
func plainText(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }
