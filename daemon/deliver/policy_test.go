package deliver

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

func TestPolicy(t *testing.T) {
	t.Parallel()
	const (
		no    = schedctl.OutcomeNotPublished
		maybe = schedctl.OutcomeUnknown
	)
	now := time.Date(2026, 12, 8, 9, 0, 0, 0, time.UTC)
	in := func(d time.Duration) time.Time { return now.Add(d) }
	type want struct {
		AskIn, Retry, Pause time.Duration // from now; Retry -1 for none
		Attempt, Target     schedctl.Outcome
		Retryable, Refused  bool
	}
	for _, test := range []struct {
		name    string
		kind    schedctl.ErrorKind
		outcome schedctl.Outcome
		retryAt time.Time
		facts   facts
		want    want
	}{
		{"network, first try", schedctl.KindNetwork, no, time.Time{}, facts{tries: 1}, want{Retry: 10 * time.Second, Attempt: no, Target: no, Retryable: true}},
		{"network, second try", schedctl.KindNetwork, no, time.Time{}, facts{tries: 2}, want{Retry: 80 * time.Second, Attempt: no, Target: no, Retryable: true}},
		{"platform, fourth try", schedctl.KindPlatform, no, time.Time{}, facts{tries: 4}, want{Retry: 5120 * time.Second, Attempt: no, Target: no, Retryable: true}},
		{"network, last try", schedctl.KindNetwork, no, time.Time{}, facts{tries: 5}, want{Retry: -1, Attempt: no, Target: no, Retryable: true}},
		{"network, latest", schedctl.KindNetwork, no, time.Time{}, facts{tries: 1, spread: 1}, want{Retry: 12 * time.Second, Attempt: no, Target: no, Retryable: true}},
		{"network, earliest", schedctl.KindNetwork, no, time.Time{}, facts{tries: 1, spread: -1}, want{Retry: 8 * time.Second, Attempt: no, Target: no, Retryable: true}},
		{"platform says when", schedctl.KindPlatform, no, in(time.Hour), facts{tries: 1}, want{Retry: time.Hour, Attempt: no, Target: no, Retryable: true}},
		{"rate limit says when", schedctl.KindRateLimited, no, in(time.Hour), facts{tries: 1}, want{Retry: time.Hour, Pause: time.Hour, Attempt: no, Target: no, Retryable: true}},
		{"rate limit says when, last try", schedctl.KindRateLimited, no, in(time.Hour), facts{tries: 5}, want{Retry: -1, Pause: time.Hour, Attempt: no, Target: no, Retryable: true}},
		{"rate limit says next year", schedctl.KindRateLimited, no, in(400 * 24 * time.Hour), facts{tries: 1}, want{Retry: 24 * time.Hour, Pause: 24 * time.Hour, Attempt: no, Target: no, Retryable: true}},
		{"platform says yesterday", schedctl.KindPlatform, no, in(-24 * time.Hour), facts{tries: 1}, want{Retry: 0, Attempt: no, Target: no, Retryable: true}},
		{"rate limit says nothing", schedctl.KindRateLimited, no, time.Time{}, facts{tries: 1}, want{Retry: 10 * time.Second, Attempt: no, Target: no, Retryable: true}},
		{"auth", schedctl.KindAuth, no, time.Time{}, facts{tries: 9, lateSince: in(-time.Hour)}, want{Retry: -time.Hour, Attempt: no, Target: no, Retryable: true, Refused: true}},
		{"content", schedctl.KindContent, no, time.Time{}, facts{tries: 1}, want{Retry: -1, Attempt: no, Target: no}},
		{"content says when", schedctl.KindContent, no, in(time.Hour), facts{tries: 1}, want{Retry: -1, Attempt: no, Target: no}},
		{"media", schedctl.KindMedia, no, time.Time{}, facts{tries: 1}, want{Retry: -1, Attempt: no, Target: no}},
		{"duplicate", schedctl.KindDuplicate, no, time.Time{}, facts{tries: 1}, want{Retry: -1, Attempt: no, Target: no}},

		{"unknown outcome", schedctl.KindNetwork, maybe, time.Time{}, facts{tries: 1}, want{Retry: -1, Attempt: maybe, Target: maybe}},
		{"no outcome given", schedctl.KindNetwork, "", time.Time{}, facts{tries: 1}, want{Retry: -1, Attempt: maybe, Target: maybe}},
		{"unknown outcome of a refusal", schedctl.KindAuth, maybe, time.Time{}, facts{tries: 1}, want{Retry: -1, Attempt: maybe, Target: maybe}},
		{"unknown outcome, network says when", schedctl.KindPlatform, maybe, in(time.Hour), facts{tries: 1}, want{Retry: -1, Attempt: maybe, Target: maybe}},
		{"unknown outcome, repeatable", schedctl.KindNetwork, maybe, time.Time{}, facts{tries: 2, repeatable: true}, want{Retry: 80 * time.Second, Attempt: maybe, Target: maybe, Retryable: true}},
		{"unknown outcome, repeatable, last try", schedctl.KindNetwork, maybe, time.Time{}, facts{tries: 5, repeatable: true}, want{Retry: -1, Attempt: maybe, Target: maybe}},
		{"unknown kind, repeatable", schedctl.KindUnknown, maybe, time.Time{}, facts{tries: 1, repeatable: true}, want{Retry: 10 * time.Second, Attempt: maybe, Target: maybe, Retryable: true}},
		{"interrupted, repeatable", schedctl.KindUnknown, maybe, time.Time{}, facts{tries: 1, repeatable: true, elapsed: true}, want{Retry: 0, Attempt: maybe, Target: maybe, Retryable: true}},
		{"content, may be published, repeatable", schedctl.KindContent, maybe, time.Time{}, facts{tries: 1, repeatable: true}, want{Retry: -1, Attempt: maybe, Target: maybe}},
		{"unknown outcome, can be asked", schedctl.KindNetwork, maybe, time.Time{}, facts{tries: 1, findable: true}, want{AskIn: time.Minute}},
		{"unknown outcome, both", schedctl.KindNetwork, maybe, time.Time{}, facts{tries: 1, findable: true, repeatable: true}, want{Retry: 10 * time.Second, Attempt: maybe, Target: maybe, Retryable: true}},
		{"unknown outcome, never asked early", schedctl.KindNetwork, maybe, time.Time{}, facts{tries: 1, findable: true, spread: -1}, want{AskIn: time.Minute}},
		{"asked in vain", schedctl.KindNetwork, maybe, time.Time{}, facts{tries: 1, findable: true, asks: 1}, want{AskIn: 10 * time.Second}},
		{"asked in vain four times", schedctl.KindNetwork, maybe, time.Time{}, facts{tries: 1, findable: true, asks: 4}, want{AskIn: 80 * time.Second}},
		{"could not be asked", schedctl.KindNetwork, maybe, time.Time{}, facts{tries: 1, findable: true, asks: 1, down: true}, want{AskIn: 10 * time.Second}},
		{"could not be asked four times", schedctl.KindNetwork, maybe, time.Time{}, facts{tries: 1, findable: true, asks: 4, down: true}, want{AskIn: 5120 * time.Second}},
		{"could not be asked, network says when", schedctl.KindNetwork, maybe, time.Time{}, facts{tries: 1, findable: true, asks: 1, askAt: in(time.Hour), down: true}, want{AskIn: time.Hour}},
		{"asked in vain, network says when", schedctl.KindNetwork, maybe, time.Time{}, facts{tries: 1, findable: true, asks: 1, askAt: in(time.Hour)}, want{AskIn: time.Hour}},
		{"asked in vain, network says soon", schedctl.KindNetwork, maybe, time.Time{}, facts{tries: 1, findable: true, asks: 1, askAt: in(time.Second)}, want{AskIn: 10 * time.Second}},
		{"asked in vain, network says next year", schedctl.KindNetwork, maybe, time.Time{}, facts{tries: 1, findable: true, asks: 1, askAt: in(400 * 24 * time.Hour)}, want{AskIn: 24 * time.Hour}},
		{"asked in vain for the last time", schedctl.KindNetwork, maybe, time.Time{}, facts{tries: 1, findable: true, asks: 5}, want{Retry: -1, Attempt: maybe, Target: maybe}},
		{"asked, absent", schedctl.KindNetwork, maybe, time.Time{}, facts{tries: 1, findable: true, asks: 1, absent: true, elapsed: true}, want{Retry: 0, Attempt: no, Target: no, Retryable: true}},
		{"asked, absent, last try", schedctl.KindNetwork, maybe, time.Time{}, facts{tries: 5, findable: true, absent: true, elapsed: true}, want{Retry: -1, Attempt: no, Target: no, Retryable: true}},
		{"definite answer after an unknown outcome", schedctl.KindContent, no, time.Time{}, facts{tries: 2, repeatable: true, doubtful: true}, want{Retry: -1, Attempt: no, Target: maybe}},
		{"no connection after an unknown outcome, last try", schedctl.KindNetwork, no, time.Time{}, facts{tries: 5, repeatable: true, doubtful: true}, want{Retry: -1, Attempt: no, Target: maybe}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.facts.now = now
			got := policy(&publish.Error{Kind: test.kind, Code: "c", Message: "m", HTTPStatus: 418, Outcome: test.outcome, RetryAt: test.retryAt}, test.facts)
			if test.want.AskIn != 0 {
				if want := (decision{askIn: test.want.AskIn}); got != want {
					t.Errorf("got %+v, want %+v", got, want)
				}
				return
			}
			want := decision{
				outcome: test.want.Attempt, refused: test.want.Refused,
				result: schedctl.Result{Error: &schedctl.TargetError{
					Kind: test.kind, Code: "c", Message: "m", HTTPStatus: 418, Outcome: test.want.Target, Retryable: test.want.Retryable,
				}},
			}
			if test.want.Retry != -1 {
				want.result.RetryAt = in(test.want.Retry)
			}
			if test.want.Pause > 0 {
				want.pausedUntil = in(test.want.Pause)
			}
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(decision{})); diff != "" {
				t.Errorf("decision (-want +got):\n%s", diff)
			}
		})
	}
}

