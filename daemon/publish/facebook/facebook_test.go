package facebook_test

import (
	gocmp "cmp"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/facebook"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

var (
	_ publish.ContentFinder = (*facebook.Publisher)(nil)
	_ publish.Uploader      = (*facebook.Publisher)(nil)
	_ publish.Renewer       = (*facebook.Publisher)(nil)
)

const (
	content  = "Fresh bread from six o'clock. 🍞 \"Rolls\" & <baguettes> +100% größer"
	constant = "102030405060708_122100000000000001"
)

// sameID is a Facebook that gives every post the same id and never refuses one.
func sameID() http.Handler {
	fake := publishtest.NewFakeFacebook()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/feed") {
			fmt.Fprintf(w, `{"id":%q}`, constant)
			return
		}
		fake.ServeHTTP(w, r)
	})
}

func isUpload(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/photos") }

func TestConformance(t *testing.T) {
	t.Parallel()
	for _, token := range []string{publishtest.FacebookPageToken, publishtest.FacebookUserToken} {
		t.Run(token, func(t *testing.T) {
			t.Parallel()
			publishtest.Run(t, publishtest.Suite{
				New: func(c *http.Client) publish.Publisher { return facebook.New(c, outbound.AllowPrivate, "test") },
				Connection: func(url string) publish.Connection {
					return publish.Connection{Credentials: publishtest.NewFakeFacebook().Credentials(url, token)}
				},
				Network: sameID(),
				Receipt: schedctl.Receipt{ID: constant, URL: "https://www.facebook.com/" + constant},
				Doubts:  true,
				Media:   &publishtest.MediaSuite{Upload: isUpload},
			})
		})
	}
}

// start serves h and returns a publisher and a request for it.
func start(t *testing.T, h http.Handler) (*facebook.Publisher, publish.Request) {
	t.Helper()
	web := httptest.NewServer(h)
	client := outbound.Client(outbound.AllowPrivate)
	t.Cleanup(func() {
		client.CloseIdleConnections()
		web.Close()
	})
	return facebook.New(client, outbound.AllowPrivate, "test"), publish.Request{
		TargetID: publishtest.TargetID, Key: publishtest.TargetID, Content: content, Attempt: 1,
		Credentials: publishtest.NewFakeFacebook().Credentials(web.URL, publishtest.FacebookPageToken),
	}
}

func TestConnect(t *testing.T) {
	t.Parallel()
	for _, token := range []string{publishtest.FacebookPageToken, publishtest.FacebookUserToken} {
		p, r := start(t, publishtest.NewFakeFacebook())
		r.Credentials["access_token"] = token
		got, err := p.Connect(t.Context(), publish.Connection{Credentials: r.Credentials})
		if err != nil {
			t.Fatal(err)
		}
		want := publish.Profile{
			Username: "acmebakery", DisplayName: "Acme Bakery", URL: "https://www.facebook.com/102030405060708", Identity: "102030405060708",
			Limits:      schedctl.Limits{MaxCharacters: 63206, Unit: "characters"},
			Credentials: publish.Credentials{"access_token": token, "page_id": "102030405060708", "api_url": r.Credentials["api_url"], "app_id": "901020304050607"},
		}
		if token == publishtest.FacebookUserToken {
			want.Credentials["page_token"] = publishtest.FacebookPageToken
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", token, diff)
		}
		again, err := p.Connect(t.Context(), publish.Connection{Credentials: got.Credentials})
		if diff := cmp.Diff(want, again); err != nil || diff != "" {
			t.Errorf("%s, checked again: %v (-want +got):\n%s", token, err, diff)
		}
	}
}

// TestConnectRefuses changes one of the tokens before it connects with that of the Page or
// of the person.
func TestConnectRefuses(t *testing.T) {
	t.Parallel()
	const page, user = publishtest.FacebookPageToken, publishtest.FacebookUserToken
	for name, tt := range map[string]struct {
		given      string
		change     func(*publishtest.FakeFacebook, publish.Credentials)
		kind       schedctl.ErrorKind
		code, says string
	}{
		"expired token": {page, func(f *publishtest.FakeFacebook, _ publish.Credentials) { f.Tokens[page].Error = [2]int{190, 463} }, schedctl.KindAuth, "token_expired", "expired"},
		"revoked token": {user, func(f *publishtest.FakeFacebook, _ publish.Credentials) { f.Tokens[user].Error = [2]int{190, 460} }, schedctl.KindAuth, "token_revoked", "revoked"},
		"missing scope of the Page's token": {page, func(f *publishtest.FakeFacebook, _ publish.Credentials) {
			f.Tokens[page].Scopes = []string{"pages_show_list"}
		}, schedctl.KindAuth, "missing_scope", "lacks the permissions pages_manage_posts, pages_read_engagement:"},
		"missing scope of the person's token": {user, func(f *publishtest.FakeFacebook, _ publish.Credentials) {
			f.Tokens[user].Scopes = []string{"pages_manage_posts", "pages_read_engagement"}
		}, schedctl.KindAuth, "missing_scope", "lacks the permissions pages_show_list:"},
		"permission for other Pages":          {user, func(f *publishtest.FakeFacebook, _ publish.Credentials) { f.Tokens[user].Targets = []string{"17"} }, schedctl.KindAuth, "missing_scope", "other Pages"},
		"another Page than that of the token": {page, func(_ *publishtest.FakeFacebook, c publish.Credentials) { c["page_id"] = "17" }, schedctl.KindContent, "page_id", `set page_id to "102030405060708"`},
		"an unknown Page":                     {user, func(_ *publishtest.FakeFacebook, c publish.Credentials) { c["page_id"] = "17" }, schedctl.KindContent, "page_id", "it may access Acme Bakery (102030405060708)"},
		"a person without a role on the Page": {user, func(f *publishtest.FakeFacebook, _ publish.Credentials) { delete(f.Tokens, page) }, schedctl.KindAuth, "missing_scope", "no access to the Page"},
		"a name instead of a number":          {page, func(_ *publishtest.FakeFacebook, c publish.Credentials) { c["page_id"] = "acmebakery" }, schedctl.KindContent, "page_id", "must be a number"},
		"a token with white space":            {page, func(_ *publishtest.FakeFacebook, c publish.Credentials) { c["access_token"] = "a b" }, schedctl.KindContent, "access_token", "white space"},
	} {
		fake := publishtest.NewFakeFacebook()
		p, r := start(t, fake)
		r.Credentials["access_token"] = tt.given
		tt.change(fake, r.Credentials)
		_, err := p.Connect(t.Context(), publish.Connection{Credentials: r.Credentials})
		e := publish.AsError(err)
		if e.Kind != tt.kind || e.Code != tt.code || e.Outcome != schedctl.OutcomeNotPublished || !strings.Contains(e.Message, tt.says) || strings.Contains(e.Message, tt.given) {
			t.Errorf("%s: %+v", name, e)
		}
	}
	p, r := start(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(`{"hello":"world"}`)) }))
	if _, err := p.Connect(t.Context(), publish.Connection{Credentials: r.Credentials}); publish.AsError(err).Code != "api_url" {
		t.Errorf("another service: %v", err)
	}
}

