package mastodon

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// ThreadRules allows threads: each part is a status that replies to the one before it.
func (p *Publisher) ThreadRules(schedctl.Account) publish.ThreadRules { return publish.ThreadRules{} }

// checkParent returns an error unless the server has the status to which the request
// replies. Mastodon refuses a reply to a missing status, but snac publishes it as a
// status of its own.
func (p *Publisher) checkParent(ctx context.Context, u *url.URL, r publish.Request) error {
	if r.Parent == nil {
		return nil
	}
	a, err := outbound.Get(ctx, p.client, u.JoinPath("api/v1/statuses", url.PathEscape(r.Parent.ID)).String(), p.header(r.Credentials))
	switch {
	case err != nil:
		return publish.NotPublished(err)
	case a.Status == http.StatusOK:
		return nil
	case a.Status == http.StatusNotFound, a.Status == http.StatusGone:
		return publish.ParentMissing(a.Status)
	}
	e := outbound.Refusal(a, publish.PurposePart, time.Now())
	e.Outcome = schedctl.OutcomeNotPublished
	says := strings.ToLower(outbound.ErrorText(a))
	if !holdDisabled(e, a, says) && a.Status == http.StatusForbidden && lacksScope(a, says) {
		// Not of kind auth, which would hold the posts without threads too.
		e.Kind, e.Code = schedctl.KindContent, string(publish.HoldScope)
		e.Message = "the access token may not read statuses, which threads need; log in again with schedctl account add mastodon --login, or create a token with the scope read:statuses, then retry"
	}
	return outbound.WithErrorText(e, outbound.ErrorText(a, r.Credentials["access_token"]))
}

// parentRefused reports whether a server refused a reply because its parent is missing.
func parentRefused(a outbound.Response, r publish.Request, says string) bool {
	if r.Parent == nil || a.Status != http.StatusNotFound && a.Status != http.StatusUnprocessableEntity {
		return false
	}
	return strings.Contains(says, "reply") || a.Status == http.StatusNotFound && !strings.Contains(says, "media")
}

// lostParent reports whether a status certainly does not reply to the parent of its
// request.
func lostParent(s listedStatus, r publish.Request) bool {
	return r.Parent != nil && s.hasReply && s.replyTo != r.Parent.ID
}

// presented returns the account of a request with the presentation of the post over its
// options.
func presented(a schedctl.Account, s schedctl.Presentation) schedctl.Account {
	visibility := s.Visibility
	if visibility == schedctl.VisibilityFollowers {
		visibility = "private"
	}
	over := map[string]string{"spoiler_text": s.ContentWarning, "visibility": visibility, "language": s.Language}
	options := schedctl.Options{}
	for name, value := range over {
		if value != "" {
			options[name] = value
		}
	}
	a.Options = a.OptionsFor(options)
	return a
}

// presentationProblems returns an error for each value of a post that servers do not
// take.
func presentationProblems(s schedctl.Presentation) []*publish.Error {
	var problems []*publish.Error
	if strings.ContainsAny(s.ContentWarning, "\r\n") {
		problems = append(problems, publish.Contentf("content_warning", "the content warning must be one line"))
	}
	if s.Language != "" && !validLanguage(s.Language) {
		problems = append(problems, publish.Contentf("language", "the language must be a code such as en, de or pt-BR"))
	}
	return problems
}
