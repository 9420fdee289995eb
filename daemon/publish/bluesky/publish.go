package bluesky

import (
	"context"
	"encoding/json"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// collection is the collection of post records, and the name of their schema.
const collection = "app.bsky.feed.post"

// record is a stored post.
type record struct {
	Type      string   `json:"$type"`
	Text      string   `json:"text"`
	CreatedAt string   `json:"createdAt"`
	Langs     []string `json:"langs,omitempty"`
	Facets    []facet  `json:"facets,omitempty"`
	Embed     *embed   `json:"embed,omitempty"`
}

// putRecordInput is the body of com.atproto.repo.putRecord.
type putRecordInput struct {
	Repo       string `json:"repo"`
	Collection string `json:"collection"`
	Key        string `json:"rkey"`
	Record     record `json:"record"`
}

// Publish writes the post under the request's key, which also sets its creation
// time. All requests with the same key create one post. Publish first resolves the
// handles that the text mentions.
func (p *Publisher) Publish(ctx context.Context, r publish.Request) (schedctl.Receipt, error) {
	if err := p.Check(r.Account, r.Shown()).Err(); err != nil {
		return schedctl.Receipt{}, err
	}
	u, err := parseServer(r.Credentials["service_url"])
	if err != nil {
		return schedctl.Receipt{}, err
	}
	body := putRecordInput{Repo: r.Credentials[fieldDID], Collection: collection, Key: r.Key}
	if body.Repo == "" || r.Credentials[fieldAccess] == "" {
		return schedctl.Receipt{}, noSession()
	}
	if body.Record, err = recordOf(r); err != nil {
		return schedctl.Receipt{}, err
	}
	if body.Record.Embed, err = embedOf(r); err != nil {
		return schedctl.Receipt{}, err
	}
	if body.Record.Facets, err = p.resolve(ctx, u, body.Record.Facets); err != nil {
		return schedctl.Receipt{}, err
	}
	a, err := p.procedure(ctx, u, "com.atproto.repo.putRecord", r.Credentials[fieldAccess], body)
	if err != nil {
		return schedctl.Receipt{}, err
	}
	return readResponse(a, r, time.Now())
}

func recordOf(r publish.Request) (record, error) {
	created, ok := tidTime(r.Key)
	if !ok {
		return record{}, &publish.Error{
			Kind: schedctl.KindUnknown, Code: "key", Message: "the key of this attempt is not valid for Bluesky; schedule the post again",
			Outcome: schedctl.OutcomeNotPublished,
		}
	}
	tags, err := parseLangs(r.Account.Options)
	return record{
		Type: collection, Text: r.Content, CreatedAt: created.Format("2006-01-02T15:04:05.000Z"), Langs: tags, Facets: facets(r.Content),
	}, err
}

// readResponse interprets the server's response, which must name the record.
func readResponse(a outbound.Response, r publish.Request, now time.Time) (schedctl.Receipt, error) {
	if a.Status < 200 || a.Status > 299 {
		return schedctl.Receipt{}, mediaRefusal(refusal(a, now, append(secrets(r.Credentials), r.Content)...), r)
	}
	var body struct {
		URI any `json:"uri"`
	}
	want := "at://" + r.Credentials[fieldDID] + "/" + collection + "/" + r.Key
	if a.Cut || json.Unmarshal(a.Body, &body) != nil || body.URI != want {
		return schedctl.Receipt{}, outbound.Unconfirmed(a, "the server accepted the request but did not name the post; check on Bluesky whether it is published")
	}
	// A handle can change or pass to another account; the DID is permanent.
	return schedctl.Receipt{ID: want, URL: profileURL(r.Credentials[fieldDID]) + "/post/" + r.Key}, nil
}
