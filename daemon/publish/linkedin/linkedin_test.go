package linkedin_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/linkedin"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

var (
	_ publish.ContentFinder = (*linkedin.Publisher)(nil)
	_ publish.Uploader      = (*linkedin.Publisher)(nil)
	_ publish.Threader      = (*linkedin.Publisher)(nil)
)

const content = "Version 2 (beta) is out: #Go_lang & <faster> *better* | @all {x} [y] ~ \\ # 🙂"

// constant is a LinkedIn that gives every post the same URN and never refuses one.
func constant() http.Handler {
	fake := publishtest.NewFakeLinkedIn()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.URL.Path == "/rest/posts" {
			w.Header().Set("X-Restli-Id", "urn:li:share:6844785523593134080")
			w.WriteHeader(http.StatusCreated)
			return
		}
		fake.ServeHTTP(w, r)
	})
}

func isUpload(r *http.Request) bool {
	path := strings.Split(r.URL.Path, "/")
	return slices.Contains([]string{"images", "videos", "documents"}, path[min(2, len(path)-1)]) || path[1] == "dms-uploads"
}

func TestConformance(t *testing.T) {
	t.Parallel()
	for _, organization := range []bool{false, true} {
		var lacks []publish.Purpose
		if !organization {
			lacks = []publish.Purpose{publish.PurposeLookup}
		}
		t.Run(fmt.Sprint("organization=", organization), func(t *testing.T) {
			t.Parallel()
			publishtest.Run(t, publishtest.Suite{
				New: func(c *http.Client) publish.Publisher { return linkedin.New(c, outbound.AllowPrivate, nil, "test") },
				Connection: func(url string) publish.Connection {
					return publish.Connection{Credentials: publishtest.NewFakeLinkedIn().Credentials(url, organization)}
				},
				Network: constant(),
				Lacks:   lacks,
				Receipt: schedctl.Receipt{ID: "urn:li:share:6844785523593134080", URL: "https://www.linkedin.com/feed/update/urn:li:share:6844785523593134080"},
				RetryAt: func(now time.Time) time.Time { return now.UTC().Truncate(24 * time.Hour).Add(24 * time.Hour) },
				Media:   &publishtest.MediaSuite{Upload: isUpload},
				Threads: &publishtest.ThreadSuite{
					Network: func() http.Handler { return publishtest.NewFakeLinkedIn() }, Missing: publishtest.NewFakeLinkedIn(), Finds: organization,
					Reference: func(parent schedctl.Receipt) string {
						if parent.Ref != "" {
							return parent.Ref
						}
						return parent.ID
					},
				},
			})
		})
	}
}

// start serves h and returns a publisher and a request for it.
func start(t *testing.T, h http.Handler, organization bool) (*linkedin.Publisher, publish.Request) {
	t.Helper()
	web := httptest.NewServer(h)
	client := outbound.Client(outbound.AllowPrivate)
	t.Cleanup(func() {
		client.CloseIdleConnections()
		web.Close()
	})
	credentials := publishtest.NewFakeLinkedIn().Credentials(web.URL, organization)
	if !organization {
		credentials["author"] = "urn:li:person:782bbtaQ"
	}
	return linkedin.New(client, outbound.AllowPrivate, nil, "test"), publish.Request{
		TargetID: publishtest.TargetID, Key: publishtest.TargetID, Content: content, Credentials: credentials, Attempt: 1,
		Account: schedctl.Account{Options: schedctl.Options{}},
	}
}

func TestConnect(t *testing.T) {
	t.Parallel()
	for _, organization := range []bool{false, true} {
		p, r := start(t, publishtest.NewFakeLinkedIn(), organization)
		want := publish.Profile{
			Username: "Alice Example", DisplayName: "Alice Example", Identity: "urn:li:person:782bbtaQ", Credentials: r.Credentials,
			Limits: schedctl.Limits{MaxCharacters: 3000, Unit: "characters"},
		}
		if !organization {
			want.Limits.Posts, want.Limits.Window = 150, 24*time.Hour
		} else {
			want.Username, want.DisplayName, want.URL = "organization 5515715", "organization 5515715", "https://www.linkedin.com/company/5515715/"
			want.Identity = "urn:li:organization:5515715"
		}
		profile, err := p.Connect(t.Context(), publish.Connection{Credentials: r.Credentials})
		if err != nil {
			t.Fatal(err)
		}
		if in := time.Until(profile.Expiry.At); !profile.Expiry.Assumed || in < 59*24*time.Hour || in > 60*24*time.Hour || profile.Credentials["connected_at"] == "" {
			t.Errorf("expiry %+v", profile.Expiry)
		}
		profile.Expiry = publish.Expiry{}
		delete(profile.Credentials, "connected_at")
		if diff := cmp.Diff(want, profile); diff != "" {
			t.Errorf("profile (-want +got):\n%s", diff)
		}
	}
	p, r := start(t, publishtest.NewFakeLinkedIn(), true)
	r.Credentials["organization"] = "17"
	_, err := p.Connect(t.Context(), publish.Connection{Credentials: r.Credentials})
	if e := publish.AsError(err); e.Kind != schedctl.KindAuth || e.Code != "missing_scope" || !strings.Contains(e.Message, "r_organization_social") {
		t.Errorf("an organization of others: %v", err)
	}
}

