package wordpress_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/daemon/publish/wordpress"
)

// The tests below publish to a real WordPress.

func newPublisher(t *testing.T) *wordpress.Publisher {
	client := outbound.Client(outbound.AllowPrivate)
	t.Cleanup(client.CloseIdleConnections)
	return wordpress.New(client, outbound.AllowPrivate, "test")
}

func loginOf(w publishtest.WordPress, user string) publish.Credentials {
	return publish.Credentials{"site_url": w.URL, "username": user, "application_password": w.Passwords[user]}
}

func siteRequest(w publishtest.WordPress, key, text string) publish.Request {
	return publish.Request{TargetID: key, Key: key, Content: text, Attempt: 1, Credentials: loginOf(w, "alice"), Account: schedctl.Account{Options: schedctl.Options{}}}
}

func TestWordPress(t *testing.T) {
	t.Parallel()
	w := publishtest.StartWordPress(t)
	t.Run("connect", func(t *testing.T) { testSiteConnect(t, w) })
	t.Run("publish", func(t *testing.T) { testSitePublish(t, w) })
	t.Run("statuses", func(t *testing.T) { testSiteStatuses(t, w) })
	t.Run("files", func(t *testing.T) { testSiteFiles(t, w) })
	t.Run("results", func(t *testing.T) { testSiteResults(t, w) })
	t.Run("flaky", func(t *testing.T) { testSiteFlaky(t, w) })
}

func testSiteConnect(t *testing.T, w publishtest.WordPress) {
	p := newPublisher(t)
	profile, err := p.Connect(t.Context(), publish.Connection{Credentials: loginOf(w, "alice"), Options: schedctl.Options{"categories": "news,1"}})
	if err != nil || profile.DisplayName != "alice" || profile.URL != w.URL+"/author/alice/" || !strings.HasSuffix(profile.Identity, " 2") {
		t.Errorf("alice: %+v, %v", profile, err)
	}
	spaced := loginOf(w, "alice")
	spaced["application_password"] = spaced["application_password"][:4] + " " + spaced["application_password"][4:]
	if _, err := p.Connect(t.Context(), publish.Connection{Credentials: spaced}); err != nil {
		t.Errorf("a password in groups: %v", err)
	}
	for _, tt := range []struct {
		user, password string
		options        schedctl.Options
		kind           schedctl.ErrorKind
		code           string
	}{
		{"alice", "wrong", nil, schedctl.KindAuth, ""},
		{"nobody", "wrong", nil, schedctl.KindAuth, ""},
		{"bob", "", nil, schedctl.KindAuth, "missing_scope"},
		{"bob", "", schedctl.Options{"status": "draft"}, "", ""},
		{"carol", "", schedctl.Options{"status": "draft"}, schedctl.KindAuth, "missing_scope"},
		{"alice", "", schedctl.Options{"categories": "nothing"}, schedctl.KindContent, "categories"},
	} {
		login := loginOf(w, tt.user)
		if tt.password != "" {
			login["application_password"] = tt.password
		}
		_, err := p.Connect(t.Context(), publish.Connection{Credentials: login, Options: tt.options})
		if (err == nil) != (tt.kind == "") {
			t.Errorf("%s %v: %v", tt.user, tt.options, err)
		} else if e := publish.AsError(err); err != nil && (e.Kind != tt.kind || tt.code != "" && e.Code != tt.code) {
			t.Errorf("%s %v: got %+v", tt.user, tt.options, e)
		}
	}
}

func testSitePublish(t *testing.T, w publishtest.WordPress) {
	p := newPublisher(t)
	r := siteRequest(w, "pt_01JX000000000000000000000A", "Ärger & <Title>\n\nAn [embed] of 5 < 6 & \"quotes\"\nhttps://example.org/?a=1&b=2")
	if _, found, err := p.Find(t.Context(), r, time.Time{}); found || err != nil {
		t.Fatalf("before: %v, %v", found, err)
	}
	r.Account.Options["categories"] = "news"
	receipt, err := p.Publish(t.Context(), r)
	if err != nil || receipt.ID == "" || !strings.HasPrefix(receipt.URL, w.URL+"/rger-title-pt_01jx") {
		t.Fatalf("got %+v, %v", receipt, err)
	}
	post := w.Posts(t)[0]
	if post.Status != "publish" || post.Title.Raw != "Ärger &amp; &lt;Title&gt;" || len(post.Categories) != 1 || post.Categories[0] == 1 ||
		!strings.Contains(post.Content.Rendered, `5 &lt; 6 &amp;`) || !strings.Contains(post.Content.Rendered, `<a href="https://example.org/?a=1&amp;b=2">`) {
		t.Errorf("got %+v", post)
	}
	again, found, err := p.Find(t.Context(), r, time.Time{})
	if err != nil || !found || !again.Equal(receipt) {
		t.Errorf("find: got %+v, %v, %v; want %+v", again, found, err, receipt)
	}
	before := len(w.Posts(t))
	r.Attempt = 2
	if again, err = p.Publish(t.Context(), r); err != nil || !again.Equal(receipt) || len(w.Posts(t)) != before {
		t.Errorf("a retry: %+v, %v", again, err)
	}
	r.Credentials = loginOf(w, "bob")
	r.Key, r.Attempt = "pt_01JX000000000000000000000B", 1
	_, err = p.Publish(t.Context(), r)
	if e := publish.AsError(err); e.Kind != schedctl.KindAuth || e.Code != "missing_scope" || e.Outcome != schedctl.OutcomeNotPublished {
		t.Errorf("a contributor: %+v", e)
	}
}

