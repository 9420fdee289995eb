package facebook_test

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
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/scripts/cost"
)

func metaError(status, code, subcode int, message string) publishtest.Mishap {
	return publishtest.Mishap{Status: status, Body: publishtest.MetaError(code, subcode, message)}
}

// onFeed returns the mishap for requests to publish.
func onFeed(m publishtest.Mishap) func(*http.Request) publishtest.Mishap {
	return func(r *http.Request) publishtest.Mishap {
		if !strings.HasSuffix(r.URL.Path, "/feed") {
			return publishtest.Mishap{}
		}
		return m
	}
}

// TestRefusals has a case for each response that the documentation of the platform names.
// Only those with the outcome not_published say that Facebook does not have the post.
func TestRefusals(t *testing.T) {
	t.Parallel()
	const maybe, not = schedctl.OutcomeUnknown, schedctl.OutcomeNotPublished
	for name, tt := range map[string]struct {
		mishap  publishtest.Mishap
		kind    schedctl.ErrorKind
		code    string
		outcome schedctl.Outcome
	}{
		"500 code 1":                    {metaError(500, 1, 0, "An unknown error has occurred."), schedctl.KindPlatform, "1", maybe},
		"500 code 1, subcode 99":        {metaError(500, 1, 99, "An unknown error occurred"), schedctl.KindPlatform, "1/99", maybe},
		"500 code 2":                    {metaError(500, 2, 0, "An unexpected error has occurred. Please retry your request later."), schedctl.KindPlatform, "2", maybe},
		"500 code 99":                   {metaError(500, 99, 0, "unknown"), schedctl.KindPlatform, "99", maybe},
		"506 duplicate":                 {metaError(400, 506, 1455006, "Duplicate status message"), schedctl.KindDuplicate, "506/1455006", not},
		"368 blocked":                   {metaError(400, 368, 0, "The action attempted has been deemed abusive"), schedctl.KindAuth, "blocked", maybe},
		"190 of an expired token":       {metaError(401, 190, 463, "Session has expired"), schedctl.KindAuth, "token_expired", not},
		"190 of a changed password":     {metaError(401, 190, 460, "The password has been changed"), schedctl.KindAuth, "token_revoked", not},
		"190 of a removed app":          {metaError(401, 190, 458, "The user has not authorized application 17"), schedctl.KindAuth, "token_revoked", not},
		"190 of a lost role":            {metaError(401, 190, 492, "Session does not match"), schedctl.KindAuth, "token_revoked", not},
		"10 missing permission":         {metaError(403, 10, 0, "Application does not have permission for this action"), schedctl.KindAuth, "missing_scope", not},
		"200 missing permission":        {metaError(403, 200, 0, "requires pages_manage_posts"), schedctl.KindAuth, "missing_scope", not},
		"100 wrong parameter":           {metaError(400, 100, 0, "Invalid parameter"), schedctl.KindContent, "100", not},
		"9007 not ready":                {metaError(400, 9007, 0, "not ready"), schedctl.KindPlatform, "9007", not},
		"4 too many calls of the app":   {metaError(400, 4, 0, "Application request limit reached"), schedctl.KindRateLimited, "4", not},
		"17 too many calls of the user": {metaError(400, 17, 0, "User request limit reached"), schedctl.KindRateLimited, "17", not},
		"32 too many calls to the Page": {metaError(400, 32, 0, "Page request limit reached"), schedctl.KindRateLimited, "32", not},
		"613 too many calls":            {metaError(400, 613, 0, "Calls to this api have exceeded the rate limit."), schedctl.KindRateLimited, "613", not},
		"80001 too many calls":          {metaError(400, 80001, 2494055, "There have been too many calls to this Page account."), schedctl.KindRateLimited, "80001/2494055", not},
		"another code":                  {metaError(400, 1609005, 0, "The link could not be scraped"), schedctl.KindPlatform, "1609005", maybe},
		"200 without an id":             {publishtest.Mishap{Status: 200, Body: `{"success":true}`}, schedctl.KindPlatform, "", maybe},
		"400 of a proxy":                {publishtest.Mishap{Status: 400, Body: "bad request"}, schedctl.KindContent, "", maybe},
	} {
		fake := publishtest.NewFakeFacebook()
		p, r := start(t, fake)
		fake.Respond(onFeed(tt.mishap))
		receipt, err := p.Publish(t.Context(), r)
		e := publish.AsError(err)
		if e.Kind != tt.kind || e.Code != tt.code || e.Outcome != tt.outcome || e.HTTPStatus != tt.mishap.Status || receipt.ID != "" {
			t.Errorf("%s: got %+v", name, e)
		}
		if tt.outcome != maybe {
			continue
		}
		fake.Respond(nil)
		if _, found, err := p.Find(t.Context(), r, time.Now()); found || err != nil {
			t.Errorf("%s: found %v, %v", name, found, err)
		}
		tt.mishap.Accept = true // posts were online in spite of such a response
		fake.Respond(onFeed(tt.mishap))
		_, _ = p.Publish(t.Context(), r)
		fake.Respond(nil)
		if got, found, err := p.Find(t.Context(), r, time.Now()); !found || err != nil || got.ID != fake.Posts()[0].ID {
			t.Errorf("%s, published: %+v, %v, %v", name, got, found, err)
		}
	}
}

