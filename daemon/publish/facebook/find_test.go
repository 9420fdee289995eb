package facebook_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

func TestUnknownOutcome(t *testing.T) {
	t.Parallel()
	for name, mishap := range map[string]publishtest.Mishap{
		"cut": {Cut: true, Accept: true}, "500 after publishing": {Status: 500, Accept: true}, "200 without an id": {Status: 200, Accept: true},
	} {
		fake := publishtest.NewFakeFacebook()
		p, r := start(t, fake)
		fake.Respond(onFeed(mishap))
		_, err := p.Publish(t.Context(), r)
		if e := publish.AsError(err); e.Outcome != schedctl.OutcomeUnknown {
			t.Fatalf("%s: %v", name, err)
		}
		fake.Respond(nil)
		receipt, found, err := p.Find(t.Context(), r, time.Now())
		if !found || err != nil || receipt.ID != fake.Posts()[0].ID {
			t.Errorf("%s: %+v, %v, %v", name, receipt, found, err)
		}
		if _, found, err := p.Find(t.Context(), r, time.Now().Add(time.Hour)); found || err != nil {
			t.Errorf("%s: an hour later: %v, %v", name, found, err)
		}
		fake.Respond(func(*http.Request) publishtest.Mishap { return publishtest.Mishap{Status: 503} })
		if _, found, err := p.Find(t.Context(), r, time.Now()); found || publish.AsError(err).Outcome != schedctl.OutcomeUnknown {
			t.Errorf("%s: without a response: %v, %v", name, found, err)
		}
	}
}

func TestEqualTextsStayInDoubt(t *testing.T) {
	t.Parallel()
	fake := publishtest.NewFakeFacebook()
	p, r := start(t, fake)
	for _, text := range []string{"twice", "  twice\n"} {
		fake.Add(publishtest.FacebookPost{ID: fmt.Sprint("1_", len(text)), Message: text, Created: time.Now()})
	}
	r.Content = "twice"
	if _, found, err := p.Find(t.Context(), r, time.Now()); found || publish.AsError(err).Code != "doubtful" {
		t.Errorf("got %v, %v", found, err)
	}
	first := fake.Posts()[0].ID
	r.Taken = func(id string) (bool, error) { return id == first, nil }
	if receipt, found, err := p.Find(t.Context(), r, time.Now()); !found || err != nil || receipt.ID == first {
		t.Errorf("with one taken: %+v, %v, %v", receipt, found, err)
	}
}

// TestFindSearchesManyPosts reads several pages, up to a limit.
func TestFindSearchesManyPosts(t *testing.T) {
	t.Parallel()
	for count, code := range map[int]string{350: "", 1050: "doubtful"} {
		fake := publishtest.NewFakeFacebook()
		p, r := start(t, fake)
		fake.Add(publishtest.FacebookPost{ID: "1_1", Message: content, Created: time.Now()})
		for i := range count {
			fake.Add(publishtest.FacebookPost{ID: fmt.Sprint("2_", i), Message: fmt.Sprint("post ", i), Created: time.Now()})
		}
		receipt, found, err := p.Find(t.Context(), r, time.Now())
		if code == "" && (!found || receipt.ID != "1_1" || err != nil) || code != "" && (found || publish.AsError(err).Code != code) {
			t.Errorf("%d posts: %+v, %v, %v", count, receipt, found, err)
		}
	}
}

// TestFindComparesFiles does not take a post with photos for one without.
func TestFindComparesFiles(t *testing.T) {
	t.Parallel()
	photo := []publish.File{publishtest.TestFile("image/png", 1)}
	for name, tt := range map[string]struct {
		post  publishtest.FacebookPost
		text  string
		files []publish.File
		want  bool
	}{
		"photo for a text":                {publishtest.FacebookPost{Message: "bread", Photos: []string{"1"}}, "bread", nil, false},
		"link for a text":                 {publishtest.FacebookPost{Message: "bread", Link: "https://example.org"}, "bread", nil, true},
		"photo that is not listed yet":    {publishtest.FacebookPost{Message: "bread"}, "bread", photo, true},
		"photos without a text":           {publishtest.FacebookPost{Photos: []string{"1", "2"}}, "", photo, true},
		"neither a text nor photos":       {publishtest.FacebookPost{}, "", photo, false},
		"another text with the same file": {publishtest.FacebookPost{Message: "rolls", Photos: []string{"1"}}, "bread", photo, false},
	} {
		fake := publishtest.NewFakeFacebook()
		p, r := start(t, fake)
		tt.post.ID, tt.post.Created = "1_1", time.Now()
		fake.Add(tt.post)
		r.Content, r.Files = tt.text, tt.files
		if _, found, err := p.Find(t.Context(), r, time.Now()); found != tt.want || err != nil {
			t.Errorf("%s: %v, %v", name, found, err)
		}
	}
}

// TestFindWaitsForVideos asks again while Facebook may still be processing a video.
func TestFindWaitsForVideos(t *testing.T) {
	t.Parallel()
	fake := publishtest.NewFakeFacebook()
	fake.Processing = time.Hour
	p, r := start(t, fake)
	f := publishtest.TestFile("video/mp4", 1)
	r.Files = []publish.File{f}
	find := func(since time.Time) (found bool, wait time.Duration) {
		_, found, err := p.Find(t.Context(), r, since)
		if err != nil && !found {
			wait = time.Until(publish.AsError(err).RetryAt)
		}
		return found, wait
	}
	if found, wait := find(time.Now().Add(-time.Minute)); found || wait < 8*time.Minute {
		t.Errorf("a minute after a request: %v, ask again in %s", found, wait)
	}
	if found, wait := find(time.Now().Add(-11 * time.Minute)); found || wait != 0 {
		t.Errorf("eleven minutes after a request: %v, ask again in %s", found, wait)
	}
	var err error
	if r.Files[0].Upload, err = p.Upload(t.Context(), r, f); err != nil {
		t.Fatal(err)
	}
	if found, wait := find(time.Now().Add(-11 * time.Minute)); found || wait != 0 {
		t.Errorf("uploaded, and not published: %v, ask again in %s", found, wait)
	}
	if _, err := p.Publish(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if found, wait := find(time.Now().Add(-11 * time.Minute)); found || wait < 2*time.Minute {
		t.Errorf("while it is processed: %v, ask again in %s", found, wait)
	}
}

// TestFlaky publishes over connections that break, exactly once each.
func TestFlaky(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		fake := publishtest.NewFakeFacebook()
		p, r := start(t, publishtest.Flaky(fake, seed))
		for i := range 5 {
			r.Content = fmt.Sprintf("post %d of %d: %s", i, seed, content)
			if receipt := publishtest.PublishUntilKnown(t, p, r, func() {}); receipt.ID != fake.Posts()[i].ID {
				t.Fatalf("seed %d: receipt %+v", seed, receipt)
			}
		}
		if n := len(fake.Posts()); n != 5 {
			t.Errorf("seed %d: %d posts, want 5", seed, n)
		}
	}
}
