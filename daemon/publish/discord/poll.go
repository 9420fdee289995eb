package discord

import (
	"encoding/json"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// The limits of polls (https://discord.com/developers/docs/resources/poll).
const (
	maxQuestion = 300 // characters
	maxAnswers  = 10
	maxAnswer   = 55 // characters
	maxPollTime = 32 * 24 * time.Hour
)

// PollRules returns the limits of polls, which are the same for every webhook.
func (p *Publisher) PollRules(schedctl.Account) publish.PollRules {
	return publish.PollRules{
		MaxOptions: maxAnswers, MaxOption: maxAnswer, MinTime: time.Hour, MaxTime: maxPollTime, WholeHours: true, NoHiding: true,
	}
}

// pollMessage is a message that consists of a poll.
type pollMessage struct {
	Poll       poll   `json:"poll"`
	ThreadName string `json:"thread_name,omitempty"`
}

type poll struct {
	Question         pollMedia    `json:"question"`
	Answers          []pollAnswer `json:"answers"`
	Duration         int          `json:"duration"` // in hours
	AllowMultiselect bool         `json:"allow_multiselect"`
}

type pollMedia struct {
	Text string `json:"text"`
}

type pollAnswer struct {
	PollMedia pollMedia `json:"poll_media"`
}

// newPoll returns the poll of a request.
func newPoll(r publish.Request) poll {
	p := poll{Question: pollMedia{r.Content}, Duration: int(r.Poll.ExpiresIn / time.Hour), AllowMultiselect: r.Poll.Multiple}
	for _, option := range r.Poll.Options {
		p.Answers = append(p.Answers, pollAnswer{pollMedia{option}})
	}
	return p
}

// degradedPoll compares the poll of the message in a response with that of the request.
func degradedPoll(a outbound.Response, sent *schedctl.Poll) schedctl.Degradation {
	if sent == nil {
		return schedctl.Degradation{}
	}
	var message struct {
		Poll *struct {
			Answers          []json.RawMessage `json:"answers"`
			AllowMultiselect bool              `json:"allow_multiselect"`
		} `json:"poll"`
	}
	switch err := json.Unmarshal(a.Body, &message); {
	case err != nil || message.Poll == nil:
		return publish.DegradedPoll("the network published the post without its poll")
	case len(message.Poll.Answers) != len(sent.Options), message.Poll.AllowMultiselect != sent.Multiple:
		return publish.DegradedPoll("the network changed the poll of the post")
	}
	return schedctl.Degradation{}
}
