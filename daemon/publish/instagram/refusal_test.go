package instagram_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// TestRefusals gives the request to publish each error. The same error of a request that
// only stages is always not_published.
func TestRefusals(t *testing.T) {
	t.Parallel()
	const unknown, not = schedctl.OutcomeUnknown, schedctl.OutcomeNotPublished
	for _, tt := range []struct {
		name          string
		status        int
		code, subcode int
		kind          schedctl.ErrorKind
		want          string // the code of the error
		outcome       schedctl.Outcome
		wait          time.Duration
	}{
		{"media not ready", 400, 9007, 2207027, schedctl.KindPlatform, "9007/2207027", not, 0},
		{"restricted, the post may be out", 400, 4, 2207051, schedctl.KindRateLimited, "4/2207051", unknown, time.Hour},
		{"daily limit", 400, 9, 2207042, schedctl.KindRateLimited, "9/2207042", not, time.Hour},
		{"token expired", 400, 190, 463, schedctl.KindAuth, "token_expired", not, 0},
		{"token revoked", 400, 190, 460, schedctl.KindAuth, "token_revoked", not, 0},
		{"missing scope", 400, 10, 0, schedctl.KindAuth, "missing_scope", not, 0},
		{"missing permission", 403, 200, 0, schedctl.KindAuth, "missing_scope", not, 0},
		{"app limit", 400, 4, 0, schedctl.KindRateLimited, "4", not, 7 * time.Minute},
		{"user limit", 400, 17, 0, schedctl.KindRateLimited, "17", not, 7 * time.Minute},
		{"page limit", 400, 32, 0, schedctl.KindRateLimited, "32", not, 7 * time.Minute},
		{"custom limit", 400, 613, 0, schedctl.KindRateLimited, "613", not, 7 * time.Minute},
		{"business limit", 400, 80002, 0, schedctl.KindRateLimited, "80002", not, 7 * time.Minute},
		{"restricted account", 400, 25, 2207050, schedctl.KindAuth, "blocked", not, 0},
		{"blocked", 400, 368, 0, schedctl.KindAuth, "blocked", not, 0},
		{"container is gone", 400, 100, 33, schedctl.KindPlatform, publish.CodeStageLost, not, 0},
		{"temporary error of a container", 400, 24, 2207008, schedctl.KindPlatform, "24/2207008", unknown, 0},
		{"file not found", 400, 24, 2207006, schedctl.KindPlatform, "24/2207006", unknown, 0},
		{"file not fetched", 400, 9004, 2207052, schedctl.KindPlatform, "9004/2207052", unknown, 0},
		{"file not fetched in time", 400, -2, 2207003, schedctl.KindPlatform, "-2/2207003", unknown, 0},
		{"server error", 400, -1, 2207001, schedctl.KindPlatform, "-1/2207001", unknown, 0},
		{"video format", 400, 352, 2207026, schedctl.KindMedia, "352/2207026", unknown, 0},
		{"picture size", 400, 36000, 2207004, schedctl.KindMedia, "36000/2207004", unknown, 0},
		{"picture format", 400, 36001, 2207005, schedctl.KindMedia, "36001/2207005", unknown, 0},
		{"picture shape", 400, 36003, 2207009, schedctl.KindMedia, "36003/2207009", unknown, 0},
		{"caption", 400, 36004, 2207010, schedctl.KindContent, "36004/2207010", unknown, 0},
		{"unknown error", 500, 1, 0, schedctl.KindPlatform, "1", unknown, 0},
		{"internal error", 500, 2, 0, schedctl.KindPlatform, "2", unknown, 0},
		{"unknown code", 400, 77, 0, schedctl.KindPlatform, "77", unknown, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, r := start(t, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				req.ParseForm()
				if tt.wait == 7*time.Minute {
					w.Header().Set("X-Business-Use-Case-Usage", `{"17":[{"type":"instagram","estimated_time_to_regain_access":7}]}`)
				}
				w.WriteHeader(tt.status)
				w.Write([]byte(publishtest.MetaError(tt.code, tt.subcode, "refused: "+text+image.AltText+"instagram-token")))
			}))
			r.Stage, r.Attempt = "18000000000001", 1
			_, err := p.Publish(t.Context(), r)
			e := publish.AsError(err)
			if e.Kind != tt.kind || e.Code != tt.want || e.Outcome != tt.outcome || e.HTTPStatus != tt.status {
				t.Errorf("error %+v", e)
			}
			if left := time.Until(e.RetryAt); tt.wait == 0 != e.RetryAt.IsZero() || tt.wait > 0 && (left > tt.wait || left < tt.wait-time.Minute) {
				t.Errorf("retry in %s", left)
			}
			r.Stage, r.Attempt = "", 0
			_, staging := p.Stage(t.Context(), r)
			if s := publish.AsError(staging); staging == nil || s.Outcome != not {
				t.Errorf("staging: %+v", s)
			}
			for _, err := range []error{err, staging} {
				if m := err.Error(); strings.Contains(m, "instagram-token") || strings.Contains(m, text) || strings.Contains(m, image.AltText) {
					t.Errorf("the error says too much: %s", m)
				}
			}
		})
	}
}

