package bluesky

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// cidPattern matches content identifiers in base 32.
var cidPattern = pattern.Lazy(`^b[a-z2-7]{20,120}$`)

// uriOf returns the address of the post with a key.
func uriOf(did, key string) string { return "at://" + did + "/" + collection + "/" + key }

// receiptOf returns the receipt of a record. A handle can change or pass to another
// account, so the URL names the DID, which is permanent.
func receiptOf(did, key, cid string) schedctl.Receipt {
	return schedctl.Receipt{ID: uriOf(did, key), URL: profileURL(did) + "/post/" + key, Ref: cid}
}

// keyOf returns the key of a post of the account, or the empty string for another
// address.
func keyOf(did, uri string) string {
	key, ok := strings.CutPrefix(uri, uriOf(did, ""))
	if !ok || strings.ContainsAny(key, "/?#") {
		return ""
	}
	return key
}

// stored returns the content identifier of the post with a key. found is false if the
// account has no such post. Errors have the outcome not_published.
func (p *Publisher) stored(ctx context.Context, purpose publish.Purpose, u *url.URL, c publish.Credentials, key string) (cid string, found bool, err error) {
	target := u.JoinPath("xrpc", "com.atproto.repo.getRecord")
	target.RawQuery = url.Values{"repo": {c[fieldDID]}, "collection": {collection}, "rkey": {key}}.Encode()
	a, err := outbound.Get(ctx, p.client, target.String(), outbound.Header(p.userAgent, c[fieldAccess]))
	switch {
	case err != nil:
		return "", false, publish.NotPublished(err)
	case errorName(a) == "RecordNotFound", a.Status == http.StatusBadRequest && strings.Contains(outbound.ErrorText(a), "Could not locate record"):
		return "", false, nil
	case a.Status != http.StatusOK:
		return "", false, publish.NotPublished(refusal(a, purpose, time.Now(), secrets(c)...))
	}
	var body struct {
		URI any `json:"uri"`
		CID any `json:"cid"`
	}
	if a.Cut || json.Unmarshal(a.Body, &body) != nil || body.URI != uriOf(c[fieldDID], key) {
		return "", false, &publish.Error{
			Kind: schedctl.KindPlatform, HTTPStatus: a.Status, Outcome: schedctl.OutcomeNotPublished,
			Message: "the server gave no readable response when asked for an earlier post; schedctl will retry",
		}
	}
	return matchString(cidPattern(), body.CID), true, nil
}

// earlier returns the receipt of a request that the server has carried out earlier. One
// write creates all parts, so each of them proves that all were published, also if their
// author has deleted others since. With first, only the first part is looked up.
func (p *Publisher) earlier(ctx context.Context, u *url.URL, r publish.Request, first bool) (receipt schedctl.Receipt, found bool, err error) {
	keys := keysOf(r)
	receipts := make([]schedctl.Receipt, len(keys))
	for i, key := range keys {
		cid, exists, err := p.stored(ctx, publish.PurposeLookup, u, r.Credentials, key)
		if err != nil {
			return schedctl.Receipt{}, false, err
		}
		if first && !exists && i == 0 {
			return schedctl.Receipt{}, false, nil
		}
		found = found || exists
		receipts[i] = receiptOf(r.Credentials[fieldDID], key, cid)
	}
	if !found {
		return schedctl.Receipt{}, false, nil
	}
	receipt = receipts[0]
	if len(receipts) > 1 {
		receipt.Rest = receipts[1:]
	}
	return receipt, true, nil
}

// keysOf returns the keys of all parts of a request.
func keysOf(r publish.Request) []string {
	keys := []string{r.Key}
	for _, part := range r.Rest {
		keys = append(keys, part.Key)
	}
	return keys
}

// Find looks for the records of a request under their keys. Errors have an unknown
// outcome.
func (p *Publisher) Find(ctx context.Context, r publish.Request, _ time.Time) (schedctl.Receipt, bool, error) {
	u, err := parseServer(r.Credentials["service_url"])
	if err == nil && (r.Credentials[fieldDID] == "" || r.Credentials[fieldAccess] == "") {
		err = noSession()
	}
	var receipt schedctl.Receipt
	found := false
	if err == nil {
		receipt, found, err = p.earlier(ctx, u, r, false)
	}
	if err != nil {
		return schedctl.Receipt{}, false, publish.UnknownOutcome(err)
	}
	return receipt, found, nil
}
