// Package httppost publishes to any HTTP endpoint: a bot, an automation or your own
// program.
//
// A target is one POST of a JSON object with id, post_id, content, publish_at,
// attempt, account and media. The receiver fetches the files from the daemon, at URLs
// that expire. A post may also have thread, first_comment, poll, link_preview,
// content_warning, visibility and language: one request has all parts of a thread.
//
// The Idempotency-Key is the id of the target and the same for
// each attempt. With a secret, the request carries the headers of Standard Webhooks.
// Any 2xx response means that the receiver accepted the post. The response may be an
// object with id and url, and with parts: a list of such objects for the further parts of
// a thread and the first comment.
package httppost

import (
	"context"
	"net/http"
	"net/url"
	"time"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/signing"
)

// Platform is the name of the platform.
const Platform = "http"

// Publisher implements [publish.Publisher], [publish.MediaPublisher], [publish.Threader],
// [publish.Poller], [publish.Idempotent] and [publish.Pacer].
type Publisher struct {
	client    *http.Client
	policy    outbound.Policy
	userAgent string
}

// New returns the publisher. client must follow policy. version is the daemon's
// version, for the User-Agent.
func New(client *http.Client, policy outbound.Policy, version string) *Publisher {
	return &Publisher{client: client, policy: policy, userAgent: "schedctl/" + version}
}

// Platform returns "http".
func (p *Publisher) Platform() string { return Platform }

// NoResults implements [publish.NoResultsReader].
func (p *Publisher) NoResults() string {
	return "The receiver of an http account reports nothing after it has accepted a post."
}

// Fields lists url, secret and the option idempotent.
func (p *Publisher) Fields() []publish.Field {
	return []publish.Field{
		{Name: "url", Required: true, Help: "where to POST each publication, http:// or https://"},
		{Name: "secret", Secret: true, Help: "whsec_… to sign with, as Standard Webhooks do"},
		{Name: "idempotent", Option: true, Help: "true when the receiver recognizes a repeated Idempotency-Key"},
	}
}

// Idempotent reports the account's option: whether its receiver recognizes a
// repeated Idempotency-Key.
func (p *Publisher) Idempotent(a schedctl.Account) bool { return a.Options.Bool("idempotent") }

// Pacing returns 0: a receiver that wants fewer requests responds with 429.
func (p *Publisher) Pacing() time.Duration { return 0 }

// Connect checks the fields. It sends nothing because a receiver may treat any
// request as a post.
func (p *Publisher) Connect(_ context.Context, c publish.Connection) (publish.Profile, error) {
	if err := publish.CheckFields(p.Fields(), c); err != nil {
		return publish.Profile{}, err
	}
	u, err := outbound.ParseURL(c.Credentials["url"])
	if err == nil {
		err = p.policy.CheckHost(u.Hostname())
	}
	if err != nil {
		return publish.Profile{}, publish.Contentf("url", "%s", err)
	}
	if secret := c.Credentials["secret"]; secret != "" {
		if _, err := signing.ParseSecret(secret); err != nil {
			return publish.Profile{}, publish.Contentf("secret", "%s", err)
		}
	}
	if err := publish.CheckBools(c.Options, "idempotent"); err != nil {
		return publish.Profile{}, err
	}
	// The path may be a secret, so the profile does not show it.
	return publish.Profile{
		Username: u.Host, DisplayName: u.Host, URL: u.Scheme + "://" + u.Host,
		Limits: schedctl.Limits{Unit: "characters"},
	}, nil
}

// Check counts Unicode code points; a receiver has no limit.
func (p *Publisher) Check(_ schedctl.Account, content publish.Content) publish.Check {
	return publish.Measured(utf8.RuneCountInString(content.Text), 0, "characters")
}

// message is the request body.
type message struct {
	ID        string    `json:"id"`
	PostID    string    `json:"post_id"`
	Content   string    `json:"content"`
	PublishAt time.Time `json:"publish_at"`
	Attempt   int       `json:"attempt"`
	Account   account   `json:"account"`
	Media     []media   `json:"media,omitempty"`

	Thread       []part `json:"thread,omitempty"`
	FirstComment *part  `json:"first_comment,omitempty"`
	Poll         *poll  `json:"poll,omitempty"`
	LinkPreview  any    `json:"link_preview,omitempty"` // "none" or a card; nothing for the default
	presentation
}

// presentation is a [schedctl.Presentation] in a message.
type presentation struct {
	ContentWarning string `json:"content_warning,omitempty"`
	Visibility     string `json:"visibility,omitempty"`
	Language       string `json:"language,omitempty"`
}

type account struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Publish sends the request.
func (p *Publisher) Publish(ctx context.Context, r publish.Request) (schedctl.Receipt, error) {
	m, err := messageOf(r)
	if err != nil {
		return schedctl.Receipt{}, err
	}
	body := outbound.EncodeJSON(m)
	header, err := p.header(r, body, time.Now())
	if err != nil {
		return schedctl.Receipt{}, err
	}
	target := r.Credentials["url"]
	response, err := outbound.Post(ctx, p.client, target, header, body)
	if err != nil {
		return schedctl.Receipt{}, err
	}
	if response.Status >= 200 && response.Status < 300 {
		return receiptOf(response, r), nil
	}
	hidden := []string{r.Content, r.Credentials["secret"], target}
	for _, part := range r.Rest {
		hidden = append(hidden, part.Content)
	}
	if u, err := url.Parse(target); err == nil {
		hidden = append(hidden, u.RequestURI())
	}
	return schedctl.Receipt{}, outbound.WithErrorText(outbound.Refusal(response, r.Purpose(), time.Now()), outbound.ErrorText(response, hidden...))
}

func (p *Publisher) header(r publish.Request, body []byte, now time.Time) (http.Header, error) {
	h := outbound.Header(p.userAgent, "")
	h.Set("Content-Type", "application/json")
	h.Set("Idempotency-Key", r.Key)
	if secret := r.Credentials["secret"]; secret != "" {
		key, err := signing.ParseSecret(secret)
		if err != nil {
			return nil, publish.Contentf("secret", "%s; reconnect the account with a new secret", err)
		}
		signing.SetHeader(h, r.TargetID, now, body, key)
	}
	return h, nil
}
