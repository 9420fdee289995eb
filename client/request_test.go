package client_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

// These run in a bubble: the pauses between tries take no time.
func TestWritesAreRepeatedWhereThatIsSafe(t *testing.T) {
	t.Parallel()
	created := ok(apiv1.PostEnvelope{Post: apiv1.Post{ID: "post_1"}})
	reset := answer{err: io.ErrUnexpectedEOF}
	busy := refusal(http.StatusConflict, "IDEMPOTENCY_IN_PROGRESS", map[string]string{"Retry-After": "1"})
	for name, tc := range map[string]struct {
		answers  []answer
		tries    int
		ok       bool
		atLeast  time.Duration
		lessThan time.Duration
	}{
		"at once":                         {[]answer{created}, 1, true, 0, time.Millisecond},
		"connection lost twice":           {[]answer{reset, reset, created}, 3, true, 300 * time.Millisecond, time.Second},
		"connection lost for good":        {[]answer{reset}, 4, false, 700 * time.Millisecond, 2 * time.Second},
		"busy with the same request":      {[]answer{busy, created}, 2, true, time.Second, 2 * time.Second},
		"unavailable for a second":        {[]answer{refusal(503, "UNAVAILABLE", map[string]string{"Retry-After": "1"}), created}, 2, true, time.Second, 2 * time.Second},
		"unavailable for a minute":        {[]answer{refusal(503, "UNAVAILABLE", map[string]string{"Retry-After": "60"}), created}, 1, false, 0, time.Millisecond},
		"unavailable without a time":      {[]answer{refusal(503, "UNAVAILABLE", nil), created}, 1, false, 0, time.Millisecond},
		"another conflict":                {[]answer{refusal(409, "POST_NOT_DRAFT", map[string]string{"Retry-After": "1"}), created}, 1, false, 0, time.Millisecond},
		"rate limited for a second":       {[]answer{limited(1), created}, 2, true, time.Second, 2 * time.Second},
		"rate limited again and again":    {[]answer{limited(1), limited(1), limited(1), limited(1), created}, 5, true, 4 * time.Second, 5 * time.Second},
		"rate limited for a minute":       {[]answer{limited(60), created}, 1, false, 0, time.Millisecond},
		"rate limited for ever":           {[]answer{limited(1)}, 6, false, 5 * time.Second, 6 * time.Second},
		"rate limited without a time":     {[]answer{refusal(429, "RATE_LIMITED", nil), created}, 1, false, 0, time.Millisecond},
		"an internal error":               {[]answer{refusal(500, "INTERNAL", nil), created}, 1, false, 0, time.Millisecond},
		"a refusal after a lost response": {[]answer{reset, refusal(400, "VALIDATION_FAILED", nil), created}, 2, false, 100 * time.Millisecond, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := &fake{answers: tc.answers}
				c := newClient(t, client.Config{URL: "http://daemon.example", Transport: f, Timeout: 6 * time.Second})
				start := time.Now()
				post, err := c.CreatePost(t.Context(), apiv1.CreatePost{Content: "Hello"})
				if (err == nil) != tc.ok || (post.ID == "post_1") != tc.ok {
					t.Errorf("got %q and %v", post.ID, err)
				}
				if took := time.Since(start); took < tc.atLeast || took >= tc.lessThan {
					t.Errorf("took %v, want from %v to %v", took, tc.atLeast, tc.lessThan)
				}
				checkTries(t, f.seen(), tc.tries)
			})
		})
	}
}

// A caller that may wait for longer says so, and learns of each wait.
func TestWaitsAreReported(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var started, ended []time.Duration
		start := time.Now()
		waiting := func(refused *client.Error, pause time.Duration) func() {
			if refused.API.Code != schedctl.RateLimited || pause < 15*time.Second {
				t.Errorf("waiting was called with %v after %v", refused, pause)
			}
			started = append(started, time.Since(start).Truncate(time.Second))
			return func() { ended = append(ended, time.Since(start).Truncate(time.Second)) }
		}
		f := &fake{answers: []answer{limited(20), refusal(429, "RATE_LIMITED", map[string]string{"Retry-After": start.Add(40 * time.Second).UTC().Format(http.TimeFormat)}), limited(30)}}
		c := newClient(t, client.Config{URL: "http://daemon.example", Transport: f, MaxWait: time.Minute, Waiting: waiting})
		if _, err := c.Me(t.Context()); schedctl.CodeOf(err) != schedctl.RateLimited {
			t.Errorf("got %v, want the refusal", err)
		}
		if n := len(f.seen()); n != 3 {
			t.Errorf("%d tries, want 3: the third wait would outlast the timeout", n)
		}
		want := []time.Duration{0, 20 * time.Second}
		if diff := cmp.Diff(want, started); diff != "" {
			t.Errorf("starts of waits, -want +got:\n%s", diff)
		}
		if diff := cmp.Diff([]time.Duration{20 * time.Second, 40 * time.Second}, ended); diff != "" {
			t.Errorf("waits ended, -want +got:\n%s", diff)
		}
	})
}

