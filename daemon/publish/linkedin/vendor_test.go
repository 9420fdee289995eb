package linkedin_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/linkcard"
	"github.com/schedctl/schedctl/daemon/publish/linkedin"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// A token of a person reads no state of images and documents, so no one asks for it.
func TestFilesOfPersonsAreNotPolled(t *testing.T) {
	t.Parallel()
	for mimeType, wait := range map[string]time.Duration{"image/png": 5 * time.Second, "application/pdf": 10 * time.Second, "video/mp4": 0} {
		fake := publishtest.NewFakeLinkedIn()
		p, r := start(t, fake, false)
		before := time.Now()
		upload, err := p.Upload(t.Context(), r, publishtest.TestFile(mimeType, 1))
		if err != nil {
			t.Fatal(err)
		}
		in := upload.ReadyAt.Sub(before)
		if wait == 0 && !upload.ReadyAt.IsZero() || wait > 0 && (in < wait || in > wait+time.Minute) {
			t.Errorf("%s of a person is ready in %v, want %v", mimeType, in, wait)
		}
		_, err = p.Processed(t.Context(), r, upload)
		if wait > 0 && publish.AsError(err).Code != publish.CodeNotKnown || wait == 0 && err != nil {
			t.Errorf("the state of %s: %v", mimeType, err)
		}
		p, r = start(t, fake, true)
		if upload, err = p.Upload(t.Context(), r, publishtest.TestFile(mimeType, 1)); err != nil || !upload.ReadyAt.IsZero() {
			t.Errorf("%s of an organization: %+v, %v", mimeType, upload, err)
		}
	}
}

// A post that names a file as the reason may be sent again: the file may not be processed.
func TestPostWhoseFileIsNotReady(t *testing.T) {
	t.Parallel()
	fake := publishtest.NewFakeLinkedIn()
	p, r := start(t, fake, false)
	f := publishtest.TestFile("image/png", 1)
	var err error
	if f.Upload, err = p.Upload(t.Context(), r, f); err != nil {
		t.Fatal(err)
	}
	r.Files, fake.NotReady, r.Attempt = []publish.File{f}, 4, 9 // earlier attempts were held
	sent := f.Upload.SentAt
	for _, age := range []time.Duration{0, 30 * time.Second, 90 * time.Second, 3 * time.Minute} {
		p.SetNow(func() time.Time { return sent.Add(age) })
		_, err = p.Publish(t.Context(), r)
		e, want := publish.AsError(err), schedctl.KindPlatform
		if age > 2*time.Minute {
			want = schedctl.KindMedia
		}
		if e.Kind != want || e.Code != "not_ready" || e.Outcome != schedctl.OutcomeNotPublished || want == schedctl.KindPlatform && e.RetryAt.Sub(sent.Add(age)) != 30*time.Second {
			t.Errorf("%s after the upload: %+v", age, e)
		}
	}
	if _, err = p.Publish(t.Context(), r); err != nil || len(fake.Posts()) != 1 {
		t.Errorf("once it is ready: %v", err)
	}
}

// Comments go to the API without versions first, and then to the versioned one.
func TestCommentsOfAppsThatAreNotApproved(t *testing.T) {
	t.Parallel()
	for _, organization := range []bool{false, true} {
		for _, status := range []int{0, 403, 404, 410, 426} {
			for _, approved := range []bool{false, true} {
				fake := publishtest.NewFakeLinkedIn()
				fake.NoComments = status
				if fake.Scopes = append(fake.Scopes, "w_member_social_feed"); !approved {
					fake.Scopes = slices.DeleteFunc(fake.Scopes, func(s string) bool { return strings.HasSuffix(s, "_feed") })
				}
				p, r := start(t, fake, organization)
				root, err := p.Publish(t.Context(), r)
				if err != nil {
					t.Fatal(err)
				}
				r.Part, r.Kind, r.Root, r.Parent, r.Content = 1, schedctl.PartComment, &root, &root, "A (plain) comment"
				receipt, err := p.Publish(t.Context(), r)
				name := fmt.Sprintf("organization %v, status %d, approved %v", organization, status, approved)
				if status == 0 || approved {
					if posts := fake.Posts(); err != nil || receipt.ID == "" || len(posts) != 2 || posts[1].Text != r.Content {
						t.Errorf("%s: %+v, %v, %d posts", name, receipt, err, len(posts))
					}
					continue
				}
				if e := publish.AsError(err); e.Kind != schedctl.KindContent || e.Outcome != schedctl.OutcomeNotPublished || !strings.HasPrefix(e.Message, "LinkedIn lets only approved apps comment; the post itself is published") {
					t.Errorf("%s: %+v", name, e)
				}
				if _, _, err := p.Find(t.Context(), r, time.Now()); publish.AsError(err).Code != publish.CodeCannotAsk {
					t.Errorf("%s: look-up %v", name, err)
				}
			}
		}
	}
}

