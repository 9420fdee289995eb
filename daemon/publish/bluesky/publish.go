package bluesky

import (
	"context"
	"encoding/json"
	"net/url"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// collection is the collection of post records, and the name of their schema.
const collection = "app.bsky.feed.post"

// record is a stored post.
type record struct {
	Type      string      `json:"$type"`
	Text      string      `json:"text"`
	CreatedAt string      `json:"createdAt"`
	Langs     []string    `json:"langs,omitempty"`
	Facets    []facet     `json:"facets,omitempty"`
	Embed     *embed      `json:"embed,omitempty"`
	Labels    *selfLabels `json:"labels,omitempty"`
	Reply     *replyRef   `json:"reply,omitempty"`
}

// putRecordInput is the body of com.atproto.repo.putRecord.
type putRecordInput struct {
	Repo       string `json:"repo"`
	Collection string `json:"collection"`
	Key        string `json:"rkey"`
	Record     record `json:"record"`

	// SwapRecord is the JSON null for a record that must not replace another one.
	SwapRecord *json.RawMessage `json:"swapRecord,omitempty"`
}

// Publish writes the post under the request's key, which also sets its creation
// time. All requests with the same key create one post. Publish first resolves the
// handles that the text mentions.
func (p *Publisher) Publish(ctx context.Context, r publish.Request) (schedctl.Receipt, error) {
	for _, part := range partsOf(r) {
		if err := p.Check(r.Account, part.Shown()).Err(); err != nil {
			return schedctl.Receipt{}, err
		}
	}
	u, err := parseServer(r.Credentials["service_url"])
	if err != nil {
		return schedctl.Receipt{}, err
	}
	if r.Credentials[fieldDID] == "" || r.Credentials[fieldAccess] == "" {
		return schedctl.Receipt{}, noSession()
	}
	once := len(r.Rest) > 0 || p.cardLink(r) != ""
	if once {
		if receipt, found, err := p.earlier(ctx, u, r, true); err != nil || found {
			return receipt, err
		}
	}
	if len(r.Rest) > 0 {
		return p.publishThread(ctx, u, r)
	}
	return p.publishOne(ctx, u, r, once)
}

// publishOne writes one record. With once, a record that exists is not replaced.
func (p *Publisher) publishOne(ctx context.Context, u *url.URL, r publish.Request, once bool) (schedctl.Receipt, error) {
	root, parent, err := p.parents(ctx, u, r)
	if err != nil {
		return schedctl.Receipt{}, err
	}
	body := putRecordInput{Repo: r.Credentials[fieldDID], Collection: collection, Key: r.Key}
	if body.Record, err = p.record(ctx, u, r); err != nil {
		return schedctl.Receipt{}, err
	}
	if parent.set() {
		body.Record.Reply = &replyRef{root, parent}
	}
	if once {
		body.SwapRecord = new(json.RawMessage("null"))
	}
	a, err := p.procedure(ctx, u, "com.atproto.repo.putRecord", r.Credentials[fieldAccess], body)
	if err != nil {
		return schedctl.Receipt{}, err
	}
	if once && a.Status >= 400 && errorName(a) == "InvalidSwap" {
		if receipt, found, err := p.earlier(ctx, u, r, true); err != nil || found {
			return receipt, err
		}
	}
	return readResponse(a, r, time.Now())
}

// record returns the record of one part, without the posts to which it replies.
func (p *Publisher) record(ctx context.Context, u *url.URL, r publish.Request) (record, error) {
	created, ok := tidTime(r.Key)
	if !ok {
		return record{}, &publish.Error{
			Kind: schedctl.KindUnknown, Code: "key", Message: "the key of this attempt is not valid for Bluesky; schedule the post again",
			Outcome: schedctl.OutcomeNotPublished,
		}
	}
	// The keys of the parts are microseconds apart, and times have milliseconds.
	created = created.Add(time.Duration(r.Part) * time.Millisecond)
	value := record{
		Type: collection, Text: r.Content, CreatedAt: created.Format("2006-01-02T15:04:05.000Z"), Facets: facets(r.Content),
		Labels: labelsOf(r.Presentation),
	}
	var err error
	if value.Langs, err = langsOf(r); err != nil {
		return record{}, err
	}
	if value.Embed, err = embedOf(r); err != nil {
		return record{}, err
	}
	if value.Facets, err = p.resolve(ctx, u, value.Facets); err != nil {
		return record{}, err
	}
	if value.Embed == nil {
		value.Embed, err = p.card(ctx, r)
	}
	return value, err
}

// readResponse interprets the server's response, which must name the record.
func readResponse(a outbound.Response, r publish.Request, now time.Time) (schedctl.Receipt, error) {
	if a.Status < 200 || a.Status > 299 {
		return schedctl.Receipt{}, mediaRefusal(refusal(a, r.Purpose(), now, append(secrets(r.Credentials), r.Content)...), r)
	}
	var body struct {
		URI any `json:"uri"`
		CID any `json:"cid"`
	}
	if a.Cut || json.Unmarshal(a.Body, &body) != nil || body.URI != uriOf(r.Credentials[fieldDID], r.Key) {
		return schedctl.Receipt{}, outbound.Unconfirmed(a, "the server accepted the request but did not name the post; check on Bluesky whether it is published")
	}
	return receiptOf(r.Credentials[fieldDID], r.Key, matchString(cidPattern(), body.CID)), nil
}
