package telegram

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// The limits of polls (https://core.telegram.org/bots/api#sendpoll). Before version 9.6
// of the Bot API, polls ended after ten minutes at the latest; see [degradedPoll].
const (
	maxQuestion   = 300 // characters
	maxOptions    = 12
	maxOption     = 100 // characters
	minOpenPeriod = 5 * time.Second
	maxOpenPeriod = 2628000 * time.Second
)

// PollRules returns the limits of Telegram's own Bot API server.
func (p *Publisher) PollRules(schedctl.Account) publish.PollRules {
	return publish.PollRules{MaxOptions: maxOptions, MaxOption: maxOption, MinTime: minOpenPeriod, MaxTime: maxOpenPeriod}
}

// poll is the body of sendPoll. The poll is anonymous, as polls in channels must be.
type poll struct {
	ChatID                 any              `json:"chat_id"`
	Question               string           `json:"question"`
	Options                []pollOption     `json:"options"`
	AllowsMultipleAnswers  bool             `json:"allows_multiple_answers,omitempty"`
	OpenPeriod             int64            `json:"open_period"` // in seconds
	HideResultsUntilCloses bool             `json:"hide_results_until_closes,omitempty"`
	DisableNotification    bool             `json:"disable_notification,omitempty"`
	ReplyParameters        *replyParameters `json:"reply_parameters,omitempty"`
}

type pollOption struct {
	Text string `json:"text"`
}

// poll returns the body of sendPoll. The text of the post is the question.
func (b bot) poll(r publish.Request) poll {
	m := b.message(r)
	sent := poll{
		ChatID: m.ChatID, Question: r.Content, AllowsMultipleAnswers: r.Poll.Multiple,
		OpenPeriod: int64(r.Poll.ExpiresIn / time.Second), HideResultsUntilCloses: r.Poll.HideTotals,
		DisableNotification: m.DisableNotification, ReplyParameters: m.ReplyParameters,
	}
	for _, option := range r.Poll.Options {
		sent.Options = append(sent.Options, pollOption{option})
	}
	return sent
}

// sentPoll is the poll of a message in a response.
type sentPoll struct {
	Options               []json.RawMessage `json:"options"`
	AllowsMultipleAnswers bool              `json:"allows_multiple_answers"`
	OpenPeriod            int64             `json:"open_period"`

	// AllowsRevoting is missing on servers that cannot hide votes: both were added in
	// version 9.6 of the Bot API.
	AllowsRevoting *bool `json:"allows_revoting"`
}

// degradedPoll compares the poll of the message in a response with that of the request.
// Older servers shorten long polls and do not hide votes.
func degradedPoll(a outbound.Response, sent *schedctl.Poll) schedctl.Degradation {
	if sent == nil {
		return schedctl.Degradation{}
	}
	var body struct {
		Result struct {
			Poll *sentPoll `json:"poll"`
		} `json:"result"`
	}
	_ = json.Unmarshal(a.Body, &body) // a poll that cannot be read is a missing one
	switch got := body.Result.Poll; {
	case got == nil:
		return publish.DegradedPoll("the network published the post without its poll")
	case len(got.Options) != len(sent.Options), got.AllowsMultipleAnswers != sent.Multiple:
		return publish.DegradedPoll("the network changed the poll of the post")
	case got.OpenPeriod != int64(sent.ExpiresIn/time.Second):
		return publish.DegradedPoll("the poll of the post ends at another time than requested")
	case sent.HideTotals && got.AllowsRevoting == nil:
		return publish.DegradedPoll("the network shows the votes of the poll before it ends")
	}
	return schedctl.Degradation{}
}

// pollRefusal returns the error of a refused poll. A chat may allow messages but no
// polls.
func pollRefusal(err error) error {
	e := publish.AsError(err)
	if e.Code != codeNoRights || !strings.Contains(strings.ToLower(e.Message), "poll") {
		return err
	}
	refused := publish.Contentf(codeNoRights, "the chat does not allow polls; ask an administrator to allow them, then retry")
	refused.HTTPStatus = e.HTTPStatus
	return refused
}
