package mastodon

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// status is the body of POST /api/v1/statuses. Empty fields get the account's
// defaults on the server.
type status struct {
	Status      string   `json:"status"`
	MediaIDs    []string `json:"media_ids,omitempty"`
	Visibility  string   `json:"visibility,omitempty"`
	Language    string   `json:"language,omitempty"`
	Sensitive   *bool    `json:"sensitive,omitempty"`
	SpoilerText string   `json:"spoiler_text,omitempty"`
	ReplyTo     string   `json:"in_reply_to_id,omitempty"`
	Poll        *poll    `json:"poll,omitempty"`
}

// Publish posts a status. Servers differ in how they treat empty and overlong texts,
// and some accept them. So Publish refuses them without a request.
func (p *Publisher) Publish(ctx context.Context, r publish.Request) (schedctl.Receipt, error) {
	if err := p.Check(r.Account, r.Shown()).Err(); err != nil {
		return schedctl.Receipt{}, err
	}
	r.Account = presented(r.Account, r.Presentation)
	u, err := parseServer(r.Credentials["instance_url"])
	if err != nil {
		return schedctl.Receipt{}, err
	}
	if err := p.checkParent(ctx, u, r); err != nil {
		return schedctl.Receipt{}, err
	}
	if err := p.checkPoll(ctx, u, r); err != nil {
		return schedctl.Receipt{}, err
	}
	post := statusOf(r)
	if post.MediaIDs, err = p.mediaIDs(ctx, u, r); err != nil {
		return schedctl.Receipt{}, err
	}
	body, _ := json.Marshal(post) // strings can always be encoded
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
	problems := append(optionProblems(a.Options), presentationProblems(content.Presentation)...)
	a = presented(a, content.Presentation)
	if strings.TrimSpace(content.Text) == "" && len(content.Media) == 0 {
		c = publish.Check{
			Limit: a.Limits.MaxCharacters, Unit: a.Limits.Unit,
			Problems: []*publish.Error{publish.Contentf("empty", "the post is empty; a status needs text or media")},
		}
	} else {
		c = publish.Measured(statusLength(content.Text, a.Options.String("spoiler_text"), a.Limits), a.Limits.MaxCharacters, a.Limits.Unit)
	}
	c.Problems = append(c.Problems, problems...)
	c.WarnPreview(content, "the server")
	return c
}

func statusOf(r publish.Request) status {
	o := r.Account.Options
	post := status{
		Status: r.Content, Visibility: o.String("visibility"), Language: o.String("language"),
		Sensitive: parseSensitive(o["sensitive"]), SpoilerText: o.String("spoiler_text"),
		Poll: pollOf(r),
	}
	if r.Parent != nil {
		post.ReplyTo = r.Parent.ID
	}
	return post
}

// refusal returns the error of a refused status. Pixelfed remembers an idempotency key
// before it checks anything, and refuses the repeat of a request, which may have been
// published.
func refusal(a outbound.Response, r publish.Request, now time.Time) *publish.Error {
	e := outbound.Refusal(a, r.Purpose(), now)
	says := strings.ToLower(outbound.ErrorText(a))
	switch {
	case a.Status == 403 && lacksScope(a, says):
		e.Kind, e.Code = schedctl.KindAuth, string(publish.HoldScope)
		e.Message = "the access token may not publish; create one with the scope write:statuses, or log in with schedctl account add mastodon --login, and reconnect the account"
	case holdDisabled(e, a, says):
	case parentRefused(a, r, says):
		return publish.ParentMissing(a.Status)
	case a.Status == 400 && strings.Contains(says, "idempotency"):
		e.Kind, e.Outcome = schedctl.KindDuplicate, schedctl.OutcomeUnknown
		e.Message = "the server has already received this request; it may have published (HTTP 400)"
	case len(r.Files) == 0 || a.Status != 422 && a.Status != 404 && a.Status != 400:
	case strings.Contains(says, "processing"):
		return unprocessed(a.Status)
	case strings.Contains(says, "media") && strings.Contains(says, "not found"):
		return uploadLost(a.Status)
	case strings.Contains(says, "media") || strings.Contains(says, "attach") || strings.Contains(says, "file"):
		e.Kind = schedctl.KindMedia
	}
	return e
}

// holdDisabled reports whether a server has disabled the login, and makes the error a hold if
// so.
func holdDisabled(e *publish.Error, a outbound.Response, says string) bool {
	if a.Status != 403 || !strings.Contains(says, "your login is currently disabled") {
		return false
	}
	e.Kind, e.Code = schedctl.KindAuth, string(publish.HoldBlocked)
	e.Message = "the server has disabled the login; check the account there, then run: schedctl account verify ACCOUNT"
	return true
}

// scopeTexts are the errors of Mastodon, Hollo, GoToSocial and Pleroma for a token that lacks
// a scope.
var scopeTexts = []string{"outside the authorized scopes", "insufficient_scope", "insufficient scope", "insufficient permissions"}

// lacksScope reports whether a server refuses a token because of its scopes.
func lacksScope(a outbound.Response, says string) bool {
	says += strings.ToLower(a.Header.Get("WWW-Authenticate"))
	return slices.ContainsFunc(scopeTexts, func(text string) bool { return strings.Contains(says, text) })
}

// readResponse returns the receipt in a server's response. The receipt says what the
// server changed; see [degradation].
func readResponse(a outbound.Response, r publish.Request, now time.Time) (schedctl.Receipt, error) {
	if a.Status < 200 || a.Status > 299 {
		words := outbound.ErrorText(a, r.Credentials["access_token"], r.Content, r.Account.Options.String("spoiler_text"))
		return schedctl.Receipt{}, outbound.WithErrorText(refusal(a, r, now), words)
	}
	published := receipt(a, r)
	if published.ID == "" {
		return schedctl.Receipt{}, outbound.Unconfirmed(a, "the server accepted the request but named no status; check on the server whether it is published")
	}
	return published, nil
}
