package linkedin_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/linkedin"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/scripts/cost"
)

func TestRefusals(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		status     int
		body       string
		kind       schedctl.ErrorKind
		code, says string
	}{
		"422 DUPLICATE_POST with a urn": {
			422, `{"message":"Content is a duplicate of urn:li:share:6937","status":422,"errorDetails":{"inputErrors":[{"code":"DUPLICATE_POST"}]}}`,
			schedctl.KindDuplicate, "duplicate_post", "https://www.linkedin.com/feed/update/urn:li:share:6937",
		},
		"403 serviceErrorCode 100": {
			403, `{"status":403,"serviceErrorCode":100,"code":"ACCESS_DENIED","message":"Not enough permissions to access: partnerApiPosts.CREATE"}`,
			schedctl.KindAuth, "missing_scope", "w_organization_social",
		},
		"403 Organization permissions must be used": {
			403, `{"status":403,"message":"Organization permissions must be used when using organization as author"}`, schedctl.KindAuth, "missing_scope", "administrator",
		},
		"400 Organization permissions must be used": {
			400, `{"status":400,"message":"Organization permissions must be used when using organization as author"}`, schedctl.KindAuth, "missing_scope", "administrator",
		},
		"401 of an expired token": {401, `{"status":401,"serviceErrorCode":65602,"code":"EXPIRED_ACCESS_TOKEN","message":"expired"}`, schedctl.KindAuth, "token_expired", "60 days"},
		"401 of a revoked token":  {401, `{"status":401,"serviceErrorCode":65601,"code":"REVOKED_ACCESS_TOKEN","message":"revoked"}`, schedctl.KindAuth, "token_revoked", "reconnect"},
		"403 for another reason":  {403, `{"status":403,"message":"no"}`, schedctl.KindContent, "", "refused the post"},
		"422 for another reason":  {422, `{"status":422,"message":"commentary is too long"}`, schedctl.KindContent, "", "too long"},
	} {
		fake := publishtest.NewFakeLinkedIn()
		p, r := start(t, fake, true)
		fake.Respond(respond(publishtest.Mishap{Status: tt.status, Body: tt.body}))
		receipt, err := p.Publish(t.Context(), r)
		e := publish.AsError(err)
		if e.Kind != tt.kind || e.Code != tt.code || e.Outcome != schedctl.OutcomeNotPublished || e.HTTPStatus != tt.status || !strings.Contains(e.Message, tt.says) || receipt.ID != "" {
			t.Errorf("%s: got %+v", name, e)
		}
	}
}

// TestDuplicateOfTheFake is not a scripted response.
func TestDuplicateOfTheFake(t *testing.T) {
	t.Parallel()
	fake := publishtest.NewFakeLinkedIn()
	p, r := start(t, fake, false)
	first, err := p.Publish(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Publish(t.Context(), r)
	if e := publish.AsError(err); e.Kind != schedctl.KindDuplicate || !strings.Contains(e.Message, first.ID) || len(fake.Posts()) != 1 {
		t.Errorf("got %v", err)
	}
}

// FuzzResponses tests the parsers of responses: of a post, of lists, of uploads, of their
// state, and of the person.
func FuzzResponses(f *testing.F) {
	for _, body := range []string{
		`{"elements":[{"id":"urn:li:share:1","author":"urn:li:organization:5515715","commentary":"plain","createdAt":1}]}`, `{"elements":[]}`, `{"elements":[{"id":17}]}`,
		`{"value":{"uploadUrl":"https://www.linkedin.com/dms-uploads/x","image":"urn:li:image:a"}}`, `{"value":{"video":"urn:li:video:a","uploadInstructions":[{"uploadUrl":"x","firstByte":-1,"lastByte":99}]}}`,
		`{"status":"AVAILABLE"}`, `{"status":17}`, `{"sub":"782bbtaQ","name":"A"}`, `{"sub":"../x"}`, `{"message":"duplicate of urn:li:share:1","code":"DUPLICATE_POST"}`, "null", "",
	} {
		for reader := range byte(6) {
			f.Add(reader, 200, body, "urn:li:share:1")
			f.Add(reader, 403, body, "")
		}
	}
	f.Fuzz(func(t *testing.T, reader byte, status int, body, id string) {
		defer cost.Check(t, len(body)+len(id))()
		if status < 200 || status > 599 || status == 204 || status == 304 {
			return
		}
		p, r := start(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Restli-Id", strings.Map(func(r rune) rune {
				if r < ' ' || r > '~' {
					return -1
				}
				return r
			}, id))
			w.WriteHeader(status)
			io.WriteString(w, body)
		}), reader%6 != 4)
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
			_, err = p.Processed(t.Context(), r, publish.Upload{ID: "urn:li:image:a"})
		case 4, 5:
			var profile publish.Profile
			profile, err = p.Connect(t.Context(), publish.Connection{Credentials: r.Credentials})
			shown = profile.Username + profile.DisplayName + profile.URL
		}
		if err != nil {
			shown = publish.AsError(err).Message
		}
		if len(shown) > 5000 || !utf8.ValidString(shown) || strings.ContainsFunc(shown, unicode.IsControl) || strings.Contains(shown, "an-access-token") {
			t.Errorf("reader %d: %q", reader%6, shown)
		}
	})
}

// FuzzUnescape tests the parser of the little text format.
func FuzzUnescape(f *testing.F) {
	for _, text := range []string{content, `{hashtag|\#|x}`, `{hashtag|\#|`, `\`, `\\`, "#"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		defer cost.Check(t, len(text))()
		if len(linkedin.Unescape(text)) > len(text) {
			t.Errorf("%q became longer", text)
		}
		text = strings.ToValidUTF8(text, "")
		if got := linkedin.Unescape(linkedin.Escape(text)); got != text {
			t.Errorf("%q became %q", text, got)
		}
	})
}

// TestMissingScopeNamesWhatTheCallNeeds checks that no one is asked to add permissions that
// the token has.
func TestMissingScopeNamesWhatTheCallNeeds(t *testing.T) {
	t.Parallel()
	refuse := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		io.WriteString(w, `{"status":403,"serviceErrorCode":100,"code":"ACCESS_DENIED","message":"Not enough permissions"}`)
	})
	for _, tt := range []struct {
		organization    bool
		connect, others string // the permissions of each call
	}{{false, "openid, profile", "w_member_social"}, {true, "r_organization_social", "w_organization_social"}} {
		p, r := start(t, refuse, tt.organization)
		_, connect := p.Connect(t.Context(), publish.Connection{Credentials: r.Credentials})
		_, upload := p.Upload(t.Context(), r, publishtest.TestFile("image/png", 1))
		_, post := p.Publish(t.Context(), r)
		for call, err := range map[string]error{"connect": connect, "upload": upload, "post": post} {
			names, not := tt.others, tt.connect
			if call == "connect" {
				names, not = not, names
			}
			if e := publish.AsError(err); e.Code != "missing_scope" || !strings.Contains(e.Message, names) || strings.Contains(e.Message, not) {
				t.Errorf("organization %t, %s: %+v", tt.organization, call, e)
			}
		}
	}
}
