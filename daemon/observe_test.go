package daemon_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// The metrics of a working daemon have valid Prometheus names, and the number of series
// does not grow with client requests.
func TestMetrics(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	var account apiv1.AccountEnvelope
	r.do("POST", "/api/v1/social-accounts", `{"platform":"feed","name":"blog"}`, &account)
	r.publishes(account.SocialAccount.ID)
	var post apiv1.PostEnvelope
	r.do("POST", "/api/v1/posts", `{"content":"later","social_account_ids":["`+account.SocialAccount.ID+`"],"publish_at":"2099-01-01T00:00:00Z"}`, &post)
	r.do("GET", "/api/v1/posts/"+post.Post.ID, "", nil)
	r.do("GET", "/there/is/nothing/here", "", nil)
	status, text := r.do("GET", "/metrics", "", nil)
	if status != http.StatusOK {
		t.Fatalf("%d %s", status, text)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	if _, err := parser.TextToMetricFamilies(strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	problems, err := promlint.New(strings.NewReader(text)).Lint()
	problems = slices.DeleteFunc(problems, func(p promlint.Problem) bool { return !strings.HasPrefix(p.Metric, "schedctl_") })
	if err != nil || len(problems) > 0 {
		t.Errorf("%v: %+v", err, problems)
	}
	for _, want := range []string{
		`schedctl_publish_attempts_total{kind="none",outcome="published",platform="feed"} 1`,
		`schedctl_publish_lateness_seconds_count 1`,
		`schedctl_due_targets 1`,
		`schedctl_overdue_targets 0`,
		`schedctl_webhook_backlog 0`,
		`schedctl_due_sweeps 0`,
		`schedctl_accounts{platform="feed",status="connected"} 1`,
		`schedctl_http_requests_total{method="GET",route="/api/v1/posts/{id}",status="2xx"}`,
		`schedctl_http_requests_total{method="GET",route="unknown",status="4xx"} 1`,
		`schedctl_build_info{goversion=`,
		`process_open_fds`,
	} {
		if !strings.Contains(text, "\n"+want) {
			t.Errorf("there is no %s", want)
		}
	}
	if !regexp.MustCompile(`\nschedctl_store_commit_seconds_count [1-9]`).MatchString(text) {
		t.Error("no commit is counted")
	}
	for _, id := range []string{post.Post.ID, account.SocialAccount.ID, "nothing/here"} {
		if strings.Contains(text, id) {
			t.Errorf("the metrics hold %s", id)
		}
	}
	if status, _ := r.do("POST", "/metrics", "", nil); status != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", status)
	}
	r.end()
}

// The request id of an error response leads to the cause in the log.
func TestFailuresAreLoggedWithTheirRequest(t *testing.T) {
	t.Parallel()
	var store *storagetest.Faulty
	log := new(safeBuffer)
	r := start(t, func(c *daemon.Config) {
		store = storagetest.NewFaulty(c.Store)
		c.Store = store
		c.Logger = slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	store.FailUpdates(1, storagetest.BeforeDisk)
	var refused apiv1.ErrorEnvelope
	if status, body := r.do("POST", "/api/v1/posts", `{"content":"x"}`, &refused); status != http.StatusServiceUnavailable {
		t.Fatalf("%d %s", status, body)
	}
	r.end()
	found := map[string]string{} // level by message
	for line := range strings.Lines(log.String()) {
		var entry struct {
			Time                       time.Time
			Level, Msg, Request, Error string
			Status                     int
			Route                      string
		}
		if err := json.Unmarshal([]byte(line), &entry); err != nil || entry.Time.IsZero() {
			t.Fatalf("%s: %v", line, err)
		}
		if entry.Request == refused.Error.RequestID {
			found[entry.Msg] = entry.Level
			if entry.Msg == "request failed" && !strings.Contains(entry.Error, storagetest.ErrInjected.Error()) {
				t.Errorf("the reason is missing: %s", line)
			}
			if entry.Route != "POST /api/v1/posts" {
				t.Errorf("route %q", entry.Route)
			}
		}
	}
	if found["request failed"] != "WARN" || found["request"] != "DEBUG" {
		t.Errorf("of %s the log has %v:\n%s", refused.Error.RequestID, found, log)
	}
}

// readOnly is a store whose disk refuses every write.
type readOnly struct{ *lasting }

func (readOnly) Update(context.Context, func(storage.Tx) error) error {
	return errors.New("commit to /a/secret/path: no space left on device")
}

func TestNotReadyWhileTheDiskRefusesWrites(t *testing.T) {
	t.Parallel()
	store, dir := newLasting(), t.TempDir()
	start(t, func(c *daemon.Config) { c.Store, c.DataDir = store, dir }).end()
	r := launch(t, func(c *daemon.Config) { c.Store, c.DataDir = readOnly{store}, dir })
	r.await("the refusal", func() bool {
		status, body := r.do("GET", "/readyz", "", nil)
		if strings.Contains(body, "secret/path") {
			t.Errorf("the response shows the cause: %s", body)
		}
		return status == http.StatusServiceUnavailable && strings.Contains(body, "the disk refuses writes; see the log of the daemon for the cause")
	})
	if !strings.Contains(r.log.String(), "no space left on device") {
		t.Errorf("the log does not say why:\n%s", r.log)
	}
	if status, _ := r.do("GET", "/healthz", "", nil); status != http.StatusOK {
		t.Errorf("/healthz: %d, but a restart would not help", status)
	}
	if status, _ := r.do("GET", "/api/v1/posts", "", nil); status != http.StatusOK {
		t.Errorf("reading: %d", status)
	}
	r.end()
}