// The API that has taken a comment is learned, if it is another one than that asked first, and
// then asked first.
func TestWorkingCommentAPIIsLearned(t *testing.T) {
	t.Parallel()
	const plain, versioned = "v2/socialActions", "rest/socialActions"
	for _, tt := range []struct {
		known           string
		refuses         bool // the API without versions
		approved        bool
		learned         string
		asked, notAsked string
	}{
		{"", false, false, "", plain, versioned},
		{"", true, true, versioned, versioned, ""},
		{versioned, true, true, "", versioned, plain},
		{versioned, false, false, plain, plain, ""},
		{plain, false, true, "", plain, versioned},
		{"", true, false, "", plain, ""},
		{versioned, true, false, "", plain, ""},
	} {
		fake := publishtest.NewFakeLinkedIn()
		if tt.refuses {
			fake.NoComments = http.StatusForbidden
		}
		if tt.approved {
			fake.Scopes = append(fake.Scopes, "w_member_social_feed")
		}
		p, r := start(t, fake, false)
		root, err := p.Publish(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		var asked []string
		fake.Respond(func(r *http.Request) publishtest.Mishap {
			asked = append(asked, strings.Join(strings.Split(r.URL.Path, "/")[1:3], "/"))
			return publishtest.Mishap{}
		})
		learned := map[string]string{}
		r.Part, r.Kind, r.Root, r.Parent, r.Content = 1, schedctl.PartComment, &root, &root, "a comment"
		r.Learn = func(name, value string) { learned[name] = value }
		if tt.known != "" {
			r.Credentials["comment_api"] = tt.known
		}
		_, err = p.Publish(t.Context(), r)
		if want := !tt.refuses || tt.approved; (err == nil) != want || learned["comment_api"] != tt.learned {
			t.Errorf("%+v: %v, learned %v", tt, err, learned)
		}
		first := tt.known
		if first == "" {
			first = plain
		}
		if !slices.Contains(asked, tt.asked) || tt.notAsked != "" && slices.Contains(asked, tt.notAsked) || asked[0] != first || len(asked) > 2 {
			t.Errorf("%+v: asked %q", tt, asked)
		}
	}
}

// A comment that both APIs refuse fails alone, whatever they respond and in which order they
// are asked. Only the API that has worked, or both, can say that the post is gone.
func TestBothCommentAPIsRefuse(t *testing.T) {
	t.Parallel()
	const plain, versioned = "v2/socialActions", "rest/socialActions"
	statuses := []int{403, 404, 410, 426}
	for _, known := range []string{"", plain, versioned} {
		for _, old := range statuses {
			for _, current := range statuses {
				fake := publishtest.NewFakeLinkedIn()
				p, r := start(t, fake, false)
				root, err := p.Publish(t.Context(), r)
				if err != nil {
					t.Fatal(err)
				}
				asked := map[string]int{}
				fake.Respond(func(r *http.Request) publishtest.Mishap {
					api := strings.Join(strings.Split(r.URL.Path, "/")[1:3], "/")
					asked[api]++
					status := map[string]int{plain: old, versioned: current}[api]
					return publishtest.Mishap{Status: status, Body: fmt.Sprintf(`{"status":%d,"message":"the words of LinkedIn"}`, status)}
				})
				r.Part, r.Kind, r.Root, r.Parent, r.Content = 1, schedctl.PartComment, &root, &root, "a comment"
				r.Learn = func(name, value string) { t.Errorf("learned %s=%s", name, value) }
				if known != "" {
					r.Credentials["comment_api"] = known
				}
				_, err = p.Publish(t.Context(), r)
				e, name := publish.AsError(err), fmt.Sprintf("%q is known, %d and %d", known, old, current)
				code := "comments_refused"
				if known == plain && old == 404 || known == versioned && current == 404 || old == 404 && current == 404 {
					code = publish.CodeParentMissing
				} else if !strings.HasPrefix(e.Message, "LinkedIn lets only approved apps comment; the post itself is published") || !strings.Contains(e.Message, "the words of LinkedIn") {
					t.Errorf("%s: %s", name, e.Message)
				}
				if e.Kind != schedctl.KindContent || e.Code != code || e.Outcome != schedctl.OutcomeNotPublished || !e.RetryAt.IsZero() {
					t.Errorf("%s: %+v, want %s", name, e, code)
				}
				if asked[plain] != 1 || asked[versioned] == 0 {
					t.Errorf("%s: asked %v", name, asked)
				}
			}
		}
	}
}

// LinkedIn leaves out months, so the versions before the known one are tried, too.
func TestVersionsInBothDirections(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ only, tries int }{{202610, 1}, {202611, 2}, {202710, 13}, {202609, 14}, {202511, 24}, {202510, 0}, {202711, 0}} {
		fake := publishtest.NewFakeLinkedIn()
		fake.First, fake.Last = tt.only, tt.only
		p, r := start(t, fake, true)
		_, err := p.Publish(t.Context(), r)
		tries := len(fake.Versions())
		if tt.tries == 0 {
			if e := publish.AsError(err); e.Code != string(publish.HoldVersion) || tries != 24 {
				t.Errorf("%d: %v after %d requests", tt.only, err, tries)
			}
			continue
		}
		if err != nil || tries != tt.tries {
			t.Errorf("%d: %v after %d requests, want %d", tt.only, err, tries, tt.tries)
		}
		r.Content += " again"
		if _, err := p.Publish(t.Context(), r); err != nil || len(fake.Versions()) != tries+1 {
			t.Errorf("%d is not remembered: %v, %d requests", tt.only, err, len(fake.Versions())-tries)
		}
	}
}

