package meta_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/meta"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

func TestRefusals(t *testing.T) {
	t.Parallel()
	const unknown, not = schedctl.OutcomeUnknown, schedctl.OutcomeNotPublished
	for name, tt := range map[string]struct {
		status  int
		body    string
		kind    schedctl.ErrorKind
		code    string
		outcome schedctl.Outcome
	}{
		"190 with 463":           {400, `{"error":{"code":190,"error_subcode":463}}`, schedctl.KindAuth, "token_expired", not},
		"190 with 460":           {400, `{"error":{"code":190,"error_subcode":460}}`, schedctl.KindAuth, "token_revoked", not},
		"190":                    {401, `{"error":{"code":190}}`, schedctl.KindAuth, "token_revoked", not},
		"10":                     {403, `{"error":{"code":10}}`, schedctl.KindAuth, "missing_scope", not},
		"200":                    {403, `{"error":{"code":200}}`, schedctl.KindAuth, "missing_scope", not},
		"368":                    {400, `{"error":{"code":368}}`, schedctl.KindAuth, "blocked", not},
		"4":                      {400, `{"error":{"code":4}}`, schedctl.KindRateLimited, "4", not},
		"17":                     {400, `{"error":{"code":17}}`, schedctl.KindRateLimited, "17", not},
		"32":                     {400, `{"error":{"code":32}}`, schedctl.KindRateLimited, "32", not},
		"613":                    {400, `{"error":{"code":613}}`, schedctl.KindRateLimited, "613", not},
		"80001":                  {400, `{"error":{"code":80001}}`, schedctl.KindRateLimited, "80001", not},
		"429":                    {429, ``, schedctl.KindRateLimited, "", not},
		"100":                    {400, `{"error":{"code":100,"error_subcode":33}}`, schedctl.KindContent, "100/33", not},
		"506":                    {400, `{"error":{"code":506}}`, schedctl.KindDuplicate, "506", not},
		"9007 with 2207027":      {400, `{"error":{"code":9007,"error_subcode":2207027}}`, schedctl.KindPlatform, "9007/2207027", not},
		"401 without a code":     {401, ``, schedctl.KindAuth, "", unknown},
		"1":                      {500, `{"error":{"code":1}}`, schedctl.KindPlatform, "1", unknown},
		"2":                      {500, `{"error":{"code":2,"is_transient":true}}`, schedctl.KindPlatform, "2", unknown},
		"99":                     {500, `{"error":{"code":99}}`, schedctl.KindPlatform, "99", unknown},
		"another code with 400":  {400, `{"error":{"code":368000}}`, schedctl.KindPlatform, "368000", unknown},
		"400 without a code":     {400, `{}`, schedctl.KindContent, "", unknown},
		"a page of a web server": {502, `<html>`, schedctl.KindPlatform, "", unknown},
		"a code that is a text":  {400, `{"error":{"code":"190"}}`, schedctl.KindContent, "", unknown},
	} {
		e := meta.API{Platform: "Threads", Token: "the-secret-token"}.Refusal(outbound.Response{Status: tt.status, Body: []byte(tt.body)}, publish.PurposePublish, time.Now())
		if e.Kind != tt.kind || e.Code != tt.code || e.Outcome != tt.outcome || e.HTTPStatus != tt.status {
			t.Errorf("%s: %+v", name, e)
		}
	}
	body := `{"error":{"message":"token the-secret-token is invalid, and so is: text of the post","code":100}}`
	e := meta.API{Token: "the-secret-token"}.Refusal(outbound.Response{Status: 400, Body: []byte(body)}, publish.PurposePublish, time.Now(), "text of the post")
	if strings.Contains(e.Message, "secret") || strings.Contains(e.Message, "text of") {
		t.Errorf("%q", e.Message)
	}
}

// TestForbiddenWithACode checks that a 403 with a code of no list does not refuse the account,
// and that only of a request that publishes the outcome is unknown.
func TestForbiddenWithACode(t *testing.T) {
	t.Parallel()
	response := outbound.Response{Status: 403, Body: []byte(`{"error":{"code":3,"message":"the words"}}`)}
	for _, purpose := range publish.Purposes() {
		e := meta.API{Platform: "Threads"}.Refusal(response, purpose, time.Now())
		want, code, outcome := schedctl.KindPlatform, "3", schedctl.OutcomeNotPublished
		switch purpose {
		case publish.PurposeIdentity:
			want = schedctl.KindAuth
		case publish.PurposeFile:
			want = schedctl.KindMedia
		case publish.PurposeStatus:
			code = publish.CodeNotKnown
		case publish.PurposeLookup:
			code = publish.CodeCannotAsk
		case publish.PurposeResults:
			want = schedctl.KindContent
		default:
			outcome = schedctl.OutcomeUnknown
		}
		if e.Kind != want || e.Code != code || e.Outcome != outcome || !strings.HasSuffix(e.Message, ": the words") {
			t.Errorf("%s: %+v", purpose, e)
		}
	}
	for code, kind := range map[string]schedctl.ErrorKind{"4": schedctl.KindRateLimited, "100": schedctl.KindContent, "506": schedctl.KindDuplicate, "9007": schedctl.KindPlatform} {
		e := meta.API{Platform: "Threads"}.Refusal(outbound.Response{Status: 403, Body: []byte(`{"error":{"code":` + code + `}}`)}, publish.PurposeStatus, time.Now())
		if e.Kind != kind || e.Code != code || e.Outcome != schedctl.OutcomeNotPublished {
			t.Errorf("%s: %+v", code, e)
		}
	}
}

func TestRetryAt(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 6, 2, 15, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		header, value string
		want          time.Duration
	}{
		"the longest of the cases of a business": {"X-Business-Use-Case-Usage", `{"17":[{"type":"pages","estimated_time_to_regain_access":3},{"estimated_time_to_regain_access":12}]}`, 12 * time.Minute},
		"the app":                                {"X-App-Usage", `{"call_count":100,"estimated_time_to_regain_access":7}`, 7 * time.Minute},
		"no estimate":                            {"X-App-Usage", `{"call_count":100}`, 0},
		"Retry-After":                            {"Retry-After", "90", 90 * time.Second},
		"not JSON":                               {"X-Business-Use-Case-Usage", `soon`, 0},
		"a year":                                 {"X-Business-Use-Case-Usage", `{"17":[{"estimated_time_to_regain_access":525600}]}`, 30 * 24 * time.Hour},
	} {
		got := meta.RetryAt(outbound.Response{Header: http.Header{tt.header: {tt.value}}}, now)
		if want := now.Add(tt.want); tt.want == 0 && !got.IsZero() || tt.want > 0 && !got.Equal(want) {
			t.Errorf("%s: %s", name, got)
		}
	}
}
