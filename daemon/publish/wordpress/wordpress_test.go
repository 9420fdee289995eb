package wordpress_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/daemon/publish/wordpress"
)

var (
	_ publish.Publisher = (*wordpress.Publisher)(nil)
	_ publish.Finder    = (*wordpress.Publisher)(nil)
	_ publish.Uploader  = (*wordpress.Publisher)(nil)
)

// keyOf returns the key in the slug of a post.
func keyOf(_ *http.Request, body []byte) string {
	var post struct{ Slug string }
	_ = json.Unmarshal(body, &post)
	_, key, _ := strings.Cut(post.Slug, "pt_")
	return "pt_" + strings.ToUpper(key)
}

func TestConformance(t *testing.T) {
	t.Parallel()
	publishtest.Run(t, publishtest.Suite{
		New: func(c *http.Client) publish.Publisher { return wordpress.New(c, outbound.AllowPrivate, "test") },
		Connection: func(url string) publish.Connection {
			return publish.Connection{Credentials: credentials(url)}
		},
		Network: newConstantServer(),
		Receipt: schedctl.Receipt{ID: "42", URL: "https://blog.example.org/?p=42"},
		Key:     keyOf,
		Preflight: func(r *http.Request) bool {
			return r.Method == http.MethodGet && (strings.HasSuffix(r.URL.Path, "/posts") || strings.HasSuffix(r.URL.Path, "/categories"))
		},
		Media: &publishtest.MediaSuite{
			Upload:    func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/media") },
			Reference: func(u publish.Upload) string { _, link, _ := strings.Cut(u.ID, " "); return link },
		},
	})
}

func TestConnect(t *testing.T) {
	t.Parallel()
	p, r := start(t, newServer())
	got, err := p.Connect(t.Context(), publish.Connection{Credentials: r.Credentials, Options: schedctl.Options{"categories": "news,5", "title": "x"}})
	if err != nil {
		t.Fatal(err)
	}
	place := strings.TrimPrefix(strings.TrimSuffix(r.Credentials["site_url"], "/"), "http://")
	want := publish.Profile{
		Username: "alice@" + place, DisplayName: "Alice", URL: "https://blog.example.org/author/alice/",
		Limits: schedctl.Limits{Unit: "characters"}, Identity: place + " 7",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("profile (-want +got):\n%s", diff)
	}
}

func TestConnectErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		change  func(*server, publish.Credentials, schedctl.Options)
		kind    schedctl.ErrorKind
		code    string
		message string
	}{
		{"wrong password", func(_ *server, c publish.Credentials, _ schedctl.Options) { c["application_password"] = "x" }, schedctl.KindAuth, "incorrect_password", "create an application password"},
		{"not WordPress", func(_ *server, c publish.Credentials, _ schedctl.Options) {
			c["site_url"] = strings.TrimSuffix(c["site_url"], "/blog/")
		}, schedctl.KindContent, "site_url", "/wp-json"},
		{"may not publish", func(s *server, _ publish.Credentials, _ schedctl.Options) { s.rights["publish_posts"] = false }, schedctl.KindAuth, "missing_scope", "Author"},
		{"unknown category", func(_ *server, _ publish.Credentials, o schedctl.Options) { o["categories"] = "news,other" }, schedctl.KindContent, "categories", "other"},
		{"unknown number", func(_ *server, _ publish.Credentials, o schedctl.Options) { o["categories"] = 17.0 }, schedctl.KindContent, "categories", "17"},
		{"bad category", func(_ *server, _ publish.Credentials, o schedctl.Options) { o["categories"] = "a b" }, schedctl.KindContent, "categories", "slugs"},
		{"bad status", func(_ *server, _ publish.Credentials, o schedctl.Options) { o["status"] = "future" }, schedctl.KindContent, "status", "draft"},
		{"bad title", func(_ *server, _ publish.Credentials, o schedctl.Options) { o["title"] = "a\nb" }, schedctl.KindContent, "title", "one line"},
		{"bad user", func(_ *server, c publish.Credentials, _ schedctl.Options) { c["username"] = "a:b" }, schedctl.KindContent, "username", "colon"},
		{"bad password", func(_ *server, c publish.Credentials, _ schedctl.Options) { c["application_password"] = "ä" }, schedctl.KindContent, "application_password", "copy it again"},
	} {
		s := newServer()
		p, r := start(t, s)
		tt.change(s, r.Credentials, r.Account.Options)
		_, err := p.Connect(t.Context(), publish.Connection{Credentials: r.Credentials, Options: r.Account.Options})
		e := publish.AsError(err)
		if e.Kind != tt.kind || e.Code != tt.code || e.Outcome != schedctl.OutcomeNotPublished || !strings.Contains(e.Message, tt.message) {
			t.Errorf("%s: got %+v", tt.name, e)
		}
	}
	s := newServer()
	s.rights["publish_posts"] = false
	p, r := start(t, s)
	if _, err := p.Connect(t.Context(), publish.Connection{Credentials: r.Credentials, Options: schedctl.Options{"status": "draft"}}); err != nil {
		t.Errorf("a contributor who writes drafts: %v", err)
	}
}

