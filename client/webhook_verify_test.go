package client_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/schedctl/schedctl/client"
)

const webhookSecret = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz"

// signed returns the header of a webhook request as the daemon signs it.
func signed(id string, at time.Time, body string) http.Header {
	mac := hmac.New(sha256.New, []byte("012345678901234567890123"))
	sent := strconv.FormatInt(at.Unix(), 10)
	mac.Write([]byte(id + "." + sent + "." + body))
	h := http.Header{}
	h.Set("webhook-id", id)
	h.Set("webhook-timestamp", sent)
	h.Set("webhook-signature", "v1,b3RoZXI= v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	return h
}

func TestVerifyWebhook(t *testing.T) {
	t.Parallel()
	const body = `{"id":"evt_1","type":"post.published","data":{"post_id":"post_1"}}`
	now := time.Unix(1_800_000_000, 0)
	e, err := client.VerifyWebhook(webhookSecret, signed("evt_1", now, body), []byte(body), now.Add(time.Minute))
	if err != nil || e.ID != "evt_1" || e.Data.PostID != "post_1" {
		t.Errorf("got %+v, %v", e, err)
	}
	other := signed("evt_1", now, body)
	other.Set("webhook-id", "evt_2")
	unsigned := signed("evt_1", now, body)
	unsigned.Del("webhook-signature")
	for name, tc := range map[string]struct {
		header http.Header
		body   string
		now    time.Time
	}{
		"changed body": {signed("evt_1", now, body), body + " ", now},
		"other id":     {other, body, now},
		"unsigned":     {unsigned, body, now},
		"no header":    {http.Header{}, body, now},
		"old":          {signed("evt_1", now, body), body, now.Add(6 * time.Minute)},
		"early":        {signed("evt_1", now, body), body, now.Add(-6 * time.Minute)},
	} {
		if _, err := client.VerifyWebhook(webhookSecret, tc.header, []byte(tc.body), tc.now); !errors.Is(err, client.ErrSignature) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := client.VerifyWebhook("whsec_", http.Header{}, nil, now); err == nil || errors.Is(err, client.ErrSignature) {
		t.Errorf("an empty secret: got %v", err)
	}
}

// The caller can tell that a post has not changed.
func TestPostIfChanged(t *testing.T) {
	t.Parallel()
	f, c := serve(t, answer{status: 304, header: map[string]string{"ETag": `"3"`}}, answer{status: 200, body: `{"post":{"id":"post_1","version":4}}`})
	if _, err := c.PostIfChanged(t.Context(), "post_1", 3); !errors.Is(err, client.ErrNotModified) {
		t.Errorf("got %v", err)
	}
	if p, err := c.PostIfChanged(t.Context(), "post_1", 3); err != nil || p.Version != 4 {
		t.Errorf("got %+v, %v", p, err)
	}
	for _, r := range f.seen() {
		if got := r.Header.Get("If-None-Match"); got != `"3"` {
			t.Errorf("sent If-None-Match: %s", got)
		}
		checkDocumented(t, r)
	}
}