// TestExpiry asks LinkedIn when the token ends, or else assumes 60 days since it was
// given.
func TestExpiry(t *testing.T) {
	t.Parallel()
	fake := publishtest.NewFakeLinkedIn()
	fake.Expires = time.Date(2026, 12, 24, 18, 0, 0, 0, time.UTC)
	p, r := start(t, fake, true)
	connect := func() (publish.Profile, error) {
		return p.Connect(t.Context(), publish.Connection{Credentials: r.Credentials})
	}
	profile, err := connect()
	if err != nil {
		t.Fatal(err)
	}
	hash := strings.Fields(profile.Credentials["connected_at"])[1]
	for given, want := range map[string]time.Duration{
		fmt.Sprint(time.Now().Add(-50*24*time.Hour).Unix(), " ", hash): 10 * 24 * time.Hour,
		fmt.Sprint(time.Now().Add(-50*24*time.Hour).Unix(), " other"):  60 * 24 * time.Hour,
		"soon " + hash: 60 * 24 * time.Hour,
	} {
		r.Credentials["connected_at"] = given
		profile, err := connect()
		if in := time.Until(profile.Expiry.At); err != nil || (in-want).Abs() > time.Minute {
			t.Errorf("%q: the token ends in %s, want %s (%v)", given, in, want, err)
		}
	}
	r.Credentials["client_id"], r.Credentials["client_secret"] = "a-client-id", "a-client-secret"
	if profile, err := connect(); err != nil || profile.Expiry != (publish.Expiry{At: fake.Expires}) {
		t.Errorf("with a client: %+v, %v", profile.Expiry, err)
	}
	fake.Withheld = []string{"w_organization_social"}
	if _, err := connect(); publish.AsError(err).Code != "missing_scope" || !strings.Contains(err.Error(), "lacks the permission w_organization_social;") {
		t.Errorf("without a permission: %v", err)
	}
	r.Credentials["client_secret"] = "another"
	if _, err := connect(); publish.AsError(err).Code != "client_secret" {
		t.Errorf("with a wrong client: %v", err)
	}
}

func TestCredentials(t *testing.T) {
	t.Parallel()
	for field, c := range map[string]map[string]string{
		"access_token":  {"access_token": "t t"},
		"organization":  {"access_token": "t", "organization": "example-company"},
		"client_secret": {"access_token": "t", "client_id": "c"},
		"api_url":       {"access_token": "t", "api_url": "https://example.org/api"},
	} {
		_, err := linkedin.New(nil, outbound.AllowPrivate, nil, "test").Connect(t.Context(), publish.Connection{Credentials: c})
		if e := publish.AsError(err); e.Kind != schedctl.KindContent || e.Code != field {
			t.Errorf("%s: got %v, code %q", field, err, e.Code)
		}
	}
	_, err := linkedin.New(nil, outbound.AllowPrivate, nil, "test").Connect(t.Context(), publish.Connection{
		Credentials: publish.Credentials{"access_token": "t", "organization": "https://www.linkedin.com/company/example/"},
	})
	if e := publish.AsError(err); e.Code != "organization" || !strings.Contains(e.Message, "as an administrator") {
		t.Errorf("an address with a name: got %v", err)
	}
	_, err = linkedin.New(nil, outbound.AllowPrivate, nil, "test").Connect(t.Context(), publish.Connection{
		Credentials: publish.Credentials{"access_token": "t"}, Options: schedctl.Options{"api_version": "202613"},
	})
	if e := publish.AsError(err); e.Code != "api_version" {
		t.Errorf("api_version: got %v", err)
	}
}

