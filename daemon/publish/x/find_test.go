package x_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// publishes reports whether a request makes a post.
func publishes(r *http.Request) bool { return r.Method == http.MethodPost && r.URL.Path == "/2/tweets" }

// acceptThen returns a function that accepts posts and then responds as m.
func acceptThen(m publishtest.Mishap) func(*http.Request) publishtest.Mishap {
	m.Accept = true
	return func(r *http.Request) publishtest.Mishap {
		if !publishes(r) {
			return publishtest.Mishap{}
		}
		return m
	}
}

// TestUnknownOutcomeIsAsked: after a request with an unknown outcome, the timeline shows
// whether X has the post, whatever X changed in its text.
func TestUnknownOutcomeIsAsked(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a long text & more ", 40) + "https://example.com/"
	for name, mishap := range map[string]publishtest.Mishap{"cut": {Cut: true}, "500 after publishing": {Status: 500}, "200 without a post": {Status: 200, Body: "{}"}} {
		for _, text := range []string{content, "plain", "two\n\nparagraphs  here", "ümläut é &amp; https://EXAMPLE.com", long} {
			fake := publishtest.NewFakeX()
			fake.Subscription = "Premium"
			p, r := start(t, fake)
			r.Content, r.Account.Limits.MaxCharacters = text, 25000
			started := time.Now()
			fake.Respond(acceptThen(mishap))
			_, err := p.Publish(t.Context(), r)
			if e := publish.AsError(err); e.Outcome != schedctl.OutcomeUnknown {
				t.Fatalf("%s: %v", name, err)
			}
			fake.Respond(nil)
			receipt, found, err := p.Find(t.Context(), r, started)
			if err != nil || !found || receipt.ID != fake.Posts()[0].ID || !strings.HasPrefix(receipt.URL, "https://x.com/alice/status/") {
				t.Errorf("%s, %.20q: %+v, %v, %v", name, text, receipt, found, err)
			}
			r.Content = "another text"
			if _, found, err := p.Find(t.Context(), r, started); found || err != nil {
				t.Errorf("another text: %v, %v", found, err)
			}
		}
	}
}

// TestEqualTextsStayInDoubt publishes two equal posts. Find returns neither.
func TestEqualTextsStayInDoubt(t *testing.T) {
	t.Parallel()
	fake := publishtest.NewFakeX()
	p, r := start(t, fake)
	r.Content = "twice"
	if _, err := p.Publish(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	r.Content = "twice " // X removes the space, but its check of duplicates does not
	if _, err := p.Publish(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	_, found, err := p.Find(t.Context(), r, time.Now())
	if e := publish.AsError(err); found || e == nil || e.Code != "doubtful" || e.Outcome != schedctl.OutcomeUnknown {
		t.Fatalf("got %v, %v", found, err)
	}
	first := fake.Posts()[0].ID
	r.Taken = func(id string) (bool, error) { return id == first, nil }
	if receipt, found, err := p.Find(t.Context(), r, time.Now()); !found || err != nil || receipt.ID == first {
		t.Errorf("with one taken: %+v, %v, %v", receipt, found, err)
	}
	if !p.MayConfuse("twice", "twice ") || p.MayConfuse("twice", "thrice") {
		t.Error("MayConfuse")
	}
}

// TestFindReadsAllPages finds a post behind newer ones, and gives up after too many.
func TestFindReadsAllPages(t *testing.T) {
	t.Parallel()
	fake := publishtest.NewFakeX()
	p, r := start(t, fake)
	if _, err := p.Publish(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	newer := r
	for i := range 250 {
		newer.Content = fmt.Sprint("newer ", i)
		if _, err := p.Publish(t.Context(), newer); err != nil {
			t.Fatal(err)
		}
	}
	if receipt, found, err := p.Find(t.Context(), r, time.Now()); !found || err != nil || receipt.ID != fake.Posts()[0].ID {
		t.Errorf("%+v, %v, %v", receipt, found, err)
	}
	r.Credentials["user_id"] = "" // an account without the id asks for it
	if _, found, err := p.Find(t.Context(), r, time.Now()); !found || err != nil {
		t.Errorf("without the id: %v, %v", found, err)
	}
	// The post is too old for an attempt of the next day.
	if _, found, err := p.Find(t.Context(), r, time.Now().Add(24*time.Hour)); found || err != nil {
		t.Errorf("a day later: %v, %v", found, err)
	}
	for i := range 600 {
		newer.Content = fmt.Sprint("still newer ", i)
		if _, err := p.Publish(t.Context(), newer); err != nil {
			t.Fatal(err)
		}
	}
	if _, found, err := p.Find(t.Context(), r, time.Now()); found || publish.AsError(err).Code != "incomplete" {
		t.Errorf("after 850 posts: %v, %v", found, err)
	}
}

// TestFlaky publishes over connections that break, exactly once each.
func TestFlaky(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		fake := publishtest.NewFakeX()
		p, r := start(t, publishtest.Flaky(fake, seed))
		for i := range 5 {
			r.Content = fmt.Sprintf("post %d of %d: %s", i, seed, content)
			receipt := publishtest.PublishUntilKnown(t, p, r, func() {})
			if receipt.ID != fake.Posts()[i].ID {
				t.Fatalf("seed %d: receipt %+v", seed, receipt)
			}
		}
		if n := len(fake.Posts()); n != 5 {
			t.Errorf("seed %d: %d posts, want 5", seed, n)
		}
	}
}

func TestVideoIsProcessed(t *testing.T) {
	t.Parallel()
	fake := publishtest.NewFakeX()
	fake.Asynchronous = true
	p, r := start(t, fake)
	u, err := p.Upload(t.Context(), r, publishtest.TestFile("video/mp4", 1))
	if err != nil || u.Ready || u.ExpiresAt.IsZero() {
		t.Fatalf("upload %+v, %v", u, err)
	}
	file := publishtest.TestFile("video/mp4", 1)
	file.Upload = u
	r.Files = []publish.File{file}
	if _, err := p.Publish(t.Context(), r); publish.AsError(err).Code != publish.CodeUploadLost {
		t.Errorf("before it is processed: %v", err)
	}
	for range 3 {
		if u, err = p.Processed(t.Context(), r, u); err != nil {
			t.Fatal(err)
		}
	}
	if !u.Ready {
		t.Errorf("upload %+v", u)
	}
	if _, err := p.Publish(t.Context(), r); err != nil || fake.Posts()[0].AltTexts[0] != file.AltText {
		t.Errorf("publish: %v, %+v", err, fake.Posts())
	}
	u.ID = "17"
	if _, err := p.Processed(t.Context(), r, u); publish.AsError(err).Code != publish.CodeUploadLost {
		t.Errorf("an unknown upload: %v", err)
	}
}
