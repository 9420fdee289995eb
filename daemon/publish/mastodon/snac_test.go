package mastodon_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/mastodon"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// TestSnac runs the same tests against a real server.
func TestSnac(t *testing.T) {
	t.Parallel()
	snac := publishtest.StartSnac(t)
	client := outbound.Client(outbound.AllowPrivate)
	p := mastodon.New(client, "test")
	credentials := publish.Credentials{"instance_url": snac.URL, "access_token": snac.AccessToken}
	connection := publish.Connection{Credentials: credentials, Options: schedctl.Options{"language": "en", "sensitive": false}}

	profile, err := p.Connect(t.Context(), connection)
	if err != nil {
		t.Fatal(err)
	}
	host := strings.TrimPrefix(snac.URL, "http://")
	if profile.Username != snac.User+"@"+host || profile.URL != snac.URL+"/"+snac.User || profile.Limits.MaxCharacters < 500 || profile.Limits.Unit != "characters" || profile.Limits.URLCharacters != 0 {
		t.Errorf("profile %+v", profile)
	}

	r := publish.Request{
		TargetID: "pt_1", PostID: "post_1", Key: "pt_1", Attempt: 1, Content: "From a test: 1 < 2 & \"quotes\" 🙂", PublishAt: time.Now(),
		Account:     schedctl.Account{Limits: profile.Limits, Options: connection.Options},
		Credentials: credentials,
	}
	receipt, err := p.Publish(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if receipt.ID == "" || !strings.HasPrefix(receipt.URL, snac.URL) {
		t.Errorf("receipt %+v", receipt)
	}
	if got := statuses(t, client, snac); len(got) != 1 || got[0] != r.Content {
		t.Errorf("statuses %q, want exactly %q", got, r.Content)
	}
	checkWrongToken(t, p, connection, r)
	if got := statuses(t, client, snac); len(got) != 1 {
		t.Errorf("%d statuses after a wrong token, want 1", len(got))
	}
}

func checkWrongToken(t *testing.T, p *mastodon.Publisher, c publish.Connection, r publish.Request) {
	t.Helper()
	wrong := publish.Credentials{"instance_url": c.Credentials["instance_url"], "access_token": strings.Repeat("0", 32)}
	c.Credentials, r.Credentials = wrong, wrong
	_, connectErr := p.Connect(t.Context(), c)
	_, publishErr := p.Publish(t.Context(), r)
	for during, err := range map[string]error{"connect": connectErr, "publish": publishErr} {
		if e := publish.AsError(err); e.Kind != schedctl.KindAuth || e.Outcome != schedctl.OutcomeNotPublished {
			t.Errorf("%s with a wrong token: got %+v, want auth not_published", during, e)
		}
	}
}

// statuses returns the texts of the user's statuses on the server.
func statuses(t *testing.T, client *http.Client, snac publishtest.Snac) []string {
	t.Helper()
	header := http.Header{"Authorization": {"Bearer " + snac.AccessToken}}
	var account struct{ ID string }
	get(t, client, snac.URL+"/api/v1/accounts/verify_credentials", header, &account)
	var list []struct{ Text string }
	get(t, client, fmt.Sprintf("%s/api/v1/accounts/%s/statuses", snac.URL, account.ID), header, &list)
	texts := make([]string, len(list))
	for i, s := range list {
		texts[i] = s.Text
	}
	return texts
}

func get(t *testing.T, client *http.Client, url string, header http.Header, into any) {
	t.Helper()
	a, err := outbound.Get(t.Context(), client, url, header)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(a.Body, into); err != nil || a.Status != http.StatusOK {
		t.Fatalf("%s: status %d, %v", url, a.Status, err)
	}
}

// A login as a person goes through it, with the page in place of a browser.
func TestSnacLogin(t *testing.T) {
	t.Parallel()
	snac := publishtest.StartSnac(t)
	client := outbound.Client(outbound.AllowPrivate)
	login, err := mastodon.StartLogin(t.Context(), client, snac.URL, "test")
	if err != nil {
		t.Fatal(err)
	}
	header := http.Header{"Connection": {"close"}, "Content-Type": {"application/x-www-form-urlencoded"}}
	page, err := outbound.Get(t.Context(), client, login.URL, header)
	if err != nil || page.Status != http.StatusOK {
		t.Fatalf("login page: %d, %v", page.Status, err)
	}
	form := url.Values{"login": {snac.User}, "passwd": {snac.Password}}
	for _, field := range regexp.MustCompile(`type="hidden" name="(\w+)" value="([^"]*)"`).FindAllStringSubmatch(string(page.Body), -1) {
		form.Set(field[1], field[2])
	}
	shown, err := outbound.Post(t.Context(), client, snac.URL+"/oauth/x-snac-login", header, []byte(form.Encode()))
	if err != nil || shown.Status != http.StatusOK {
		t.Fatalf("log in: %d, %v", shown.Status, err)
	}

	token, err := login.Finish(t.Context(), string(shown.Body))
	if err != nil {
		t.Fatal(err)
	}
	p := mastodon.New(client, "test")
	profile, err := p.Connect(t.Context(), publish.Connection{Credentials: publish.Credentials{"instance_url": snac.URL, "access_token": token}})
	if err != nil || !strings.HasPrefix(profile.Username, snac.User+"@") {
		t.Errorf("connected with the token: %+v, %v", profile, err)
	}
	if _, err := login.Finish(t.Context(), string(shown.Body)+"x"); err == nil {
		t.Error("a code with the state of a different login was accepted")
	}
}

// TestSnacChangesTheVisibility guards that what snac does with a visibility that
// it does not have is noticed, also when the status is found afterwards.
func TestSnacChangesTheVisibility(t *testing.T) {
	t.Parallel()
	snac := publishtest.StartSnac(t)
	p := mastodon.New(outbound.Client(outbound.AllowPrivate), "test")
	began := time.Now()
	for visibility, want := range map[string]string{"public": "", "unlisted": "visibility", "private": "", "direct": "visibility"} {
		r := publish.Request{
			Key: "pt_1", Content: "Meant to be " + visibility, Account: schedctl.Account{Options: schedctl.Options{"visibility": visibility}},
			Credentials: publish.Credentials{"instance_url": snac.URL, "access_token": snac.AccessToken},
		}
		receipt, err := p.Publish(t.Context(), r)
		if err != nil || receipt.Degraded.Code != want {
			t.Errorf("%s: got %+v, %v; want %q", visibility, receipt, err, want)
		}
		if visibility != "unlisted" {
			continue
		}
		if found, ok, err := p.Find(t.Context(), r, began); err != nil || !ok || !found.Equal(receipt) {
			t.Errorf("found %+v, %v, %v; want %+v", found, ok, err, receipt)
		}
	}
}

func TestSnacFind(t *testing.T) {
	t.Parallel()
	snac := publishtest.StartSnac(t)
	p := mastodon.New(outbound.Client(outbound.AllowPrivate), "test")
	request := func(content string, options schedctl.Options) publish.Request {
		return publish.Request{
			Key: "pt_1", Content: content, Account: schedctl.Account{Options: options},
			Credentials: publish.Credentials{"instance_url": snac.URL, "access_token": snac.AccessToken},
		}
	}
	began := time.Now()
	for _, r := range []publish.Request{
		request("Nothing but words", nil),
		request(" *Markdown*, `code`, <b> & \"quotes\"\r\n\r\n> said\n\nhttps://example.com/a_(b)?c=d&e=f @bob@social.example #tag :smile: 👩‍💻 ", nil),
		request("With a warning", schedctl.Options{"spoiler_text": "careful & more", "sensitive": true}),
		request("For few", schedctl.Options{"visibility": "unlisted"}),
	} {
		receipt, err := p.Publish(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if got, found, err := p.Find(t.Context(), r, began); err != nil || !found || !got.Equal(receipt) {
			t.Errorf("%q: got %+v, %v, %v; want %+v", r.Content, got, found, err, receipt)
		}
	}
	if _, found, err := p.Find(t.Context(), request("Something that was never published", nil), began.Add(-2*time.Minute)); err != nil || found {
		t.Errorf("never published: got %v, %v", found, err)
	}
	private := request("For followers", schedctl.Options{"visibility": "private"})
	if _, err := p.Publish(t.Context(), private); err != nil {
		t.Fatal(err)
	}
	checkUnsure(t, p, "hidden", private, began.Add(-2*time.Minute))
	private.Credentials = publish.Credentials{"instance_url": snac.URL, "access_token": strings.Repeat("0", 32)}
	checkUnsure(t, p, "", private, began.Add(-2*time.Minute))
}

func checkUnsure(t *testing.T, p *mastodon.Publisher, code string, r publish.Request, since time.Time) {
	t.Helper()
	_, found, err := p.Find(t.Context(), r, since)
	if e := publish.AsError(err); err == nil || found || e.Code != code || e.Outcome != schedctl.OutcomeUnknown {
		t.Errorf("%q: got %v, %+v; want %q", r.Content, found, err, code)
	}
}

// TestSnacMedia publishes pictures on a real server, one of them with two alt texts. snac
// stores uploads by their names, so each upload needs a name of its own.
func TestSnacMedia(t *testing.T) {
	t.Parallel()
	snac := publishtest.StartSnac(t)
	client := outbound.Client(outbound.AllowPrivate)
	p := mastodon.New(client, "test")
	began := time.Now()
	posts := map[string]publish.Request{}
	for i, content := range []string{"With three pictures", ""} {
		r := publish.Request{
			TargetID: fmt.Sprintf("pt_%d", i), Key: fmt.Sprintf("pt_%d", i), Content: content,
			Account:     schedctl.Account{Limits: schedctl.Limits{MaxCharacters: 500, Unit: "characters"}},
			Credentials: publish.Credentials{"instance_url": snac.URL, "access_token": snac.AccessToken},
		}
		again := publishtest.TestFile("image/png", 1)
		again.AltText = "the first picture in other words"
		for _, f := range []publish.File{publishtest.TestFile("image/png", 1), publishtest.TestFile("image/png", 2), again} {
			f, err := upload(t, p, r, f)
			if err != nil {
				t.Fatal(err)
			}
			r.Files = append(r.Files, f)
		}
		receipt, err := p.Publish(t.Context(), r)
		if err != nil || receipt.ID == "" || receipt.Degraded != (schedctl.Degradation{}) {
			t.Fatalf("%q: got %+v, %v", content, receipt, err)
		}
		posts[receipt.ID] = r
	}
	checkSnacMedia(t, client, snac, posts)
	for id, r := range posts {
		receipt, found, err := p.Find(t.Context(), r, began)
		if r.Content != "" && (err != nil || !found || receipt.ID != id) {
			t.Errorf("%q: found %v, %+v, %v", r.Content, found, receipt, err)
		}
		if r.Content == "" && (err == nil || found) {
			t.Errorf("without text: found %v, %v; want an unknown outcome", found, err)
		}
	}
}

// checkSnacMedia checks that each status shows its own pictures, byte for byte.
func checkSnacMedia(t *testing.T, client *http.Client, snac publishtest.Snac, posts map[string]publish.Request) {
	t.Helper()
	header := http.Header{"Authorization": {"Bearer " + snac.AccessToken}}
	for id, r := range posts {
		var status struct {
			Media []struct{ URL, Description string } `json:"media_attachments"`
		}
		get(t, client, snac.URL+"/api/v1/statuses/"+id, header, &status)
		if len(status.Media) != len(r.Files) {
			t.Fatalf("%q shows %d files", r.Content, len(status.Media))
		}
		for i, shown := range status.Media {
			a, err := outbound.Get(t.Context(), client, shown.URL, nil)
			if err != nil || sha256.Sum256(a.Body) != r.Files[i].SHA256 || shown.Description != r.Files[i].AltText {
				t.Errorf("%q, file %d: HTTP %d, %d bytes, alt %q, %v", r.Content, i+1, a.Status, len(a.Body), shown.Description, err)
			}
		}
	}
}