// TestEscaping sends 10,000 generated texts through the parser of the fake, and reads
// them back.
func TestEscaping(t *testing.T) {
	t.Parallel()
	pieces := []string{
		"a", "Word", " ", "\n", "é", "日本", "🙂", "#", "#", "#tag", "#9", "#_", "##x", `\`, `\\`, `\#`, "<", ">", "~", "_", "|", "[", "]", "*", "(", ")", "{", "}", "@", "@[x](urn)",
		"{hashtag|", "|x}", `{hashtag|\#|x}`, `\#|x}`, "https://example.com/a_(b)?c=d#e",
	}
	random := rand.New(rand.NewPCG(2, 21))
	for range 10_000 {
		var b strings.Builder
		for range random.IntN(20) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		text := b.String()
		escaped := linkedin.Escape(text)
		if shown, ok := publishtest.LittleText(escaped); !ok || shown != text {
			t.Fatalf("%q became %q: LinkedIn shows %q", text, escaped, shown)
		}
		if back := linkedin.Unescape(escaped); back != text {
			t.Fatalf("%q became %q and then %q", text, escaped, back)
		}
	}
	for given, want := range map[string]string{
		"a {hashtag|\\#|tag} b": "a #tag b", "{hashtag|\\#|a\\_b}": "#a_b", "{hashtag|\\#|open": "{hashtag|#|open", "{hashtag|x|y}": "{hashtag|x|y}", `a\`: `a\`, `\a`: `\a`,
	} {
		if got := linkedin.Unescape(given); got != want {
			t.Errorf("%q: got %q, want %q", given, got, want)
		}
	}
}

// TestVersions steps to the next version within one attempt, and remembers it.
func TestVersions(t *testing.T) {
	t.Parallel()
	fake := publishtest.NewFakeLinkedIn()
	fake.First, fake.Last = 202702, 202703
	p, r := start(t, fake, true)
	r.Account.Options["api_version"] = "202509"
	for i := range 2 {
		r.Content = fmt.Sprint("post ", i)
		if _, err := p.Publish(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"202509", "202610", "202611", "202612", "202701", "202702", "202509", "202702"}
	if diff := cmp.Diff(want, fake.Versions()); diff != "" || len(fake.Posts()) != 2 {
		t.Errorf("%d posts, versions (-want +got):\n%s", len(fake.Posts()), diff)
	}
	fake = publishtest.NewFakeLinkedIn()
	fake.First, fake.Last = 0, 0
	p, r = start(t, fake, true)
	_, err := p.Publish(t.Context(), r)
	if e := publish.AsError(err); e.Kind != schedctl.KindAuth || e.Code != "version_retired" || e.Outcome != schedctl.OutcomeNotPublished || len(fake.Versions()) != 24 {
		t.Errorf("no version: %v after %d requests", err, len(fake.Versions()))
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	fake := publishtest.NewFakeLinkedIn()
	fake.PartSize = 1000
	for _, mimeType := range []string{"image/png", "image/gif", "video/mp4", "application/pdf"} {
		p, r := start(t, fake, true)
		f := publishtest.TestFile(mimeType, 1)
		u, err := p.Upload(t.Context(), r, f)
		if err != nil || u.Ready {
			t.Fatalf("%s: %+v, %v", mimeType, u, err)
		}
		for range 3 {
			if u, err = p.Processed(t.Context(), r, u); err != nil {
				t.Fatal(err)
			}
		}
		f.Upload, r.Content = u, "with a file of type "+mimeType
		r.Files = []publish.File{f}
		if _, err := p.Publish(t.Context(), r); err != nil || !u.Ready {
			t.Errorf("%s: %v, %+v", mimeType, err, u)
		}
		u.ID = "urn:li:image:none"
		if _, err := p.Processed(t.Context(), r, u); publish.AsError(err).Code != publish.CodeUploadLost {
			t.Errorf("an unknown upload: %v", err)
		}
	}
}

// TestTokenStaysWithLinkedIn: bytes and token go to no other host.
func TestTokenStaysWithLinkedIn(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the file was sent elsewhere") }))
	t.Cleanup(elsewhere.Close)
	p, r := start(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"value":{"uploadUrl":%q,"image":"urn:li:image:a"}}`, elsewhere.URL)
	}), true)
	_, err := p.Upload(t.Context(), r, publishtest.TestFile("image/png", 1))
	if e := publish.AsError(err); e.Outcome != schedctl.OutcomeNotPublished || e.Kind != schedctl.KindPlatform {
		t.Errorf("got %v", err)
	}
}

func TestCommentsTakeNoFiles(t *testing.T) {
	t.Parallel()
	p := linkedin.New(nil, outbound.PublicOnly, nil, "test")
	c := p.Check(schedctl.Account{Limits: schedctl.Limits{MaxCharacters: 3000}}, publish.Content{
		Text: strings.Repeat("a", 1251), Kind: schedctl.PartComment, Media: []publish.Media{{MIMEType: "image/png"}},
	})
	if len(c.Problems) != 2 || c.Limit != 1250 {
		t.Errorf("%+v", c)
	}
}
