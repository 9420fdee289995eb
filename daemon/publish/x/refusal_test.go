package x_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/daemon/publish/x"
	"github.com/schedctl/schedctl/scripts/cost"
)

// always responds to each request that publishes, without accepting it.
func always(m publishtest.Mishap) func(*http.Request) publishtest.Mishap {
	return func(r *http.Request) publishtest.Mishap {
		if !publishes(r) {
			return publishtest.Mishap{}
		}
		return m
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	problem := func(status int, kind, title, detail string) publishtest.Mishap {
		return publishtest.Mishap{Status: status, Body: fmt.Sprintf(`{"type":%q,"title":%q,"detail":%q,"status":%d}`, kind, title, detail, status)}
	}
	for name, tt := range map[string]struct {
		response   publishtest.Mishap
		kind       schedctl.ErrorKind
		code, says string
	}{
		"403 with duplicate content": {
			problem(403, "about:blank", "Forbidden", "You are not allowed to create a Tweet with duplicate content."), schedctl.KindDuplicate, "duplicate_content", "same text",
		},
		"402 CreditsDepleted": {
			problem(402, "https://api.x.com/2/problems/credits", "CreditsDepleted", "Your enrolled account [1] does not have any credits to fulfill this request."),
			schedctl.KindAuth, "credits_depleted", "console.x.com",
		},
		"401": {problem(401, "about:blank", "Unauthorized", "Unauthorized"), schedctl.KindAuth, "token_revoked", "reconnect"},
		"403 of an app that may only read": {
			problem(403, "https://api.x.com/2/problems/oauth1-permissions", "Forbidden", "Your client app is not configured with the appropriate oauth1 app permissions for this endpoint."),
			schedctl.KindAuth, "missing_scope", "Read and write",
		},
		"403 of a locked account":   {problem(403, "about:blank", "Forbidden", "Your account is temporarily locked."), schedctl.KindAuth, "blocked", "log in"},
		"403 without a project":     {publishtest.Mishap{Status: 403, Body: `{"reason":"client-not-enrolled","title":"Client Forbidden","type":"https://api.x.com/2/problems/client-forbidden"}`}, schedctl.KindAuth, "missing_scope", "project"},
		"403 for another reason":    {problem(403, "about:blank", "Forbidden", "You are not permitted to perform this action."), schedctl.KindContent, "", "not permitted"},
		"400 of an invalid request": {problem(400, "https://api.x.com/2/problems/invalid-request", "Invalid Request", "One or more parameters to your request was invalid."), schedctl.KindContent, "", "invalid"},
	} {
		fake := publishtest.NewFakeX()
		p, r := start(t, fake)
		fake.Respond(always(tt.response))
		_, err := p.Publish(t.Context(), r)
		e := publish.AsError(err)
		if e.Kind != tt.kind || e.Code != tt.code || e.Outcome != schedctl.OutcomeNotPublished || !strings.Contains(e.Message, tt.says) {
			t.Errorf("%s: got %+v", name, e)
		}
	}
}

// TestCreditsEnd is the balance of the fake, not a scripted response.
func TestCreditsEnd(t *testing.T) {
	t.Parallel()
	fake := publishtest.NewFakeX()
	fake.Credits = 0
	p, r := start(t, fake)
	if _, err := p.Publish(t.Context(), r); publish.AsError(err).Code != "credits_depleted" || len(fake.Posts()) > 0 {
		t.Errorf("got %v", err)
	}
}

func TestRepliesToMissingPosts(t *testing.T) {
	t.Parallel()
	fake := publishtest.NewFakeX()
	p, r := start(t, fake)
	root, err := p.Publish(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	fake.Delete(root.ID)
	r.Part, r.Kind, r.Content, r.Root, r.Parent = 1, schedctl.PartReply, "more", &root, &root
	if _, err := p.Publish(t.Context(), r); publish.AsError(err).Code != publish.CodeParentMissing {
		t.Errorf("got %v", err)
	}
}

// TestRateLimits: the limit that is used up decides, not the nearest reset.
func TestRateLimits(t *testing.T) {
	t.Parallel()
	soon, later, tomorrow := time.Now().Add(5*time.Minute), time.Now().Add(10*time.Minute), time.Now().Add(20*time.Hour)
	unix := func(t time.Time) string { return fmt.Sprint(t.Unix()) }
	type h = map[string]string
	for name, tt := range map[string]struct {
		header h
		want   time.Time
	}{
		"the window": {h{"x-rate-limit-remaining": "0", "x-rate-limit-reset": unix(soon)}, soon},
		"the day of the user": {h{
			"x-rate-limit-remaining": "40", "x-rate-limit-reset": unix(soon), "x-user-limit-24hour-remaining": "0", "x-user-limit-24hour-reset": unix(tomorrow),
		}, tomorrow},
		"the day of the app": {h{"x-rate-limit-remaining": "1", "x-rate-limit-reset": unix(soon), "x-app-limit-24hour-remaining": "0", "x-app-limit-24hour-reset": unix(later)}, later},
		"two limits":         {h{"x-rate-limit-remaining": "0", "x-rate-limit-reset": unix(soon), "x-app-limit-24hour-remaining": "0", "x-app-limit-24hour-reset": unix(later)}, later},
		"nothing used up":    {h{"x-rate-limit-remaining": "3", "x-rate-limit-reset": unix(soon)}, time.Time{}},
		"nonsense":           {h{"x-rate-limit-remaining": "0", "x-rate-limit-reset": "soon"}, time.Time{}},
	} {
		fake := publishtest.NewFakeX()
		p, r := start(t, fake)
		fake.Respond(always(publishtest.Mishap{Status: 429, Header: tt.header, Body: `{"title":"Too Many Requests","status":429}`}))
		_, err := p.Publish(t.Context(), r)
		e := publish.AsError(err)
		if e.Kind != schedctl.KindRateLimited || e.Outcome != schedctl.OutcomeNotPublished || e.RetryAt.Sub(tt.want).Abs() > 2*time.Second {
			t.Errorf("%s: retry at %v, want %v (%v)", name, e.RetryAt, tt.want, e)
		}
	}
}

// FuzzResponses tests the parsers of responses: of a post, of the timeline, of an upload,
// of its state, of the user, and of new tokens.
func FuzzResponses(f *testing.F) {
	for _, body := range []string{
		`{"data":{"id":"1445880548472328192","text":"x"}}`, `{"data":{"id":17}}`, `{"data":[]}`, `{"meta":{"result_count":0}}`,
		`{"data":[{"id":"1445880548472328192","text":"plain","created_at":"2026-06-02T15:00:00.000Z","entities":{"urls":[{"url":"https://t.co/a","expanded_url":"https://example.com"}]}}],"meta":{"next_token":"a"}}`,
		`{"data":[{"id":"x"}],"meta":{}}`, `{"data":{"id":"7","expires_after_secs":86400,"processing_info":{"state":"failed"}}}`, `{"data":{"id":"7","expires_after_secs":1e99}}`,
		`{"data":{"id":"2244994945","name":"A","username":"alice","subscription_type":"Premium"}}`, `{"access_token":"a","refresh_token":"b"}`, `{"access_token":"a b"}`,
		`{"type":"https://api.x.com/2/problems/oauth1-permissions","detail":"duplicate content"}`, "null", "",
	} {
		for reader := range byte(6) {
			f.Add(reader, 200, body)
			f.Add(reader, 403, body)
		}
	}
	f.Fuzz(func(t *testing.T, reader byte, status int, body string) {
		defer cost.Check(t, len(body))()
		if status < 200 || status > 599 || status == 204 || status == 304 {
			return
		}
		p, r := start(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			io.WriteString(w, body)
		}))
		var err error
		var shown string
		switch reader % 6 {
		case 0:
			var receipt schedctl.Receipt
			receipt, err = p.Publish(t.Context(), r)
			shown = receipt.ID + receipt.URL
		case 1:
			var receipt schedctl.Receipt
			receipt, _, err = p.Find(t.Context(), r, time.Now())
			shown = receipt.ID + receipt.URL
		case 2:
			_, err = p.Upload(t.Context(), r, publishtest.TestFile("image/png", 1))
		case 3:
			var u publish.Upload
			u, err = p.Processed(t.Context(), r, publish.Upload{ID: "7"})
			shown = u.ID
		case 4:
			var profile publish.Profile
			profile, err = p.Connect(t.Context(), publish.Connection{Credentials: r.Credentials})
			shown = profile.Username + profile.DisplayName + profile.URL
		case 5:
			_, err = p.Refresh(t.Context(), publishtest.NewFakeX().OAuth2(r.Credentials["api_url"]))
		}
		if err != nil {
			shown = publish.AsError(err).Message
		}
		if len(shown) > 5000 || !utf8.ValidString(shown) || strings.ContainsFunc(shown, unicode.IsControl) || strings.Contains(shown, "a-secret-of") {
			t.Errorf("reader %d: %q", reader%6, shown)
		}
	})
}

// FuzzLength tests the parser of texts.
func FuzzLength(f *testing.F) {
	for _, text := range pieces {
		f.Add(text + ".com/" + text)
	}
	p := x.New(nil, outbound.PublicOnly, "test")
	f.Fuzz(func(t *testing.T, text string) {
		defer cost.Check(t, len(text))()
		text = strings.ToValidUTF8(text, "")
		c := p.Check(schedctl.Account{}, publish.Text(text))
		if c.Length < 0 || c.Length > 23*len(text) || !p.MayConfuse(text, text) {
			t.Errorf("%q: length %d", text, c.Length)
		}
	})
}