// TestWaits reads when the API can be used again, in minutes.
func TestWaits(t *testing.T) {
	t.Parallel()
	for header, value := range map[string]string{
		"X-Business-Use-Case-Usage": `{"102030405060708":[{"type":"pages","call_count":100,"total_cputime":25,"total_time":25,"estimated_time_to_regain_access":19}]}`,
		"X-App-Usage":               `{"call_count":100,"total_cputime":25,"total_time":25,"estimated_time_to_regain_access":19}`,
	} {
		fake := publishtest.NewFakeFacebook()
		p, r := start(t, fake)
		m := metaError(400, 80001, 0, "too many calls")
		m.Header = map[string]string{header: value}
		fake.Respond(onFeed(m))
		_, err := p.Publish(t.Context(), r)
		if in := time.Until(publish.AsError(err).RetryAt); in < 18*time.Minute || in > 19*time.Minute {
			t.Errorf("%s: retry in %s", header, in)
		}
	}
}

// TestDuplicateOfTheFake is not a scripted response.
func TestDuplicateOfTheFake(t *testing.T) {
	t.Parallel()
	fake := publishtest.NewFakeFacebook()
	p, r := start(t, fake)
	if _, err := p.Publish(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	_, err := p.Publish(t.Context(), r)
	if e := publish.AsError(err); e.Kind != schedctl.KindDuplicate || e.Outcome != schedctl.OutcomeNotPublished || len(fake.Posts()) != 1 {
		t.Errorf("got %v", err)
	}
}

// TestUploadsNeverPublish guards the outcome of errors before the request that publishes.
func TestUploadsNeverPublish(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		mishap publishtest.Mishap
		kind   schedctl.ErrorKind
	}{
		"100":          {metaError(400, 100, 0, "Invalid parameter"), schedctl.KindMedia},
		"324":          {metaError(400, 324, 2069019, "Missing or invalid image file"), schedctl.KindPlatform},
		"1":            {metaError(500, 1, 0, "unknown"), schedctl.KindPlatform},
		"368":          {metaError(400, 368, 0, "blocked"), schedctl.KindAuth},
		"190":          {metaError(400, 190, 0, "token"), schedctl.KindAuth},
		"32":           {metaError(400, 32, 0, "limit"), schedctl.KindRateLimited},
		"cut":          {publishtest.Mishap{Cut: true}, schedctl.KindNetwork},
		"no id":        {publishtest.Mishap{Status: 200, Body: `{}`}, schedctl.KindPlatform},
		"too large":    {metaError(400, 100, 1366046, "Photos should be less than 4 MB"), schedctl.KindMedia},
		"413 of nginx": {publishtest.Mishap{Status: 413}, schedctl.KindMedia},
	} {
		for _, mimeType := range []string{"image/png", "video/mp4"} {
			fake := publishtest.NewFakeFacebook()
			p, r := start(t, fake)
			fake.Respond(func(*http.Request) publishtest.Mishap { return tt.mishap })
			_, err := p.Upload(t.Context(), r, publishtest.TestFile(mimeType, 1))
			if e := publish.AsError(err); e.Kind != tt.kind || e.Outcome != schedctl.OutcomeNotPublished || strings.Contains(e.Message, "may have published") {
				t.Errorf("%s, %s: %+v", name, mimeType, e)
			}
		}
	}
}