// TestConnectWithoutDebugging uses a token that Facebook does not describe.
func TestConnectWithoutDebugging(t *testing.T) {
	t.Parallel()
	for _, token := range []string{publishtest.FacebookPageToken, publishtest.FacebookUserToken} {
		fake := publishtest.NewFakeFacebook()
		p, r := start(t, fake)
		fake.Respond(func(r *http.Request) (m publishtest.Mishap) {
			if strings.HasSuffix(r.URL.Path, "/debug_token") {
				m.Status, m.Body = 400, publishtest.MetaError(100, 0, "(#100) You must provide an app access token, or a user access token that is an owner or developer of the app")
			}
			return m
		})
		r.Credentials["access_token"] = token
		got, err := p.Connect(t.Context(), publish.Connection{Credentials: r.Credentials})
		if err != nil || gocmp.Or(got.Credentials["page_token"], got.Credentials["access_token"]) != publishtest.FacebookPageToken || got.Expiry != (publish.Expiry{}) {
			t.Errorf("%s: %+v, %v", token, got, err)
		}
	}
}

// TestExpiry checks that expires_at 0 is never, and that only a person's token that lasts
// longer renews that of the Page.
func TestExpiry(t *testing.T) {
	t.Parallel()
	ends, later := time.Now().Add(20*24*time.Hour).Truncate(time.Second).UTC(), time.Now().Add(50*24*time.Hour).Truncate(time.Second).UTC()
	renewable := publish.Expiry{At: ends, RenewAt: ends.Add(-7 * 24 * time.Hour)}
	for name, tt := range map[string]struct {
		given      string
		page, user int64
		want       publish.Expiry
	}{
		"a Page's token that does not end": {publishtest.FacebookPageToken, 0, ends.Unix(), publish.Expiry{}},
		"a Page's token":                   {publishtest.FacebookPageToken, ends.Unix(), 0, publish.Expiry{At: ends}},
		"of a person's token that ends":    {publishtest.FacebookUserToken, 0, ends.Unix(), publish.Expiry{}},
		"both end together":                {publishtest.FacebookUserToken, ends.Unix(), ends.Unix(), publish.Expiry{At: ends}},
		"the person's token ends later":    {publishtest.FacebookUserToken, ends.Unix(), later.Unix(), renewable},
		"the person's token does not end":  {publishtest.FacebookUserToken, ends.Unix(), 0, renewable},
	} {
		fake := publishtest.NewFakeFacebook()
		fake.Tokens[publishtest.FacebookPageToken].Ends, fake.Tokens[publishtest.FacebookUserToken].Ends = tt.page, tt.user
		p, r := start(t, fake)
		r.Credentials["access_token"] = tt.given
		profile, err := p.Connect(t.Context(), publish.Connection{Credentials: r.Credentials})
		if err != nil || profile.Expiry != tt.want {
			t.Errorf("%s: %+v, %v", name, profile.Expiry, err)
		}
		again, err := p.Connect(t.Context(), publish.Connection{Credentials: profile.Credentials})
		if err != nil || again.Expiry != tt.want {
			t.Errorf("%s, checked again: %+v, %v", name, again.Expiry, err)
		}
	}
}

