package bluesky_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/bluesky"
)

const (
	applyWrites = "com.atproto.repo.applyWrites"

	uploadBlobMethod = "com.atproto.repo.uploadBlob"
)

// threadOf returns a request with further parts.
func threadOf(n *network, p *bluesky.Publisher, contents ...string) publish.Request {
	r := request(n, contents[0])
	for i, content := range contents[1:] {
		r.Rest = append(r.Rest, publish.RequestPart{Kind: schedctl.PartReply, Content: content, Key: p.PartKey(r.Key, i+1)})
	}
	return r
}

func uri(key string) string { return "at://" + did + "/app.bsky.feed.post/" + key }

// TestAThreadIsOneWrite checks the chain of references.
func TestAThreadIsOneWrite(t *testing.T) {
	t.Parallel()
	n, p := start(t)
	r := threadOf(n, p, "one", "two", "three")
	receipt, err := p.Publish(t.Context(), r)
	if err != nil || len(receipt.Rest) != 2 {
		t.Fatalf("got %+v, %v", receipt, err)
	}
	if got := n.take(); !slices.Equal(got, []string{getRecord, applyWrites}) {
		t.Errorf("calls %v", got)
	}
	all := append([]schedctl.Receipt{receipt}, receipt.Rest...)
	type ref struct{ URI, CID string }
	for i, key := range []string{r.Key, r.Rest[0].Key, r.Rest[1].Key} {
		var stored struct {
			Text      string
			CreatedAt string
			Reply     *struct{ Root, Parent ref }
		}
		if err := json.Unmarshal(n.records[key], &stored); err != nil {
			t.Fatal(err)
		}
		if all[i].ID != uri(key) || all[i].Ref != bluesky.RecordCID(n.records[key]) || all[i].Degraded != (schedctl.Degradation{}) {
			t.Errorf("part %d: receipt %+v", i, all[i])
		}
		if want := fmt.Sprintf("2026-06-02T06:33:22.%dZ", 569+i); stored.CreatedAt != want {
			t.Errorf("part %d is of %s, want %s", i, stored.CreatedAt, want)
		}
		if i == 0 {
			if stored.Reply != nil {
				t.Errorf("part 0 replies to %+v", stored.Reply)
			}
			continue
		}
		want := struct{ Root, Parent ref }{ref{all[0].ID, all[0].Ref}, ref{all[i-1].ID, all[i-1].Ref}}
		if diff := cmp.Diff(&want, stored.Reply); diff != "" {
			t.Errorf("part %d (-want +got):\n%s", i, diff)
		}
	}
}

// TestARepeatedThread: whatever became of the first write, a repeat neither fails nor
// publishes again.
func TestARepeatedThread(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(n *network, r publish.Request){
		"complete":               func(*network, publish.Request) {},
		"the last one deleted":   func(n *network, r publish.Request) { delete(n.records, r.Rest[1].Key) },
		"the first one deleted":  func(n *network, r publish.Request) { delete(n.records, r.Key) },
		"only the last one left": func(n *network, r publish.Request) { delete(n.records, r.Key); delete(n.records, r.Rest[0].Key) },
	} {
		n, p := start(t)
		r := threadOf(n, p, "one", "two", "three")
		first, err := p.Publish(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		change(n, r)
		before := len(n.records)
		receipt, err := p.Publish(t.Context(), r)
		if err != nil || receipt.ID != first.ID || len(receipt.Rest) != 2 || len(n.records) != before {
			t.Errorf("%s: got %+v, %v, %d records", name, receipt, err, len(n.records))
		}
		found, ok, err := p.Find(t.Context(), r, time.Time{})
		if err != nil || !ok || !found.Equal(receipt) {
			t.Errorf("%s: found %+v, %v, %v", name, found, ok, err)
		}
	}
}

func TestThreadErrors(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		method  string
		status  int
		error   string
		kind    schedctl.ErrorKind
		code    string
		outcome schedctl.Outcome
	}{
		"the server fails":        {applyWrites, 500, "InternalServerError", schedctl.KindPlatform, "", schedctl.OutcomeUnknown},
		"a blob is gone":          {applyWrites, 400, "BlobNotFound", schedctl.KindContent, "BlobNotFound", schedctl.OutcomeNotPublished},
		"the session has expired": {applyWrites, 400, "ExpiredToken", schedctl.KindAuth, publish.CodeSessionExpired, schedctl.OutcomeNotPublished},
		"expired before":          {getRecord, 400, "ExpiredToken", schedctl.KindAuth, publish.CodeSessionExpired, schedctl.OutcomeNotPublished},
		"it cannot be asked":      {getRecord, 502, "UpstreamFailure", schedctl.KindPlatform, "", schedctl.OutcomeNotPublished},
	} {
		n, p := start(t)
		n.refuse(tt.method, tt.status, tt.error)
		_, err := p.Publish(t.Context(), threadOf(n, p, "one", "two"))
		if e := publish.AsError(err); e.Kind != tt.kind || tt.code != "" && e.Code != tt.code || e.Outcome != tt.outcome || len(n.records) > 0 {
			t.Errorf("%s: got %+v", name, e)
		}
	}
}

