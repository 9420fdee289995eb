package linkedin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// comment is the request body of a comment
// (https://learn.microsoft.com/linkedin/marketing/community-management/shares/comments-api).
// Its text is plain, not in the little text format.
type comment struct {
	Actor   string  `json:"actor"`
	Object  string  `json:"object"`
	Message message `json:"message"`
}

type message struct {
	Text string `json:"text"`
}

// The APIs for comments, by the start of their paths. The versioned one takes comments of
// approved apps only; the older one, which has no versions, was seen to take those of others.
const (
	plainComments     = "v2/socialActions"
	versionedComments = "rest/socialActions"
)

// comment makes a comment, with the API that has worked for the account last, or else with
// the older one. LinkedIn does nothing for a request that it refuses as [Publisher.noComments]
// says, so the other API is tried within the same attempt.
func (p *Publisher) comment(ctx context.Context, a access, r publish.Request) (outbound.Response, error) {
	apis := []string{plainComments, versionedComments}
	if a.comments == versionedComments {
		slices.Reverse(apis)
	}
	var refused []outbound.Response
	for _, api := range apis {
		response, err := p.commentWith(ctx, a, r, api)
		if err != nil || !p.noComments(response) {
			if err == nil && response.Status < 300 && (a.comments != "" || api != plainComments) {
				r.Learned(fieldCommentAPI, api)
			}
			return response, err
		}
		refused = append(refused, response)
	}
	return refused[1], p.commentsRefused(a, r, refused[0], refused[1])
}

// commentsRefused returns the error of a comment that both APIs refuse. The responses are in
// the order in which the APIs were asked. A 404 means that the API is gone, or that the post is. It is the post if the
// API has worked for the account before, or if both APIs say so.
func (p *Publisher) commentsRefused(a access, r publish.Request, first, second outbound.Response) error {
	if first.Status == http.StatusNotFound && (a.comments != "" || second.Status == http.StatusNotFound) {
		return publish.ParentMissing(first.Status)
	}
	said := second
	if first.Status == http.StatusForbidden && second.Status != http.StatusForbidden {
		said = first // it says more than that an address does not exist
	}
	e := &publish.Error{Kind: schedctl.KindContent, Code: codeComments, HTTPStatus: said.Status, Outcome: schedctl.OutcomeNotPublished}
	e.Message = fmt.Sprintf("LinkedIn lets only approved apps comment; the post itself is published (HTTP %d)", said.Status)
	return outbound.WithErrorText(e, outbound.ErrorText(said, a.hidden(append(r.Texts(), escape(r.Content))...)...))
}

// codeComments is the code of a comment that LinkedIn does not let the app make.
const codeComments = "comments_refused"

// commentWith makes a comment with one API. That LinkedIn has no version of the versioned one
// refuses the comment, not the account: the post before it was published.
func (p *Publisher) commentWith(ctx context.Context, a access, r publish.Request, api string) (outbound.Response, error) {
	body := outbound.EncodeJSON(comment{a.author, r.Root.ID, message{r.Content}})
	address := a.api.String() + api + "/" + url.QueryEscape(r.Root.ID) + "/comments"
	if api == versionedComments {
		response, err := p.send(ctx, a, http.MethodPost, address, body, nil)
		if e, ok := errors.AsType[*publish.Error](err); ok && e.Code == string(publish.HoldVersion) {
			err = nil
		}
		return response, err
	}
	header := p.header(a)
	header.Set("Content-Type", "application/json")
	return outbound.Post(ctx, p.client, address, header, body)
}

// noComments reports whether an API with this response takes no comments of the app, or is
// gone.
func (p *Publisher) noComments(response outbound.Response) bool {
	switch response.Status {
	case http.StatusForbidden:
		return outbound.Refusal(response, publish.PurposeComment, p.now()).Code != publish.CodeBlockedOnTheWay
	case http.StatusNotFound, http.StatusGone, http.StatusUpgradeRequired:
		return true
	}
	return false
}

// commentOf returns the id of a comment in the body of a response, or the empty string.
func commentOf(response outbound.Response, r publish.Request) string {
	var created struct {
		ID string `json:"id"`
	}
	if r.Part == 0 || response.Cut || json.Unmarshal(response.Body, &created) != nil {
		return ""
	}
	return created.ID
}