func TestRenew(t *testing.T) {
	t.Parallel()
	fake := publishtest.NewFakeFacebook()
	ends := time.Now().Add(3 * 24 * time.Hour)
	fake.Tokens[publishtest.FacebookPageToken].Ends = ends.Unix()
	p, r := start(t, fake)
	r.Credentials["access_token"] = publishtest.FacebookUserToken
	profile, err := p.Connect(t.Context(), publish.Connection{Credentials: r.Credentials})
	if err != nil {
		t.Fatal(err)
	}
	fake.Tokens["another-token-of-the-page"] = fake.Tokens[publishtest.FacebookPageToken]
	fake.Tokens["another-token-of-the-page"].Ends = ends.Add(60 * 24 * time.Hour).Unix()
	delete(fake.Tokens, publishtest.FacebookPageToken)
	renewed, expiry, err := p.Renew(t.Context(), profile.Credentials)
	want := publish.Credentials{
		"access_token": publishtest.FacebookUserToken, "page_token": "another-token-of-the-page", "page_id": fake.Page, "api_url": r.Credentials["api_url"], "app_id": "901020304050607",
	}
	if diff := cmp.Diff(want, renewed); err != nil || diff != "" || time.Until(expiry.At) < 62*24*time.Hour {
		t.Errorf("expiry %+v, %v (-want +got):\n%s", expiry, err, diff)
	}
	again, err := p.Connect(t.Context(), publish.Connection{Credentials: profile.Credentials})
	if diff := cmp.Diff(want, again.Credentials); err != nil || diff != "" {
		t.Errorf("verified with a token that Facebook has ended: %v (-want +got):\n%s", err, diff)
	}
	fake.Tokens[publishtest.FacebookUserToken].Error = [2]int{190, 460}
	if _, err := p.Connect(t.Context(), publish.Connection{Credentials: renewed}); err != nil {
		t.Errorf("verified after the person's token has ended: %v", err)
	}
	if _, _, err := p.Renew(t.Context(), profile.Credentials); publish.AsError(err).Code != "token_revoked" {
		t.Errorf("with a revoked token: %v", err)
	}
	delete(profile.Credentials, "page_token")
	if _, _, err := p.Renew(t.Context(), profile.Credentials); publish.AsError(err).Code != "token_expired" {
		t.Errorf("without the token of a person: %v", err)
	}
}

