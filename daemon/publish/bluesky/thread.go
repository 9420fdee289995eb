package bluesky

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// ThreadRules says that one request publishes a whole thread.
func (p *Publisher) ThreadRules(schedctl.Account) publish.ThreadRules {
	return publish.ThreadRules{Whole: true}
}

// strongRef refers to one version of a record.
type strongRef struct {
	URI string `json:"uri"`
	CID string `json:"cid"`
}

// replyRef are the posts to which a record replies.
type replyRef struct {
	Root   strongRef `json:"root"`
	Parent strongRef `json:"parent"`
}

func (r strongRef) set() bool { return r.URI != "" }

// applyWritesInput is the body of com.atproto.repo.applyWrites, which carries out all
// writes or none.
type applyWritesInput struct {
	Repo   string        `json:"repo"`
	Writes []createWrite `json:"writes"`
}

type createWrite struct {
	Type       string `json:"$type"`
	Collection string `json:"collection"`
	Key        string `json:"rkey"`
	Value      record `json:"value"`
}

// partsOf returns a request for each part of a request, in order.
func partsOf(r publish.Request) []publish.Request {
	parts := []publish.Request{r}
	for i, rest := range r.Rest {
		part := r
		part.Part, part.Kind, part.Key = r.Part+i+1, rest.Kind, rest.Key
		part.Content, part.Files = rest.Content, rest.Files
		part.Poll, part.Preview = nil, schedctl.LinkPreview{Mode: schedctl.PreviewNone}
		parts = append(parts, part)
	}
	for i := range parts {
		parts[i].Rest = nil
	}
	return parts
}

// parents returns the root and the parent of a request as they are on the server. Both
// are empty for part 0. Servers accept a reply to a missing post, which would appear as
// a fragment.
func (p *Publisher) parents(ctx context.Context, u *url.URL, r publish.Request) (root, parent strongRef, err error) {
	if r.Parent == nil {
		return root, parent, nil
	}
	if parent, err = p.refTo(ctx, u, r, r.Parent); err != nil {
		return root, parent, err
	}
	switch {
	case r.Root == nil || r.Root.ID == r.Parent.ID:
		root = parent
	case r.Root.Ref != "":
		root = strongRef{r.Root.ID, r.Root.Ref}
	default:
		root, err = p.refTo(ctx, u, r, r.Root)
	}
	return root, parent, err
}

func (p *Publisher) refTo(ctx context.Context, u *url.URL, r publish.Request, to *schedctl.Receipt) (strongRef, error) {
	key := keyOf(r.Credentials[fieldDID], to.ID)
	if key == "" {
		return strongRef{}, publish.ParentMissing(0)
	}
	cid, found, err := p.stored(ctx, publish.PurposePart, u, r.Credentials, key)
	switch {
	case err != nil:
		return strongRef{}, err
	case !found:
		return strongRef{}, publish.ParentMissing(0)
	}
	return strongRef{to.ID, cid}, nil
}

// records returns the records of a request, each with a reference to the one before it.
func (p *Publisher) records(ctx context.Context, u *url.URL, r publish.Request) ([]createWrite, []string, error) {
	root, parent, err := p.parents(ctx, u, r)
	if err != nil {
		return nil, nil, err
	}
	var writes []createWrite
	var cids []string
	for _, part := range partsOf(r) {
		value, err := p.record(ctx, u, part)
		if err != nil {
			return nil, nil, err
		}
		if parent.set() {
			value.Reply = &replyRef{root, parent}
		}
		cid, err := recordCID(value)
		if err != nil {
			return nil, nil, &publish.Error{
				Kind: schedctl.KindUnknown, Code: "record", Message: "the post cannot be encoded for Bluesky", Outcome: schedctl.OutcomeNotPublished, Err: err,
			}
		}
		writes = append(writes, createWrite{Type: "com.atproto.repo.applyWrites#create", Collection: collection, Key: part.Key, Value: value})
		cids = append(cids, cid)
		parent = strongRef{uriOf(r.Credentials[fieldDID], part.Key), cid}
		if !root.set() {
			root = parent
		}
	}
	return writes, cids, nil
}

// publishThread creates all records of a request with one write. A repeated write fails,
// because the records exist.
func (p *Publisher) publishThread(ctx context.Context, u *url.URL, r publish.Request) (schedctl.Receipt, error) {
	writes, cids, err := p.records(ctx, u, r)
	if err != nil {
		return schedctl.Receipt{}, err
	}
	body := applyWritesInput{Repo: r.Credentials[fieldDID], Writes: writes}
	a, err := p.procedure(ctx, u, "com.atproto.repo.applyWrites", r.Credentials[fieldAccess], body)
	if err != nil {
		return schedctl.Receipt{}, err
	}
	if a.Status < 200 || a.Status > 299 {
		return p.refusedThread(ctx, u, a, r)
	}
	if receipt, ok := threadReceipt(a, r, cids); ok {
		return receipt, nil
	}
	// Old servers respond without the records.
	if receipt, found, err := p.earlier(ctx, u, r, true); err == nil && found {
		return receipt, nil
	}
	return schedctl.Receipt{}, outbound.Unconfirmed(a, "the server accepted the request but did not name the posts; check on Bluesky whether they are published")
}

// refusedThread returns the error of a refused write. Servers respond with 500 if a
// record exists, so it asks for all of them.
func (p *Publisher) refusedThread(ctx context.Context, u *url.URL, a outbound.Response, r publish.Request) (schedctl.Receipt, error) {
	hidden := append(secrets(r.Credentials), r.Content)
	all := r
	for _, part := range r.Rest {
		hidden, all.Files = append(hidden, part.Content), append(all.Files[:len(all.Files):len(all.Files)], part.Files...)
	}
	refused := mediaRefusal(refusal(a, r.Purpose(), time.Now(), hidden...), all)
	if refused.Outcome == schedctl.OutcomeUnknown {
		if receipt, found, err := p.earlier(ctx, u, r, false); err == nil && found {
			return receipt, nil
		}
	}
	return schedctl.Receipt{}, refused
}

// threadReceipt reads the response to a write, which must name all records.
func threadReceipt(a outbound.Response, r publish.Request, cids []string) (schedctl.Receipt, bool) {
	var body struct {
		Results []struct {
			URI any `json:"uri"`
			CID any `json:"cid"`
		} `json:"results"`
	}
	keys, did := keysOf(r), r.Credentials[fieldDID]
	if a.Cut || json.Unmarshal(a.Body, &body) != nil || len(body.Results) != len(keys) {
		return schedctl.Receipt{}, false
	}
	receipts := make([]schedctl.Receipt, len(keys))
	for i, result := range body.Results {
		if result.URI != uriOf(did, keys[i]) {
			return schedctl.Receipt{}, false
		}
		receipts[i] = receiptOf(did, keys[i], matchString(cidPattern(), result.CID))
		if i > 0 && receipts[i-1].Ref != cids[i-1] {
			receipts[i].Degraded = schedctl.Degradation{
				Code: "parent_version", Message: fmt.Sprintf("the server changed part %d of the thread, to which this part replies; check on Bluesky whether the thread is shown whole", r.Part+i),
			}
		}
	}
	receipt := receipts[0]
	receipt.Rest = receipts[1:]
	return receipt, true
}