// A post is found in each status that an account can give it.
func testSiteStatuses(t *testing.T, w publishtest.WordPress) {
	p := newPublisher(t)
	for i, status := range []string{"publish", "draft", "pending", "private"} {
		r := siteRequest(w, "pt_01JX00000000000000000000C"+string(rune('0'+i)), "A post in status "+status)
		r.Account.Options["status"] = status
		receipt, err := p.Publish(t.Context(), r)
		if err != nil {
			t.Errorf("%s: %v", status, err)
			continue
		}
		if post := w.Posts(t)[0]; post.Status != status {
			t.Errorf("the post is %s, want %s", post.Status, status)
		}
		again, found, err := p.Find(t.Context(), r, time.Time{})
		if err != nil || !found || again.ID != receipt.ID {
			t.Errorf("%s: find: %+v, %v, %v", status, again, found, err)
		}
	}
}

func testSiteFiles(t *testing.T, w publishtest.WordPress) {
	p := newPublisher(t)
	data := mediatest.PNG(40, 30)
	file := publish.File{
		Media: publish.Media{AssetID: "med_1", FileName: "holiday.png", MIMEType: "image/png", Size: int64(len(data)), SHA256: sha256.Sum256(data), AltText: `The "beach" & <us>`},
		Open:  func(context.Context) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil },
	}
	r := siteRequest(w, "pt_01JX000000000000000000000D", "A picture")
	u, err := p.Upload(t.Context(), r, file)
	if err != nil || !u.Ready {
		t.Fatalf("upload: %+v, %v", u, err)
	}
	file.Upload = u
	r.Files = []publish.File{file}
	receipt, err := p.Publish(t.Context(), r)
	if err != nil || receipt.Degraded != (schedctl.Degradation{}) {
		t.Fatalf("got %+v, %v", receipt, err)
	}
	id, link, _ := strings.Cut(u.ID, " ")
	if post := w.Posts(t)[0]; !strings.Contains(post.Content.Rendered, link) {
		t.Errorf("the post does not show %s: %s", link, post.Content.Rendered)
	}
	var stored struct {
		AltText string `json:"alt_text"`
	}
	if w.Get(t, "/wp-json/wp/v2/media/"+id, &stored); !strings.Contains(stored.AltText, "beach") {
		t.Errorf("the alt text is %q", stored.AltText)
	}
	response, err := http.Get(link)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if shown, _ := io.ReadAll(response.Body); !bytes.Equal(shown, data) {
		t.Errorf("the site shows %d bytes, want %d", len(shown), len(data))
	}
	testSiteOtherFiles(t, w, p)
	bad := file
	bad.MIMEType, bad.FileName = "text/html", "x.html"
	if _, err := p.Upload(t.Context(), r, bad); publish.AsError(err).Kind != schedctl.KindMedia {
		t.Errorf("a type that the site refuses: %v", err)
	}
}

// WordPress keeps the HTML of videos and documents, also that of an author.
func testSiteOtherFiles(t *testing.T, w publishtest.WordPress, p *wordpress.Publisher) {
	r := siteRequest(w, "pt_01JX000000000000000000000F", "A video and a document")
	for mimeType, data := range map[string][]byte{"video/mp4": mediatest.MP4(10_000), "application/pdf": mediatest.PDF()} {
		file := publish.File{
			Media: publish.Media{AssetID: "med_" + mimeType, FileName: "talk.bin", MIMEType: mimeType, Size: int64(len(data)), SHA256: sha256.Sum256(data), AltText: "A talk"},
			Open:  func(context.Context) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil },
		}
		u, err := p.Upload(t.Context(), r, file)
		if err != nil {
			t.Fatal(err)
		}
		file.Upload = u
		r.Files = append(r.Files, file)
	}
	receipt, err := p.Publish(t.Context(), r)
	if err != nil || receipt.Degraded != (schedctl.Degradation{}) {
		t.Errorf("got %+v, %v", receipt, err)
	}
	rendered := w.Posts(t)[0].Content.Rendered
	for _, want := range []string{"<video controls", "A talk</figcaption>", ">talk.pdf</a>"} {
		if !strings.Contains(rendered, want) {
			t.Errorf("the post has no %s: %s", want, rendered)
		}
	}
}

// Connections that break before or after the site has processed a request lead to one
// post each.
func testSiteFlaky(t *testing.T, w publishtest.WordPress) {
	target, err := url.Parse(w.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.Transport = &http.Transport{DisableKeepAlives: true}
	flaky := httptest.NewServer(publishtest.Flaky(proxy, 21))
	defer flaky.Close()
	p := newPublisher(t)
	before := len(w.Posts(t))
	const posts = 12
	for i := range posts {
		r := siteRequest(w, "pt_01JX00000000000000000000E"+string(rune('A'+i)), "A post over a bad connection")
		r.Credentials["site_url"] = flaky.URL
		receipt := publishtest.PublishUntilKnown(t, p, r, func() {})
		if receipt.ID == "" || receipt.Degraded != (schedctl.Degradation{}) {
			t.Errorf("post %d: %+v", i, receipt)
		}
	}
	if n := len(w.Posts(t)) - before; n != posts {
		t.Errorf("the site has %d posts, want %d", n, posts)
	}
}
