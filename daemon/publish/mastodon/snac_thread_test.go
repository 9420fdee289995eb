package mastodon_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/mastodon"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// TestSnacThread publishes a thread with pictures on a real server, finds each part, and
// replies to a status that does not exist.
func TestSnacThread(t *testing.T) {
	t.Parallel()
	snac := publishtest.StartSnac(t)
	client := outbound.Client(outbound.AllowPrivate)
	p := mastodon.New(client, "test")
	header := http.Header{"Authorization": {"Bearer " + snac.AccessToken}}
	began := time.Now()
	r := publish.Request{
		TargetID: "pt_1", Credentials: publish.Credentials{"instance_url": snac.URL, "access_token": snac.AccessToken},
		Account: schedctl.Account{Limits: schedctl.Limits{MaxCharacters: 500, Unit: "characters"}},
	}
	var parts []publish.Request
	var receipts []schedctl.Receipt
	for i := range 5 {
		part := r
		part.Part, part.Key, part.Content = i, fmt.Sprintf("pt_1-%d", i), fmt.Sprintf("Part %d of a thread", i)
		if i > 0 {
			part.Root, part.Parent = &receipts[0], &receipts[i-1]
		}
		f, err := upload(t, p, part, publishtest.TestFile("image/png", i+1))
		if err != nil {
			t.Fatal(err)
		}
		part.Files = []publish.File{f}
		receipt, err := p.Publish(t.Context(), part)
		if err != nil || receipt.Degraded != (schedctl.Degradation{}) {
			t.Fatalf("part %d: %+v, %v", i, receipt, err)
		}
		parts, receipts = append(parts, part), append(receipts, receipt)
	}
	for i, want := range receipts {
		var status struct {
			ReplyTo *string `json:"in_reply_to_id"`
			Media   []any   `json:"media_attachments"`
		}
		get(t, client, snac.URL+"/api/v1/statuses/"+want.ID, header, &status)
		if len(status.Media) != 1 || (status.ReplyTo == nil) != (i == 0) || i > 0 && *status.ReplyTo != receipts[i-1].ID {
			t.Errorf("part %d: %+v", i, status)
		}
		if got, found, err := p.Find(t.Context(), parts[i], began); err != nil || !found || !got.Equal(want) {
			t.Errorf("find part %d: %+v, %v, %v; want %+v", i, got, found, err, want)
		}
	}

	last := r
	last.Key, last.Content, last.Root, last.Parent = "pt_1-5", "Never published", &receipts[0], &receipts[4]
	if _, found, err := p.Find(t.Context(), last, began); found || err != nil {
		t.Errorf("find a part that was not published: %v, %v", found, err)
	}
	gone := schedctl.Receipt{ID: strings.Repeat("1", len(receipts[4].ID))}
	last.Parent = &gone
	before := len(statuses(t, client, snac))
	_, err := p.Publish(t.Context(), last)
	if e := publish.AsError(err); e.Code != publish.CodeParentMissing || e.Outcome != schedctl.OutcomeNotPublished {
		t.Errorf("without the parent: %+v", e)
	}
	if n := len(statuses(t, client, snac)); n != before {
		t.Errorf("%d statuses, want %d", n, before)
	}
}

// TestSnacDeletedParent deletes a part before the next one is published. snac would publish
// the next one as a status of its own.
func TestSnacDeletedParent(t *testing.T) {
	t.Parallel()
	snac := publishtest.StartSnac(t)
	client := outbound.Client(outbound.AllowPrivate)
	p := mastodon.New(client, "test")
	r := publish.Request{
		TargetID: "pt_1", Key: "pt_1", Content: "The first part", Credentials: publish.Credentials{"instance_url": snac.URL, "access_token": snac.AccessToken},
		Account: schedctl.Account{Limits: schedctl.Limits{MaxCharacters: 500, Unit: "characters"}},
	}
	root, err := p.Publish(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	r.Part, r.Kind, r.Key, r.Content, r.Root, r.Parent = 1, schedctl.PartReply, "pt_1-1", "Another part", &root, &root
	second, err := p.Publish(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	deleteStatus(t, snac, second.URL)
	before := statuses(t, client, snac)
	if !slices.Equal(before, []string{"The first part"}) {
		t.Fatalf("statuses %q", before)
	}
	r.Part, r.Key, r.Content, r.Parent = 2, "pt_1-2", "A part without a parent", &second
	_, err = p.Publish(t.Context(), r)
	e := publish.AsError(err)
	if e.Kind != schedctl.KindContent || e.Code != publish.CodeParentMissing || e.Outcome != schedctl.OutcomeNotPublished {
		t.Errorf("got %+v, want a missing parent", err)
	}
	if !strings.Contains(e.Message, "the post that this part replies to no longer exists") || strings.Contains(e.Message, r.Content) {
		t.Errorf("message %q", e.Message)
	}
	if after := statuses(t, client, snac); !slices.Equal(before, after) {
		t.Errorf("statuses %q, want %q", after, before)
	}
}

// deleteStatus deletes a status with the form on the author's page: snac has no API for it.
func deleteStatus(t *testing.T, snac publishtest.Snac, address string) {
	t.Helper()
	form := url.Values{"id": {address}, "action": {"Delete"}}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, snac.URL+"/"+snac.User+"/admin/action", strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.SetBasicAuth(snac.User, snac.Password)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Close = true
	response, err := new(http.Transport).RoundTrip(r) // the response is a redirect
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusSeeOther {
		t.Fatalf("delete: status %d", response.StatusCode)
	}
}

// snac publishes a status without its poll, so a poll is refused before.
func TestSnacPoll(t *testing.T) {
	t.Parallel()
	snac := publishtest.StartSnac(t)
	client := outbound.Client(outbound.AllowPrivate)
	_, err := mastodon.New(client, "test").Publish(t.Context(), publish.Request{
		Key: "pt_1", Content: "Yes?", Credentials: publish.Credentials{"instance_url": snac.URL, "access_token": snac.AccessToken},
		Extras: publish.Extras{Poll: &schedctl.Poll{Options: []string{"yes", "no"}, ExpiresIn: time.Hour}},
	})
	if e := publish.AsError(err); e.Kind != schedctl.KindContent || e.Code != "poll" || len(statuses(t, client, snac)) > 0 {
		t.Errorf("got %+v", err)
	}
}