// Old servers respond without the records, and a proxy with something else.
func TestAWriteWithoutResults(t *testing.T) {
	t.Parallel()
	for body, published := range map[string]bool{"": true, "{}": true, "<html>": false} {
		n, p := start(t)
		r := threadOf(n, p, "one", "two")
		n.on(applyWrites, func(w http.ResponseWriter, _ *http.Request) {
			if published {
				n.mu.Lock()
				n.records[r.Key], n.records[r.Rest[0].Key] = json.RawMessage(`{"text":"one"}`), json.RawMessage(`{"text":"two"}`)
				n.mu.Unlock()
			}
			fmt.Fprint(w, body)
		})
		receipt, err := p.Publish(t.Context(), r)
		if published != (err == nil && len(receipt.Rest) == 1) {
			t.Errorf("%q: got %+v, %v", body, receipt, err)
		}
		if !published && publish.AsError(err).Outcome != schedctl.OutcomeUnknown {
			t.Errorf("%q: got %+v", body, err)
		}
	}
}

// A server that changes a record gives it another content identifier.
func TestAChangedParentIsReported(t *testing.T) {
	t.Parallel()
	n, p := start(t)
	r := threadOf(n, p, "one", "two", "three")
	n.on(applyWrites, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"results":[{"uri":%q,"cid":"bafyreib2rxk3rybk3aobmv5cjuql3bm2twh4jo5uxgf5kpqcsgz7soitae"},{"uri":%q,"cid":"x"},{"uri":%q}]}`, uri(r.Key), uri(r.Rest[0].Key), uri(r.Rest[1].Key))
	})
	receipt, err := p.Publish(t.Context(), r)
	if err != nil || receipt.Degraded.Code != "" || receipt.Rest[0].Degraded.Code != "parent_version" || receipt.Rest[1].Degraded.Code != "parent_version" {
		t.Errorf("got %+v, %v", receipt, err)
	}
}

// A comment after the thread is a write of its own.
func TestALateComment(t *testing.T) {
	t.Parallel()
	n, p := start(t)
	thread, err := p.Publish(t.Context(), threadOf(n, p, "one", "two"))
	if err != nil {
		t.Fatal(err)
	}
	comment := request(n, "the comment")
	comment.Part, comment.Kind, comment.Key = 2, schedctl.PartComment, p.PartKey(key, 2)
	comment.Root, comment.Parent = &schedctl.Receipt{ID: thread.ID, Ref: thread.Ref}, &schedctl.Receipt{ID: thread.Rest[0].ID}
	if _, err := p.Publish(t.Context(), comment); err != nil {
		t.Fatal(err)
	}
	var stored struct {
		Reply struct {
			Root, Parent struct{ URI, CID string }
		}
	}
	if err := json.Unmarshal(n.records[comment.Key], &stored); err != nil {
		t.Fatal(err)
	}
	if stored.Reply.Root.CID != thread.Ref || stored.Reply.Parent.URI != thread.Rest[0].ID || stored.Reply.Parent.CID != thread.Rest[0].Ref {
		t.Errorf("got %+v after %+v", stored.Reply, thread)
	}

	delete(n.records, p.PartKey(key, 1))
	delete(n.records, comment.Key)
	for name, parent := range map[string]string{"deleted": thread.Rest[0].ID, "of someone else": "at://did:plc:x/app.bsky.feed.post/" + key, "no address": "17"} {
		comment.Parent = &schedctl.Receipt{ID: parent}
		_, err = p.Publish(t.Context(), comment)
		if e := publish.AsError(err); e.Code != publish.CodeParentMissing || e.Outcome != schedctl.OutcomeNotPublished || len(n.records) != 1 {
			t.Errorf("%s: got %+v", name, e)
		}
	}
}

// Each part is checked, and the presentation applies to all parts.
func TestPresentationOfAThread(t *testing.T) {
	t.Parallel()
	n, p := start(t)
	r := threadOf(n, p, "one", "two")
	r.Account.Options = schedctl.Options{"langs": "en"}
	r.Presentation = schedctl.Presentation{ContentWarning: "nudity", Visibility: schedctl.VisibilityPublic, Language: "pt-BR"}
	if _, err := p.Publish(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{r.Key, r.Rest[0].Key} {
		var stored struct {
			Langs  []string
			Labels struct{ Values []struct{ Val string } }
		}
		if err := json.Unmarshal(n.records[key], &stored); err != nil || !slices.Equal(stored.Langs, []string{"pt-BR"}) || len(stored.Labels.Values) != 1 || stored.Labels.Values[0].Val != "nudity" {
			t.Errorf("%s: %+v, %v", key, stored, err)
		}
	}
	r.Rest[0].Content = ""
	if _, err := p.Publish(t.Context(), r); publish.AsError(err).Code != "empty" {
		t.Errorf("an empty part: %v", err)
	}
	for code, extras := range map[string]publish.Extras{
		"content_warning": {Presentation: schedctl.Presentation{ContentWarning: "spiders"}},
		"visibility":      {Presentation: schedctl.Presentation{Visibility: schedctl.VisibilityFollowers}},
		"language":        {Presentation: schedctl.Presentation{Language: "x"}},
	} {
		c := p.Check(schedctl.Account{}, publish.Content{Text: "hi", Extras: extras})
		if len(c.Problems) != 1 || c.Problems[0].Code != code {
			t.Errorf("%s: got %v", code, c.Problems)
		}
	}
}

// The keys of the parts of two targets are different, also if the clock goes back.
func TestPartKeysAreUnique(t *testing.T) {
	t.Parallel()
	_, p := start(t)
	now := time.Date(2026, 6, 2, 15, 0, 0, 0, time.UTC)
	seen := map[string]bool{}
	last := ""
	for range 3 {
		first := p.NewKey(now)
		for part := range schedctl.MaxThread + 2 {
			key := publish.PartKey(p, first, part)
			if seen[key] || key <= last || len(key) != 13 {
				t.Errorf("part %d has the key %s after %s", part, key, last)
			}
			seen[key], last = true, key
		}
	}
}

func TestFindAPost(t *testing.T) {
	t.Parallel()
	n, p := start(t)
	r := request(n, "hello")
	if _, found, err := p.Find(t.Context(), r, time.Time{}); found || err != nil {
		t.Errorf("before: %v, %v", found, err)
	}
	if _, err := p.Publish(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	receipt, found, err := p.Find(t.Context(), r, time.Time{})
	if err != nil || !found || receipt.ID != uri(key) || receipt.Rest != nil {
		t.Errorf("got %+v, %v, %v", receipt, found, err)
	}
	n.refuse(getRecord, 500, "InternalServerError")
	if _, _, err := p.Find(t.Context(), r, time.Time{}); publish.AsError(err).Outcome != schedctl.OutcomeUnknown {
		t.Errorf("got %v", err)
	}
	r.Credentials = publish.Credentials{"service_url": n.URL}
	if _, _, err := p.Find(t.Context(), r, time.Time{}); publish.AsError(err).Code != publish.CodeSessionExpired {
		t.Errorf("without a session: %v", err)
	}
}