// TestPosts checks what each kind of post shows.
func TestPosts(t *testing.T) {
	t.Parallel()
	fake := publishtest.NewFakeFacebook()
	for name, tt := range map[string]struct {
		text    string
		preview schedctl.LinkPreview
		types   []string
		link    string
	}{
		"text":           {text: content},
		"link":           {text: "Read (https://example.org/a_(b)?c=d&e#f), and https://example.com.", link: "https://example.org/a_(b)?c=d&e#f"},
		"no preview":     {text: "Without a card: https://example.org/", preview: schedctl.LinkPreview{Mode: schedctl.PreviewNone}},
		"card":           {text: "A card of https://example.org/", preview: schedctl.LinkPreview{Mode: schedctl.PreviewCard, URL: "https://example.net/"}, link: "https://example.net/"},
		"photo":          {text: "A photo and https://example.org/", types: []string{"image/jpeg"}},
		"photos":         {text: "Photos", types: []string{"image/png", "image/jpeg", "image/png"}},
		"photo, no text": {types: []string{"image/png"}},
		"video":          {text: "A video and https://example.org/", types: []string{"video/mp4"}},
		"video, no text": {types: []string{"video/quicktime"}},
	} {
		p, r := start(t, fake)
		r.Content, r.Preview = tt.text, tt.preview
		var alts []string
		for i, mimeType := range tt.types {
			f := publishtest.TestFile(mimeType, i+1)
			u, err := p.Upload(t.Context(), r, f)
			if err != nil || !u.Ready || time.Until(u.ExpiresAt) < 22*time.Hour {
				t.Fatalf("%s: %+v, %v", name, u, err)
			}
			f.Upload, alts = u, append(alts, f.AltText)
			r.Files = append(r.Files, f)
		}
		receipt, err := p.Publish(t.Context(), r)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		posts := fake.Posts()
		post := posts[len(posts)-1]
		id := post.ID
		if strings.HasPrefix(name, "video") {
			id, alts = post.Video, nil
		}
		if post.Message != tt.text || post.Link != tt.link || !slices.Equal(post.AltTexts, alts) || !receipt.Equal(schedctl.Receipt{ID: id, URL: "https://www.facebook.com/" + id}) {
			t.Errorf("%s: receipt %+v of %+v", name, receipt, post)
		}
		r.Taken = func(id string) (bool, error) {
			return slices.ContainsFunc(posts[:len(posts)-1], func(p publishtest.FacebookPost) bool { return id == p.ID || id == p.Video }), nil
		}
		for i := range r.Files {
			r.Files[i].Upload = publish.Upload{}
		}
		if found, ok, err := p.Find(t.Context(), r, time.Now()); err != nil || !ok || !found.Equal(receipt) {
			t.Errorf("%s: found %+v, %v, %v; want %+v", name, found, ok, err, receipt)
		}
	}
}

// TestVideoIsPublishedOnce repeats the request that publishes a video.
func TestVideoIsPublishedOnce(t *testing.T) {
	t.Parallel()
	fake := publishtest.NewFakeFacebook()
	p, r := start(t, fake)
	f := publishtest.TestFile("video/mp4", 1)
	var err error
	if f.Upload, err = p.Upload(t.Context(), r, f); err != nil {
		t.Fatal(err)
	}
	r.Files = []publish.File{f}
	if _, err := p.Publish(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Publish(t.Context(), r); publish.AsError(err).Outcome != schedctl.OutcomeUnknown || len(fake.Posts()) != 1 {
		t.Errorf("%d posts, %v", len(fake.Posts()), err)
	}
	r.Files[0].Upload.ID = "none"
	if _, err := p.Publish(t.Context(), r); publish.AsError(err).Code != publish.CodeUploadLost {
		t.Errorf("without an upload: %v", err)
	}
}

// TestBrokenVideos checks that a broken file is never uploaded in full, and that wrong
// offsets end the upload.
func TestBrokenVideos(t *testing.T) {
	t.Parallel()
	p, r := start(t, publishtest.NewFakeFacebook())
	for _, change := range []int64{-1, 1} {
		f := publishtest.TestFile("video/mp4", 1)
		f.Size += change
		if _, err := p.Upload(t.Context(), r, f); publish.AsError(err).Code != publish.CodeUnreadable || publish.AsError(err).Outcome != schedctl.OutcomeNotPublished {
			t.Errorf("%+d byte: %v", change, err)
		}
	}
	for _, offsets := range []string{`"start_offset":"5","end_offset":"9"`, `"start_offset":"0","end_offset":"0"`, `"start_offset":"0","end_offset":"-3"`, `"start_offset":0`, `"x":1`} {
		p, r := start(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"upload_session_id":"1","video_id":"2",%s}`, offsets)
		}))
		_, err := p.Upload(t.Context(), r, publishtest.TestFile("video/mp4", 1))
		if e := publish.AsError(err); e.Kind != schedctl.KindPlatform || e.Outcome != schedctl.OutcomeNotPublished {
			t.Errorf("%s: %v", offsets, err)
		}
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	p := facebook.New(nil, outbound.PublicOnly, "test")
	if c := p.Check(schedctl.Account{}, publish.Text(strings.Repeat("🍞", 63206))); c.Err() != nil || c.Length != 63206 {
		t.Errorf("%+v", c)
	}
	if c := p.Check(schedctl.Account{}, publish.Text(strings.Repeat("x", 63207))); c.Err() == nil {
		t.Error("a longer text is accepted")
	}
	video := publish.Content{Text: "x", Media: []publish.Media{{MIMEType: "video/mp4", AltText: "an oven"}}}
	if c := p.Check(schedctl.Account{}, video); c.Err() != nil || len(c.Warnings) != 1 {
		t.Errorf("%+v", c)
	}
	reply := publish.Content{Text: "x", Kind: schedctl.PartReply}
	c := p.Check(schedctl.Account{}, reply)
	publish.CheckExtras(&c, p, schedctl.Account{}, reply)
	if c.Err() == nil {
		t.Error("a thread is accepted")
	}
}