// Every try must be the same request, or the daemon cannot know it again.
func checkTries(t *testing.T, seen []recorded, want int) {
	t.Helper()
	if len(seen) != want {
		t.Fatalf("%d tries, want %d", len(seen), want)
	}
	key := seen[0].Header.Get("Idempotency-Key")
	if key == "" {
		t.Error("no idempotency key")
	}
	for _, r := range seen {
		if r.Body != `{"content":"Hello"}` || r.Header.Get("Idempotency-Key") != key {
			t.Errorf("a try differs: %q with key %q", r.Body, r.Header.Get("Idempotency-Key"))
		}
	}
}

func TestEveryWriteHasAKeyOfItsOwn(t *testing.T) {
	t.Parallel()
	f, c := serve(t, ok(apiv1.PostEnvelope{}))
	for range 2 {
		if _, err := c.CancelPost(t.Context(), "post_1"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.CancelPost(t.Context(), "post_1", client.IdempotencyKey("mine"), client.IfVersion(7)); err != nil {
		t.Fatal(err)
	}
	seen := f.seen()
	first, second := seen[0].Header.Get("Idempotency-Key"), seen[1].Header.Get("Idempotency-Key")
	if first == "" || first == second {
		t.Errorf("keys %q and %q, want two", first, second)
	}
	if got := seen[2].Header.Get("Idempotency-Key"); got != "mine" {
		t.Errorf("key %q, want the one given", got)
	}
	if got := seen[2].Header.Get("If-Match"); got != `"7"` {
		t.Errorf("If-Match is %s", got)
	}
}

func TestStoredAnswersAreTold(t *testing.T) {
	t.Parallel()
	for _, want := range []bool{true, false} {
		a := ok(apiv1.PostEnvelope{})
		if want {
			a.header = map[string]string{"Idempotent-Replayed": "true"}
		}
		_, c := serve(t, a)
		replayed := !want
		if _, err := c.CreatePost(t.Context(), apiv1.CreatePost{}, client.Replayed(&replayed)); err != nil || replayed != want {
			t.Errorf("waiting was called with %v, want %v: %v", replayed, want, err)
		}
	}
}

func TestCallsEndWithTheirContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fake{answers: []answer{{err: io.ErrUnexpectedEOF}}}
		c := newClient(t, client.Config{URL: "http://daemon.example", Transport: f})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(50*time.Millisecond, cancel) // during the first pause
		if _, err := c.Me(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want context.Canceled", err)
		}
		if n := len(f.seen()); n != 1 {
			t.Errorf("%d tries, want 1", n)
		}
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestTimeoutBoundsTheWholeCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hang := roundTripper(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		c := newClient(t, client.Config{URL: "http://daemon.example", Transport: hang, Timeout: 5 * time.Second})
		start := time.Now()
		_, err := c.Me(t.Context())
		var unreachable *client.UnreachableError
		if !errors.As(err, &unreachable) || !strings.Contains(err.Error(), "did not respond in time") {
			t.Errorf("got %v", err)
		}
		if took := time.Since(start); took != 5*time.Second {
			t.Errorf("took %v, want 5s", took)
		}
	})
}

// A daemon that never responds does not block a client forever.
func TestEveryCallHasATimeout(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]func(context.Context, *client.Client) error{
		"read": func(ctx context.Context, c *client.Client) error {
			_, err := c.Posts(ctx, client.PostQuery{})
			return err
		},
		"write": func(ctx context.Context, c *client.Client) error { return c.DeletePost(ctx, "post_1") },
		"raw": func(ctx context.Context, c *client.Client) error {
			_, err := c.Raw(ctx, "POST", "/posts", nil)
			return err
		},
		"backup": func(ctx context.Context, c *client.Client) error { _, err := c.Backup(ctx, io.Discard); return err },
		"events": func(ctx context.Context, c *client.Client) error {
			for _, err := range c.Events(ctx, "") {
				return err
			}
			return nil
		},
		"one event stream": func(ctx context.Context, c *client.Client) error {
			return c.EventStream(ctx, "", func(string) {}, func(apiv1.Event) {})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := newClient(t, client.Config{URL: "http://daemon.example", Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
					<-r.Context().Done()
					return nil, r.Context().Err()
				})})
				start := time.Now()
				var unreachable *client.UnreachableError
				if err := call(t.Context(), c); !errors.As(err, &unreachable) || time.Since(start) > client.DefaultTimeout {
					t.Errorf("after %v: %v", time.Since(start), err)
				}
			})
		})
	}
}

// What --debug shows must not hold the key nor what was posted.
func TestLogTellsNoSecret(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	f := &fake{answers: []answer{{err: io.ErrUnexpectedEOF}, ok(apiv1.AccountEnvelope{})}}
	c := newClient(t, client.Config{
		URL: "http://daemon.example", Key: secret, Transport: f,
		Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	_, err := c.AddAccount(t.Context(), apiv1.AddAccount{Platform: "mastodon", Credentials: map[string]string{"access_token": "hunter2"}})
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(log.String(), "\n"); n != 2 {
		t.Errorf("%d log lines, want one a try:\n%s", n, &log)
	}
	for _, s := range []string{secret, "hunter2"} {
		if strings.Contains(log.String(), s) {
			t.Errorf("the log holds %q:\n%s", s, &log)
		}
	}
}
