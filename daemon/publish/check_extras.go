package publish

import (
	"time"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
)

// CheckExtras adds the problems of a reply and of a poll to a check: the network has
// none, or its rules do not allow it. Like [CheckMedia] it is called after
// [Publisher].Check, once for each part. Publishers check what else a content shows.
func CheckExtras(c *Check, p Publisher, account schedctl.Account, content Content) {
	checkReply(c, p, account, content.Kind)
	if content.Poll != nil {
		checkPoll(c, p, account, content)
	}
}

func checkReply(c *Check, p Publisher, account schedctl.Account, kind schedctl.PartKind) {
	code, name := "thread", "threads"
	switch kind {
	case schedctl.PartComment:
		code, name = "first_comment", "first comments"
	case schedctl.PartReply:
	default:
		return
	}
	threader, ok := p.(Threader)
	if !ok {
		c.Problems = append(c.Problems, Contentf(code, "schedctl publishes no %s to %s; remove them, or leave the account out", name, p.Platform()))
		return
	}
	if refused := threader.ThreadRules(account).Refused; refused != "" {
		c.Problems = append(c.Problems, Contentf(code, "%s", refused))
	}
}

func checkPoll(c *Check, p Publisher, account schedctl.Account, content Content) {
	poller, ok := p.(Poller)
	if !ok {
		c.Problems = append(c.Problems, Contentf("poll", "%s has no polls; remove the poll, or leave the account out", p.Platform()))
		return
	}
	rules := poller.PollRules(account)
	misfit := rules.Misfit(content.Poll)
	switch {
	case rules.Refused != "":
		c.Problems = append(c.Problems, Contentf("poll", "%s", rules.Refused))
	case misfit != nil:
		c.Problems = append(c.Problems, misfit)
	case len(content.Media) > 0 && !rules.WithMedia:
		c.Problems = append(c.Problems, Contentf("poll", "the network takes no media together with a poll; remove one of them"))
	}
}

// Misfit returns an error of kind content if a poll breaks one of the rules, or nil.
func (r PollRules) Misfit(poll *schedctl.Poll) *Error {
	switch {
	case r.MaxOptions > 0 && len(poll.Options) > r.MaxOptions:
		return Contentf("poll", "the poll has %d options and the network allows %d; remove some", len(poll.Options), r.MaxOptions)
	case r.MinTime > 0 && poll.ExpiresIn < r.MinTime:
		return Contentf("poll", "the poll runs for %s and the network needs at least %s; let it run longer", poll.ExpiresIn, r.MinTime)
	case r.MaxTime > 0 && poll.ExpiresIn > r.MaxTime:
		return Contentf("poll", "the poll runs for %s and the network allows %s; let it end earlier", poll.ExpiresIn, r.MaxTime)
	case r.WholeHours && poll.ExpiresIn%time.Hour != 0:
		return Contentf("poll", "the poll runs for %s and the network knows only whole hours; change its time", poll.ExpiresIn)
	case r.NoMultiple && poll.Multiple:
		return Contentf("poll", "people can choose only one option in polls of the network; turn off multiple")
	case r.NoHiding && poll.HideTotals:
		return Contentf("poll", "the network always shows the votes of a poll; turn off hide_totals")
	}
	for i, option := range poll.Options {
		if n := utf8.RuneCountInString(option); r.MaxOption > 0 && n > r.MaxOption {
			return Contentf("poll", "option %d of the poll has %d characters and the network allows %d; shorten it", i+1, n, r.MaxOption)
		}
	}
	return nil
}

// RefuseVisibility adds a problem if a content asks for another visibility than public.
// It is for networks on which every post is public.
func (c *Check) RefuseVisibility(content Content, network string) {
	if v := content.Visibility; v != "" && v != schedctl.VisibilityPublic {
		c.Problems = append(c.Problems, Contentf("visibility", "every post on %s is public, and this one asks for the visibility %s; leave the account out", network, v))
	}
}

// RefuseWarning adds a problem if a content has a content warning. It is for networks
// that have none.
func (c *Check) RefuseWarning(content Content, network string) {
	if content.ContentWarning != "" {
		c.Problems = append(c.Problems, Contentf("content_warning", "%s has no content warnings; remove it, or leave the account out", network))
	}
}

// WarnLanguage adds a warning if a content has a language. It is for networks that have
// no field for it.
func (c *Check) WarnLanguage(content Content, network string) {
	if content.Language != "" {
		c.Warnings = append(c.Warnings, network+" has no field for the language of a post; it is not sent")
	}
}

// WarnPreview adds a warning if part 0 asks for a link preview other than the automatic
// one. It is for networks that decide on their own about previews.
func (c *Check) WarnPreview(content Content, network string) {
	part0 := content.Kind == "" || content.Kind == schedctl.PartPost
	if part0 && content.Preview.Mode != schedctl.PreviewAuto {
		c.Warnings = append(c.Warnings, network+" makes link previews on its own; link_preview has no effect there")
	}
}