// LinkedIn makes no link cards, so the post has one.
func TestLinkCards(t *testing.T) {
	t.Parallel()
	picture := mediatest.JPEG(40, 30)
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/picture.jpg" {
			w.Header().Set("Content-Type", "image/jpeg")
			w.Write(picture)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<head><meta property="og:title" content="%s"><meta property="og:description" content="About it"><meta property="og:image" content="/picture.jpg"></head>`, strings.Repeat("ä", 300))
	}))
	t.Cleanup(page.Close)
	for name, change := range map[string]func(*publishtest.FakeLinkedIn, *publish.Request){
		"with a picture":  func(*publishtest.FakeLinkedIn, *publish.Request) {},
		"refused picture": func(f *publishtest.FakeLinkedIn, _ *publish.Request) { f.NotReady = 1 },
		"no preview":      func(_ *publishtest.FakeLinkedIn, r *publish.Request) { r.Preview.Mode = schedctl.PreviewNone },
		"refused upload":  func(f *publishtest.FakeLinkedIn, _ *publish.Request) { f.Respond(refuseUploads) },
		"card without a link": func(_ *publishtest.FakeLinkedIn, r *publish.Request) {
			r.Content, r.Preview = "no link", schedctl.LinkPreview{Mode: schedctl.PreviewCard, URL: "https://example.org/x", Title: "Given"}
		},
	} {
		fake := publishtest.NewFakeLinkedIn()
		_, r := start(t, fake, true)
		client := outbound.Client(outbound.AllowPrivate)
		p := linkedin.New(client, outbound.AllowPrivate, linkcard.New(client, nil, "test"), "test")
		p.SetWait(func(time.Duration) {})
		r.Content = "Read " + page.URL + "/article."
		change(fake, &r)
		if _, err := p.Publish(t.Context(), r); err != nil || len(fake.Posts()) != 1 {
			t.Errorf("%s: %v, %d posts", name, err, len(fake.Posts()))
			continue
		}
		got := fake.Posts()[0].Article
		switch {
		case name == "no preview":
			if got != nil {
				t.Errorf("%s: %+v", name, got)
			}
		case got == nil:
			t.Errorf("%s: no card", name)
		case name == "card without a link":
			if got.Source != "https://example.org/x" || got.Title != "Given" {
				t.Errorf("%s: %+v", name, got)
			}
		case got.Source != page.URL+"/article" || len([]rune(got.Title)) != 200 || got.Description != "About it" || (got.Thumbnail != "") != (name == "with a picture"):
			t.Errorf("%s: %+v", name, got)
		}
		client.CloseIdleConnections()
	}
}

// The picture of a card is processed as every image is: for persons, who cannot ask, it takes
// some seconds, and organizations ask.
func TestPicturesOfCardsAreAwaited(t *testing.T) {
	t.Parallel()
	for _, organization := range []bool{false, true} {
		fake := publishtest.NewFakeLinkedIn()
		p, r := start(t, fake, organization)
		var waited time.Duration
		p.SetWait(func(d time.Duration) {
			if waited += d; len(fake.Posts()) != 0 {
				t.Error("the post was sent before the picture is ready")
			}
		})
		now := time.Now()
		p.SetNow(func() time.Time { return now })
		picture := publishtest.TestFile("image/jpeg", 1)
		r.CardImage, r.Preview = &picture, schedctl.LinkPreview{Mode: schedctl.PreviewCard, URL: "https://example.org/x", Image: schedctl.PostMedia{AssetID: "med_1"}}
		want := 5 * time.Second
		if organization {
			want = 2 * time.Second // the fake says at the second time that it is ready
		}
		if _, err := p.Publish(t.Context(), r); err != nil || fake.Posts()[0].Article.Thumbnail == "" || waited != want {
			t.Errorf("organization %v: %v, waited %s, want %s", organization, err, waited, want)
		}
	}
}

func refuseUploads(r *http.Request) publishtest.Mishap {
	if r.URL.Query().Get("action") == "initializeUpload" {
		return publishtest.Mishap{Status: 403, Body: `{"status":403,"message":"no"}`}
	}
	return publishtest.Mishap{}
}

// LinkedIn takes 150 requests of a person in a day.
func TestDailyLimitOfPersons(t *testing.T) {
	t.Parallel()
	for _, organization := range []bool{false, true} {
		p, r := start(t, publishtest.NewFakeLinkedIn(), organization)
		profile, err := p.Connect(t.Context(), publish.Connection{Credentials: r.Credentials})
		if err != nil || (profile.Limits.Posts == 150 && profile.Limits.Window == 24*time.Hour) == organization {
			t.Errorf("organization %v: %+v, %v", organization, profile.Limits, err)
		}
	}
}

// LinkedIn names a comment by its number or its URN, also escaped as in an address.
func TestIDsOfComments(t *testing.T) {
	t.Parallel()
	const number = "6636062862760562688"
	for id, want := range map[string]string{
		number: number,
		"urn:li:comment:(urn:li:activity:6631349431612559360," + number + ")":                  number,
		"urn%3Ali%3Acomment%3A%28urn%3Ali%3AugcPost%3A6631349431612559360%2C" + number + "%29": number,
		"urn:li:comment:(activity:6631349431612559360," + number + ")":                         number,
		"urn:li:comment:(urn:li:activity:6631349431612559360," + number:                        "",
		"urn:li:share:" + number: "",
		"%zz":                    "",
	} {
		p, r := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				w.Header().Set("X-Restli-Id", id)
				w.WriteHeader(http.StatusCreated)
				return
			}
			elements := "[]"
			if r.URL.Query().Get("start") == "0" || !r.URL.Query().Has("start") {
				elements = fmt.Sprintf(`[{"id":%q,"actor":"urn:li:organization:5515715","message":{"text":"a comment"}}]`, id)
			}
			fmt.Fprintf(w, `{"elements":%s}`, elements)
		}), true)
		root := schedctl.Receipt{ID: "urn:li:share:6844785523593134080"}
		r.Part, r.Kind, r.Root, r.Parent, r.Content = 1, schedctl.PartComment, &root, &root, "a comment"
		receipt, err := p.Publish(t.Context(), r)
		if receipt.ID != want || (err == nil) != (want != "") || err != nil && publish.AsError(err).Outcome != schedctl.OutcomeUnknown {
			t.Errorf("%s: %+v, %v", id, receipt, err)
		}
		r.Taken = func(id string) (bool, error) {
			if id != want {
				t.Errorf("asked about %s", id)
			}
			return false, nil
		}
		if receipt, found, err := p.Find(t.Context(), r, time.Time{}); receipt.ID != want || found != (want != "") || err != nil {
			t.Errorf("look-up of %s: %+v, %v, %v", id, receipt, found, err)
		}
	}
}
