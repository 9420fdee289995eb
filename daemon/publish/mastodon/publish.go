package mastodon

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// status is the body of POST /api/v1/statuses. Empty fields get the account's
// defaults on the server.
type status struct {
	Status      string `json:"status"`
	Visibility  string `json:"visibility,omitempty"`
	Language    string `json:"language,omitempty"`
	Sensitive   *bool  `json:"sensitive,omitempty"`
	SpoilerText string `json:"spoiler_text,omitempty"`
}

// Publish posts a status. Servers differ in how they treat empty and overlong texts,
// and some accept them. So Publish refuses them without a request.
func (p *Publisher) Publish(ctx context.Context, r publish.Request) (schedctl.Receipt, error) {
	if err := p.Check(r.Account, publish.Text(r.Content)).Err(); err != nil {
		return schedctl.Receipt{}, err
	}
	u, err := parseServer(r.Credentials["instance_url"])
	if err != nil {
		return schedctl.Receipt{}, err
	}
	body, _ := json.Marshal(statusOf(r)) // strings can always be encoded
	header := p.header(r.Credentials)
	header.Set("Content-Type", "application/json")
	header.Set("Idempotency-Key", r.Key)
	a, err := outbound.Post(ctx, p.client, u.JoinPath("api/v1/statuses").String(), header, body)
	if err != nil {
		return schedctl.Receipt{}, err
	}
	return readResponse(a, r, time.Now())
}

// Check counts as Mastodon does; see [statusLength].
func (p *Publisher) Check(a schedctl.Account, content publish.Content) publish.Check {
	var c publish.Check
	if strings.TrimSpace(content.Text) == "" {
		c = publish.Check{
			Limit: a.Limits.MaxCharacters, Unit: a.Limits.Unit,
			Problems: []*publish.Error{publish.Contentf("empty", "the post is empty; a status needs text")},
		}
	} else {
		c = publish.Measured(statusLength(content.Text, a.Options.String("spoiler_text"), a.Limits), a.Limits.MaxCharacters, a.Limits.Unit)
	}
	c.Problems = append(c.Problems, optionProblems(a.Options)...)
	return c
}

func statusOf(r publish.Request) status {
	o := r.Account.Options
	return status{
		Status: r.Content, Visibility: o.String("visibility"), Language: o.String("language"),
		Sensitive: parseSensitive(o["sensitive"]), SpoilerText: o.String("spoiler_text"),
	}
}

// readResponse returns the receipt in a server's response. The receipt says what the
// server changed; see [degradation].
func readResponse(a outbound.Response, r publish.Request, now time.Time) (schedctl.Receipt, error) {
	if a.Status < 200 || a.Status > 299 {
		words := outbound.ErrorText(a, r.Credentials["access_token"], r.Content, r.Account.Options.String("spoiler_text"))
		return schedctl.Receipt{}, outbound.WithErrorText(outbound.Refusal(a, now), words)
	}
	published := receipt(a, r)
	if published.ID == "" {
		return schedctl.Receipt{}, outbound.Unconfirmed(a, "the server accepted the request but named no status; check on the server whether it is published")
	}
	return published, nil
}