func TestPublish(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, content string
		options       schedctl.Options
		want          stored
		raw           string
	}{
		{
			"title and text", content, nil,
			stored{Title: "Version 2 is out", Slug: "version-2-is-out-pt_01jx0000000000000000000001", Status: "publish"},
			"<!-- wp:paragraph -->\n<p>It is &lt;faster&gt; &amp; &#91;shorter&#93; 🙂</p>\n<!-- /wp:paragraph -->\n\n",
		},
		{
			"one line", "Hello", nil, stored{Title: "Hello", Slug: "hello-pt_01jx0000000000000000000001", Status: "publish"},
			"<!-- wp:paragraph -->\n<p>Hello</p>\n<!-- /wp:paragraph -->\n\n",
		},
		{
			"options", "Hello\nworld", schedctl.Options{"title": "A <title>", "status": "draft", "categories": "news,5"},
			stored{Title: "A &lt;title&gt;", Slug: "hello-pt_01jx0000000000000000000001", Status: "draft", Categories: []int{3, 5}},
			"<!-- wp:paragraph -->\n<p>Hello<br>world</p>\n<!-- /wp:paragraph -->\n\n",
		},
		{
			"a link", "日本\nRead https://example.org/a?b=1&c=(2). (See http://example.org/x)", nil,
			stored{Title: "日本", Slug: "pt_01jx0000000000000000000001", Status: "publish"},
			`<!-- wp:paragraph -->` + "\n" + `<p>Read <a href="https://example.org/a?b=1&amp;c=(2)">https://example.org/a?b=1&amp;c=(2)</a>. (See <a href="http://example.org/x">http://example.org/x</a>)</p>` + "\n<!-- /wp:paragraph -->\n\n",
		},
	} {
		s := newServer()
		p, r := start(t, s)
		r.Content, r.Account.Options = tt.content, tt.options
		receipt, err := p.Publish(t.Context(), r)
		if err != nil || receipt.ID != "42" {
			t.Errorf("%s: got %+v, %v", tt.name, receipt, err)
			continue
		}
		tt.want.ID, tt.want.Link, tt.want.Content.Raw = 42, "https://blog.example.org/?p=42", tt.raw
		if diff := cmp.Diff(tt.want, s.posts[0]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// A first line that is too long for a title is shortened, and the text keeps all of it.
func TestLongFirstLine(t *testing.T) {
	t.Parallel()
	s := newServer()
	p, r := start(t, s)
	r.Content = strings.Repeat("word ", 50) + "\nsecond line"
	if _, err := p.Publish(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	got := s.posts[0]
	if title := got.Title; len([]rune(title)) > 120 || !strings.HasSuffix(title, "word…") || !strings.Contains(got.Content.Raw, strings.Repeat("word ", 49)+"word<br>second line") {
		t.Errorf("title %q, content %q", title, got.Content.Raw)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	s := newServer()
	p, r := start(t, s)
	if _, found, err := p.Find(t.Context(), r, time.Time{}); found || err != nil {
		t.Errorf("before: %v, %v", found, err)
	}
	want, err := p.Publish(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	other := r
	other.Key = "pt_01JX0000000000000000000009"
	if _, err := p.Publish(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	r.Account.Options = schedctl.Options{"title": "another title", "status": "draft"} // changed before the retry
	receipt, found, err := p.Find(t.Context(), r, time.Now())
	if err != nil || !found || !receipt.Equal(want) {
		t.Errorf("got %+v, %v, %v; want %+v", receipt, found, err, want)
	}
	// A retry does not make a second post.
	r.Attempt = 2
	if receipt, err = p.Publish(t.Context(), r); err != nil || !receipt.Equal(want) || len(s.posts) != 2 {
		t.Errorf("a retry: %+v, %v; %d posts", receipt, err, len(s.posts))
	}
	// If the network lost the first post's request for a while, two posts are reported.
	r.Attempt = 1
	if receipt, err = p.Publish(t.Context(), r); err != nil || receipt.Degraded.Code != "duplicate" {
		t.Errorf("a second post: %+v, %v", receipt, err)
	}
}

func TestFindErrors(t *testing.T) {
	t.Parallel()
	for _, response := range []string{"401 {}", "403 {}", "404 {}", "500 {}", "200 {}", "200 null", "200 ", "200 [17]", "301 []"} {
		p, r := start(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			var status int
			var body string
			fmt.Sscanf(response, "%d %s", &status, &body)
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		}))
		_, found, err := p.Find(t.Context(), r, time.Time{})
		if e := publish.AsError(err); err == nil || found || e.Outcome != schedctl.OutcomeUnknown || e.Message == "" {
			t.Errorf("%s: %v, %v", response, found, err)
		}
		r.Attempt = 2
		if _, err := p.Publish(t.Context(), r); err == nil || publish.AsError(err).Outcome != schedctl.OutcomeNotPublished {
			t.Errorf("%s: a second attempt sends the post: %v", response, err)
		}
	}
}

func ExamplePublisher_Fields() {
	for _, f := range wordpress.New(nil, outbound.PublicOnly, "").Fields() {
		fmt.Printf("%s: %s\n", f.Name, f.Help)
	}
	// Output:
	// site_url: the address of the site, such as https://blog.example.org
	// username: the user who writes the posts: an author, an editor or an administrator
	// application_password: from the user's profile in WordPress, Application Passwords; not the password of the login
	// status: publish, draft, pending or private; default publish
	// categories: slugs or numbers of categories, such as news,releases; default that of the site
	// title: the title; default the first line of the text
}
