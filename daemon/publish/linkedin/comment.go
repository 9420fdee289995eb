package linkedin

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

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

// comment makes a comment. The versioned API takes comments of approved apps only; the
// older one, which has no versions, was seen to take those of others. LinkedIn does nothing
// for a request that it refuses as [Publisher.noComments] says, so the other API is tried within the
// same attempt.
func (p *Publisher) comment(ctx context.Context, a access, r publish.Request) (outbound.Response, error) {
	body := outbound.EncodeJSON(comment{a.author, r.Root.ID, message{r.Content}})
	if _, known := p.versioned.Load(a.author); !known {
		header := p.header(a)
		header.Set("Content-Type", "application/json")
		address := a.api.String() + "v2/socialActions/" + url.QueryEscape(r.Root.ID) + "/comments"
		response, err := outbound.Post(ctx, p.client, address, header, body)
		if err != nil || !p.noComments(response) {
			return response, err
		}
	}
	response, err := p.send(ctx, a, http.MethodPost, a.endpoint("", "socialActions", r.Root.ID, "comments"), body, nil)
	if err == nil && response.Status < 300 {
		p.versioned.Store(a.author, true)
	} else if err == nil && p.noComments(response) {
		p.versioned.Delete(a.author)
	}
	return response, err
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