// TestPhotosAreScaled guards the limit of photos, and that one which is too large all the same
// is scaled once more.
func TestPhotosAreScaled(t *testing.T) {
	t.Parallel()
	fake := publishtest.NewFakeFacebook()
	p, r := start(t, fake)
	rules := p.MediaRules(r.Account).Classes[schedctl.MediaImage]
	for size, fits := range map[int64]bool{4_000_000: true, 4_000_001: false} {
		if rules.Fits(&publish.Media{MIMEType: "image/jpeg", Size: size}) != fits {
			t.Errorf("%d bytes: fits is not %v", size, fits)
		}
	}
	fake.Respond(func(*http.Request) publishtest.Mishap {
		return metaError(400, 100, 1366046, "Photos should be less than 4 MB")
	})
	_, err := p.Upload(t.Context(), r, publishtest.TestFile("image/jpeg", 1))
	if e := publish.AsError(err); e.Kind != schedctl.KindMedia || e.Code != publish.CodeFileTooLarge || e.Outcome != schedctl.OutcomeNotPublished || !strings.Contains(e.Message, "less than 4 MB") {
		t.Errorf("%+v", e)
	}
}

// FuzzResponses tests the parsers of responses: of a post, of lists, of uploads, and of
// tokens and Pages.
func FuzzResponses(f *testing.F) {
	for _, body := range []string{
		`{"id":"102030405060708_1"}`, `{"id":17}`, `{"data":[{"id":"1_2","message":"plain","created_time":"2026-06-02T15:00:00+0000","attachments":{"data":[{"media_type":"video","target":{"id":"../x"}}]}}]}`,
		`{"data":[{"id":"x"}]}`, `{"data":[],"paging":{"next":"x","cursors":{"after":"y"}}}`, `{"upload_session_id":"1","video_id":"2","start_offset":"0","end_offset":"99999999999999999999"}`,
		`{"success":true}`, `{"data":{"type":"PAGE","is_valid":true,"profile_id":"17","scopes":null}}`, `{"data":{"is_valid":false,"error":{"code":190,"subcode":463}}}`,
		`{"id":"102030405060708","name":"\u0000\u202e","access_token":"a b"}`, `{"error":{"code":190,"error_subcode":463}}`, "null", "[]", "",
	} {
		for reader := range byte(5) {
			f.Add(reader, 200, body)
			f.Add(reader, 400, body)
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
		switch reader % 5 {
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
			_, err = p.Upload(t.Context(), r, publishtest.TestFile("video/mp4", 1))
		case 4:
			var profile publish.Profile
			profile, err = p.Connect(t.Context(), publish.Connection{Credentials: r.Credentials})
			shown = profile.Username + profile.DisplayName + profile.URL
		}
		if err != nil {
			shown = publish.AsError(err).Message
		}
		if len(shown) > 5000 || !utf8.ValidString(shown) || strings.ContainsFunc(shown, unicode.IsControl) || strings.Contains(shown, publishtest.FacebookPageToken) {
			t.Errorf("reader %d: %q", reader%5, shown)
		}
	})
}