// TestStagingNeverPublishes guards the outcome of errors before the request that publishes.
func TestStagingNeverPublishes(t *testing.T) {
	t.Parallel()
	for name, handler := range map[string]http.HandlerFunc{
		"500":     func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) },
		"dropped": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"no id":   func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(`{}`)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, r := start(t, handler)
			_, err := p.Stage(t.Context(), r)
			_, err2 := p.Staged(t.Context(), r, publish.Stage{ID: "18000000000001"})
			_, err3 := p.Staged(t.Context(), r, publish.Stage{ID: "items:18000000000001,18000000000002"})
			for _, err := range []error{err, err2, err3} {
				e := publish.AsError(err)
				if err == nil || e.Outcome != schedctl.OutcomeNotPublished || strings.Contains(e.Error(), "instagram-token") || strings.Contains(e.Error(), text) {
					t.Errorf("error %+v", e)
				}
			}
		})
	}
}

// TestUnclearResponses gives the request to publish responses that say nothing.
func TestUnclearResponses(t *testing.T) {
	t.Parallel()
	for name, handler := range map[string]http.HandlerFunc{
		"dropped":       func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"no id":         func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(`{}`)) },
		"a web page":    func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(502); w.Write([]byte("<html>")) },
		"400, no error": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(400) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, r := start(t, handler)
			r.Stage, r.Attempt = "18000000000001", 1
			_, err := p.Publish(t.Context(), r)
			if e := publish.AsError(err); err == nil || e.Outcome != schedctl.OutcomeUnknown {
				t.Errorf("error %+v", e)
			}
		})
	}
}

// TestForbiddenContainer checks that a 403 with a code of no list refuses the post if it
// refuses its container.
func TestForbiddenContainer(t *testing.T) {
	t.Parallel()
	p, r := start(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		w.Write([]byte(publishtest.MetaError(3, 0, "(#3) Application does not have the capability to make this API call.")))
	}))
	_, err := p.Stage(t.Context(), r)
	if e := publish.AsError(err); e.Kind != schedctl.KindContent || e.Code != "3" || e.Outcome != schedctl.OutcomeNotPublished || strings.Contains(e.Message, "anyway") || !strings.Contains(e.Message, "capability") {
		t.Errorf("the container: %+v", e)
	}
	_, err = p.Staged(t.Context(), r, publish.Stage{ID: "18000000000001"})
	if e := publish.AsError(err); e.Code != publish.CodeNotKnown {
		t.Errorf("its status: %+v", e)
	}
	r.Stage = "18000000000001"
	_, err = p.Publish(t.Context(), r)
	if e := publish.AsError(err); e.Kind != schedctl.KindPlatform || e.Outcome != schedctl.OutcomeUnknown {
		t.Errorf("the post: %+v", e)
	}
}
