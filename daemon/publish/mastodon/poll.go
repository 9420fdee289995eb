package mastodon

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// PollRules returns the limits that the server reported when the account was verified
// last, or Mastodon's defaults. Before a poll is published, the server is asked again; see
// [Publisher.checkPoll].
func (p *Publisher) PollRules(a schedctl.Account) publish.PollRules {
	switch l := a.Limits.Polls; {
	case l.None:
		return publish.PollRules{Refused: "the server has no polls; remove the poll, or leave the account out"}
	case l != schedctl.PollLimits{}:
		return publish.PollRules{MaxOptions: l.MaxOptions, MaxOption: l.MaxOption, MinTime: l.MinTime, MaxTime: l.MaxTime}
	}
	return publish.PollRules{MaxOptions: 4, MaxOption: 50, MinTime: 5 * time.Minute, MaxTime: 2629746 * time.Second}
}

// poll is the poll of a status (https://docs.joinmastodon.org/methods/statuses/#create).
type poll struct {
	Options    []string `json:"options"`
	ExpiresIn  int64    `json:"expires_in"` // in seconds
	Multiple   bool     `json:"multiple"`
	HideTotals bool     `json:"hide_totals"`
}

func pollOf(r publish.Request) *poll {
	if r.Poll == nil {
		return nil
	}
	return &poll{
		Options: r.Poll.Options, ExpiresIn: int64(r.Poll.ExpiresIn / time.Second), Multiple: r.Poll.Multiple, HideTotals: r.Poll.HideTotals,
	}
}

// withoutPolls are the programs that publish a status without its poll. Some of them
// report limits of polls.
var withoutPolls = map[string]bool{"snac": true, "pixelfed": true, "brighteon": true, "honk": true}

// checkPoll asks the server for its limits of polls, and returns an error if the poll of
// the request exceeds them or the server has no polls.
func (p *Publisher) checkPoll(ctx context.Context, u *url.URL, r publish.Request) error {
	if r.Poll == nil {
		return nil
	}
	rules, version, err := p.pollRules(ctx, u, r.Credentials)
	if err != nil {
		return publish.NotPublished(err)
	}
	software, err := p.software(ctx, u, version)
	if err != nil {
		return publish.NotPublished(err)
	}
	if withoutPolls[software] {
		return publish.Contentf("poll", "the server runs %s, which has no polls; remove the poll, or leave the account out", software)
	}
	if e := rules.Misfit(r.Poll); e != nil {
		return e
	}
	return nil
}

// pollRules asks the server for its limits of polls and its version. Without limits, the
// server decides.
func (p *Publisher) pollRules(ctx context.Context, u *url.URL, c publish.Credentials) (rules publish.PollRules, version string, err error) {
	for _, path := range []string{"api/v2/instance", "api/v1/instance"} {
		a, err := outbound.Get(ctx, p.client, u.JoinPath(path).String(), p.header(c))
		if err != nil {
			return rules, "", err
		}
		i, _ := parseInstance(a)
		version = cmp.Or(i.version, version)
		if l := i.limits.Polls; a.Status == http.StatusOK && i.hasPolls {
			return publish.PollRules{MaxOptions: l.MaxOptions, MaxOption: l.MaxOption, MinTime: l.MinTime, MaxTime: l.MaxTime}, version, nil
		}
	}
	return rules, version, nil
}

// pollLimits reads the limits of polls from an instance document. Pleroma and its forks
// report them as poll_limits.
func pollLimits(document map[string]any) (schedctl.PollLimits, bool) {
	configuration, _ := document["configuration"].(map[string]any)
	if polls, ok := configuration["polls"].(map[string]any); ok {
		return readPollLimits(polls, "max_characters_per_option"), true
	}
	if polls, ok := document["poll_limits"].(map[string]any); ok {
		return readPollLimits(polls, "max_option_chars"), true
	}
	return schedctl.PollLimits{}, false
}

func readPollLimits(polls map[string]any, option string) schedctl.PollLimits {
	seconds := func(name string) time.Duration { return time.Duration(positiveInt(polls[name], 1e9)) * time.Second }
	return schedctl.PollLimits{
		MaxOptions: positiveInt(polls["max_options"], 1000), MaxOption: positiveInt(polls[option], 1e6),
		MinTime: seconds("min_expiration"), MaxTime: seconds("max_expiration"),
	}
}

// pollDropped reports whether a status certainly has no poll, or not all options of the
// poll that was sent.
func pollDropped(s listedStatus, sent *schedctl.Poll) bool {
	return sent != nil && s.hasPoll && s.pollOptions != len(sent.Options)
}
