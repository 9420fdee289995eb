package bluesky_test

import (
	"encoding/json"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/bluesky"
	"github.com/schedctl/schedctl/daemon/publish/linkcard"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// pdsPost is a stored post.
type pdsPost struct {
	Text  string
	Reply *struct{ Root, Parent struct{ URI, CID string } }
	Embed map[string]any
}

// storedPosts returns the posts of the account by their address.
func storedPosts(t *testing.T, pds publishtest.PDS) (posts map[string]pdsPost, cids map[string]string) {
	t.Helper()
	posts, cids = map[string]pdsPost{}, map[string]string{}
	for _, record := range pds.Posts(t) {
		var p pdsPost
		if err := json.Unmarshal(record.Value, &p); err != nil {
			t.Fatal(err)
		}
		posts[record.URI], cids[record.URI] = p, record.CID
	}
	return posts, cids
}

// TestPDSThread publishes a thread of five parts with media, a mention, a link card and a
// comment on a real server, and repeats it.
func TestPDSThread(t *testing.T) {
	t.Parallel()
	site := startWebsite(t)
	client := outbound.Client(outbound.AllowPrivate)
	r := rig{Publisher: bluesky.New(client, linkcard.New(client, nil, "test"), "test"), pds: publishtest.StartPDS(t)}
	profile, err := r.Connect(t.Context(), r.connection())
	if err != nil {
		t.Fatal(err)
	}
	r.profile = profile
	q := r.request("Hello @" + r.pds.Handle + ", see " + site.URL + "/page #größe <&> 🙂")
	q.Presentation = schedctl.Presentation{ContentWarning: "graphic-media", Language: "de-AT"}
	for i := 1; i < 6; i++ {
		f := pngOf(t, uint8(i))
		if f.Upload, err = r.Upload(t.Context(), q, f); err != nil {
			t.Fatal(err)
		}
		part := publish.RequestPart{Kind: schedctl.PartReply, Content: "Part ü", Files: []publish.File{f}, Key: r.PartKey(q.Key, i)}
		if i == 5 {
			part.Kind, part.Files = schedctl.PartComment, nil
		}
		q.Rest = append(q.Rest, part)
	}
	receipt, err := r.Publish(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	all := append([]schedctl.Receipt{receipt}, receipt.Rest...)
	posts, cids := storedPosts(t, r.pds)
	if len(posts) != 6 || len(all) != 6 {
		t.Fatalf("%d posts, %d receipts", len(posts), len(all))
	}
	for i, part := range all {
		post := posts[part.ID]
		if part.Ref != cids[part.ID] || part.Degraded != (schedctl.Degradation{}) {
			t.Errorf("part %d: %+v; the server has %s", i, part, cids[part.ID])
		}
		if (post.Embed != nil) != (i < 5) {
			t.Errorf("part %d shows %v", i, post.Embed)
		}
		if i == 0 {
			continue
		}
		if post.Reply == nil || post.Reply.Root.URI != all[0].ID || post.Reply.Parent.URI != all[i-1].ID || post.Reply.Parent.CID != cids[all[i-1].ID] || post.Reply.Root.CID != cids[all[0].ID] {
			t.Errorf("part %d replies to %+v", i, post.Reply)
		}
	}

	r.testThreadRepeats(t, q, receipt)
	r.testLateComment(t, all)
	r.testConcurrentThreads(t)
}

// testConcurrentThreads sends one thread five times at once.
func (r rig) testConcurrentThreads(t *testing.T) {
	before := len(r.pds.Posts(t))
	q := r.request("Sent at once, with " + r.pds.URL)
	q.Rest = []publish.RequestPart{{Content: "two", Key: r.PartKey(q.Key, 1)}, {Content: "three", Key: r.PartKey(q.Key, 2)}}
	receipts := make(chan schedctl.Receipt, 5)
	var calls sync.WaitGroup
	for range cap(receipts) {
		calls.Go(func() {
			receipt, err := r.Publish(t.Context(), q)
			if err != nil {
				t.Error(err)
			}
			receipts <- receipt
		})
	}
	calls.Wait()
	first := <-receipts
	for range cap(receipts) - 1 {
		if diff := cmp.Diff(first, <-receipts); diff != "" {
			t.Errorf("receipts differ:\n%s", diff)
		}
	}
	if n := len(r.pds.Posts(t)); n != before+3 {
		t.Errorf("%d new posts, want 3", n-before)
	}
}

// testThreadRepeats sends the thread again: at once, while the account has only a part of
// it, and after the question for earlier records.
func (r rig) testThreadRepeats(t *testing.T, q publish.Request, first schedctl.Receipt) {
	again, err := r.Publish(t.Context(), q)
	if diff := cmp.Diff(first, again); err != nil || diff != "" {
		t.Errorf("repeat: %v (-first +repeat):\n%s", err, diff)
	}
	found, ok, err := r.Find(t.Context(), q, time.Time{})
	if err != nil || !ok || !found.Equal(first) {
		t.Errorf("found %+v, %v, %v", found, ok, err)
	}
	r.pds.DeletePost(t, q.Key)
	again, err = r.Publish(t.Context(), q)
	if err != nil || len(again.Rest) != 5 {
		t.Errorf("after the first part was deleted: %+v, %v", again, err)
	}
	if n := len(r.pds.Posts(t)); n != 5 {
		t.Errorf("%d posts, want 5", n)
	}
	other := q
	other.Key = r.NewKey(time.Now())
	if _, ok, err := r.Find(t.Context(), publish.Request{Key: other.Key, Credentials: q.Credentials}, time.Time{}); ok || err != nil {
		t.Errorf("found a thread that was never published: %v", err)
	}
}

// testLateComment publishes a reply on its own, and one whose parent is gone.
func (r rig) testLateComment(t *testing.T, all []schedctl.Receipt) {
	late := r.request("A late comment")
	late.Part, late.Kind, late.Root, late.Parent = 6, schedctl.PartComment, &all[1], &all[5]
	receipt, err := r.Publish(t.Context(), late)
	if err != nil {
		t.Fatal(err)
	}
	posts, cids := storedPosts(t, r.pds)
	if reply := posts[receipt.ID].Reply; reply == nil || reply.Parent.CID != all[5].Ref || receipt.Ref != cids[receipt.ID] {
		t.Errorf("got %+v; receipt %+v", reply, receipt)
	}
	orphan := r.request("An orphan")
	orphan.Part, orphan.Kind, orphan.Root, orphan.Parent = 1, schedctl.PartReply, &all[0], &all[0]
	if _, err := r.Publish(t.Context(), orphan); publish.AsError(err).Code != publish.CodeParentMissing {
		t.Errorf("got %v", err)
	}
	if after, _ := storedPosts(t, r.pds); len(after) != len(posts) {
		t.Errorf("%d posts, want %d", len(after), len(posts))
	}
}

// TestPDSCard publishes a post with a card twice; the page changes in between.
func TestPDSCard(t *testing.T) {
	t.Parallel()
	site := startWebsite(t)
	client := outbound.Client(outbound.AllowPrivate)
	r := rig{Publisher: bluesky.New(client, linkcard.New(client, nil, "test"), "test"), pds: publishtest.StartPDS(t)}
	profile, err := r.Connect(t.Context(), r.connection())
	if err != nil {
		t.Fatal(err)
	}
	r.profile = profile
	q := r.request("See " + site.URL + "/page")
	var titles []any
	for range 2 {
		if _, err := r.Publish(t.Context(), q); err != nil {
			t.Fatal(err)
		}
		card, thumb := cardOf(t, r.pds.Posts(t)[0].Value)
		if titles = append(titles, card["title"]); !thumb {
			t.Error("the card has no picture")
		}
	}
	if !slices.Equal(titles, []any{"Visit 1", "Visit 1"}) || len(r.pds.Posts(t)) != 1 {
		t.Errorf("titles %v, %d posts", titles, len(r.pds.Posts(t)))
	}
	// A record that exists is not replaced, whatever the page says now.
	other := r.request("See " + site.URL + "/page?other")
	other.Key = q.Key
	if _, err := r.Publish(t.Context(), other); err != nil {
		t.Error(err)
	}
	if card, _ := cardOf(t, r.pds.Posts(t)[0].Value); card["title"] != "Visit 1" {
		t.Errorf("the card is %v", card)
	}
}