// Only these kinds are ever called again without a person asking for it.
func TestPolicyCoversEveryKind(t *testing.T) {
	t.Parallel()
	retried := map[schedctl.ErrorKind]bool{
		schedctl.KindAuth: true, schedctl.KindRateLimited: true, schedctl.KindNetwork: true,
		schedctl.KindPlatform: true, schedctl.KindUnknown: true,
	}
	for _, kind := range schedctl.ErrorKinds() {
		for _, unknown := range []bool{false, true} {
			e := &publish.Error{Kind: kind, Outcome: schedctl.OutcomeNotPublished}
			if unknown {
				e.Outcome = schedctl.OutcomeUnknown
			}
			d := policy(e, facts{now: time.Now(), lateSince: time.Now(), tries: 1})
			if got, want := !d.result.RetryAt.IsZero(), retried[kind] && !unknown; got != want {
				t.Errorf("kind %s, outcome %s: retried %v, want %v", kind, e.Outcome, got, want)
			}
		}
	}
}

func TestMessagesAreCut(t *testing.T) {
	t.Parallel()
	long := ""
	for len(long) < 600 {
		long += "ä…"
	}
	got := policy(&publish.Error{Kind: schedctl.KindContent, Message: long}, facts{now: time.Now()}).result.Error.Message
	if len(got) > maxMessage || len(got) < maxMessage-3 || long[:len(got)] != got {
		t.Errorf("a message of %d bytes became %q", len(long), got)
	}
	for _, r := range got {
		if r == '\uFFFD' {
			t.Fatalf("cut within a character: %q", got)
		}
	}
}
