package bluesky

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// resolve sets the DID of each mention. A mention of an unknown handle is dropped
// and stays plain text. If the server fails to resolve a handle, resolve returns an
// error: a later retry could resolve it, and would write a different record.
func (p *Publisher) resolve(ctx context.Context, u *url.URL, found []facet) ([]facet, error) {
	known := map[string]string{}
	kept := found[:0]
	for _, f := range found {
		mention := &f.Features[0]
		if mention.Type != typeMention {
			kept = append(kept, f)
			continue
		}
		did, cached := known[mention.handle]
		if !cached {
			var err error
			if did, err = p.resolveHandle(ctx, u, mention.handle); err != nil {
				return nil, publish.NotPublished(err)
			}
			known[mention.handle] = did
		}
		if did != "" {
			mention.DID = did
			kept = append(kept, f)
		}
	}
	return kept, nil
}

// resolveHandle returns the DID of a handle, or the empty string if no account has
// it.
func (p *Publisher) resolveHandle(ctx context.Context, u *url.URL, handle string) (string, error) {
	a, err := p.query(ctx, u, "com.atproto.identity.resolveHandle", url.Values{"handle": {handle}})
	switch {
	case err != nil:
		return "", err
	case a.Status == http.StatusTooManyRequests || a.Status >= 500:
		return "", refusal(a, publish.PurposeLookup, time.Now())
	case a.Status >= 400:
		return "", nil
	}
	var body struct {
		DID any `json:"did"`
	}
	if !a.Cut && json.Unmarshal(a.Body, &body) == nil {
		if did := matchString(didPattern(), body.DID); did != "" && a.Status == http.StatusOK {
			return did, nil
		}
	}
	return "", &publish.Error{
		Kind: schedctl.KindPlatform, Message: "the server could not resolve a handle that the post mentions; it will be retried", HTTPStatus: a.Status,
		Outcome: schedctl.OutcomeNotPublished,
	}
}
