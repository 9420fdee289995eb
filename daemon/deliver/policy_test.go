package deliver

import (
	"cmp"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

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
		AskIn, Retry, Ask, Pause time.Duration // from now; Retry -1 for none
		Place                    bool          // the target keeps its place, instead of Retry
		AskNow                   bool
		Attempt, Target          schedctl.Outcome
		Retryable, Refused       bool
		Unreached, Disrupted     bool
		Code                     string
	}
	// probed is the decision after a call that did not reach its network.
	probed := func(ask time.Duration, outcome schedctl.Outcome) want {
		return want{Place: true, Ask: ask, Pause: ask, Unreached: true, Disrupted: true, Attempt: outcome, Target: outcome, Retryable: true}
	}
	place := in(-time.Hour)
	for _, test := range []struct {
		name    string
		kind    schedctl.ErrorKind
		outcome schedctl.Outcome
		retryAt time.Time
		facts   facts
		want    want
	}{
		{"network, first try", schedctl.KindNetwork, no, time.Time{}, facts{tries: 1}, probed(10*time.Second, no)},
		{"network, out of reach for 25 s", schedctl.KindNetwork, no, time.Time{}, facts{tries: 1, disrupted: in(-25 * time.Second)}, probed(25*time.Second, no)},
		{"network, out of reach for an hour", schedctl.KindNetwork, no, time.Time{}, facts{tries: 1, disrupted: in(-time.Hour)}, probed(time.Minute, no)},
		{"network, never later than a minute", schedctl.KindNetwork, no, time.Time{}, facts{tries: 1, disrupted: in(-time.Hour), spread: 1}, probed(time.Minute, no)},
		{"network, clock set back", schedctl.KindNetwork, no, time.Time{}, facts{tries: 1, disrupted: in(time.Hour)}, probed(10*time.Second, no)},
		{"network, whatever the tries", schedctl.KindNetwork, no, time.Time{}, facts{tries: 5}, probed(10*time.Second, no)},
		{"network, latest", schedctl.KindNetwork, no, time.Time{}, facts{tries: 1, spread: 1}, probed(12*time.Second, no)},
		{"network, earliest", schedctl.KindNetwork, no, time.Time{}, facts{tries: 1, spread: -1}, probed(8*time.Second, no)},
		{"lease lapsed", schedctl.KindNetwork, no, time.Time{}, facts{tries: 5}, want{Place: true, Unreached: true, Attempt: no, Target: no, Retryable: true, Code: publish.CodeLeaseLapsed}},
		{"platform, first try", schedctl.KindPlatform, no, time.Time{}, facts{tries: 1}, want{Place: true, Ask: 10 * time.Second, Pause: 10 * time.Second, Attempt: no, Target: no, Retryable: true}},
		{"platform, second try", schedctl.KindPlatform, no, time.Time{}, facts{tries: 2}, want{Place: true, Ask: 80 * time.Second, Pause: 80 * time.Second, Attempt: no, Target: no, Retryable: true}},
		{"platform, third try gives way", schedctl.KindPlatform, no, time.Time{}, facts{tries: 3}, want{Retry: 640 * time.Second, Ask: 640 * time.Second, Attempt: no, Target: no, Retryable: true}},
		{"platform, fourth try", schedctl.KindPlatform, no, time.Time{}, facts{tries: 4}, want{Retry: 5120 * time.Second, Ask: 5120 * time.Second, Attempt: no, Target: no, Retryable: true}},
		{"platform, last try", schedctl.KindPlatform, no, time.Time{}, facts{tries: 5}, want{Retry: -1, Attempt: no, Target: no, Retryable: true}},
		{"platform, third try in a thread", schedctl.KindPlatform, no, time.Time{}, facts{tries: 3, midThread: true}, want{Place: true, Ask: 640 * time.Second, Pause: 640 * time.Second, Attempt: no, Target: no, Retryable: true}},
		{"platform, third try of what may start a thread", schedctl.KindPlatform, no, time.Time{}, facts{tries: 3, startsThread: true, earlierUncertain: true}, want{Place: true, Ask: 640 * time.Second, Pause: 640 * time.Second, Attempt: no, Target: maybe, Retryable: true}},
		{"platform says when", schedctl.KindPlatform, no, in(time.Hour), facts{tries: 3}, want{Place: true, Ask: time.Hour, Pause: time.Hour, Attempt: no, Target: no, Retryable: true}},
		{"rate limit says when", schedctl.KindRateLimited, no, in(time.Hour), facts{tries: 1}, want{Place: true, Ask: time.Hour, Pause: time.Hour, Attempt: no, Target: no, Retryable: true}},
		{"rate limit says when, last try", schedctl.KindRateLimited, no, in(time.Hour), facts{tries: 5}, want{Retry: -1, Pause: time.Hour, Attempt: no, Target: no, Retryable: true}},
		{"rate limit says next year", schedctl.KindRateLimited, no, in(400 * 24 * time.Hour), facts{tries: 1}, want{Place: true, Ask: 24 * time.Hour, Pause: 24 * time.Hour, Attempt: no, Target: no, Retryable: true}},
		{"platform says yesterday", schedctl.KindPlatform, no, in(-24 * time.Hour), facts{tries: 1}, want{Place: true, AskNow: true, Attempt: no, Target: no, Retryable: true}},
		{"rate limit says nothing", schedctl.KindRateLimited, no, time.Time{}, facts{tries: 4}, want{Place: true, Ask: 5120 * time.Second, Pause: 5120 * time.Second, Attempt: no, Target: no, Retryable: true}},
		{"auth", schedctl.KindAuth, no, time.Time{}, facts{tries: 9}, want{Place: true, Attempt: no, Target: no, Retryable: true, Refused: true}},
		{"content", schedctl.KindContent, no, time.Time{}, facts{tries: 1}, want{Retry: -1, Attempt: no, Target: no}},
		{"content says when", schedctl.KindContent, no, in(time.Hour), facts{tries: 1}, want{Retry: -1, Attempt: no, Target: no}},
		{"media", schedctl.KindMedia, no, time.Time{}, facts{tries: 1}, want{Retry: -1, Attempt: no, Target: no}},
		{"refused by another host", schedctl.KindMedia, no, time.Time{}, facts{tries: 1}, want{Retry: 10 * time.Second, Ask: 10 * time.Second, Attempt: no, Target: no, Retryable: true, Code: publish.CodeUploadRefused}},
		{"refused by another host, last try", schedctl.KindMedia, no, time.Time{}, facts{tries: 5}, want{Retry: -1, Attempt: no, Target: no, Code: publish.CodeUploadRefused}},
		{"limit of videos", schedctl.KindRateLimited, no, in(time.Hour), facts{tries: 5}, want{Retry: time.Hour, Ask: time.Hour, Unreached: true, Attempt: no, Target: no, Retryable: true, Code: publish.CodeVideoLimit}},
		{"duplicate", schedctl.KindDuplicate, no, time.Time{}, facts{tries: 1}, want{Retry: -1, Attempt: no, Target: no}},

		{"unknown outcome", schedctl.KindNetwork, maybe, time.Time{}, facts{tries: 1}, want{Retry: -1, Attempt: maybe, Target: maybe}},
		{"no outcome given", schedctl.KindNetwork, "", time.Time{}, facts{tries: 1}, want{Retry: -1, Attempt: maybe, Target: maybe}},
		{"unknown outcome of a refusal", schedctl.KindAuth, maybe, time.Time{}, facts{tries: 1}, want{Retry: -1, Attempt: maybe, Target: maybe}},
		{"unknown outcome, network says when", schedctl.KindPlatform, maybe, in(time.Hour), facts{tries: 1}, want{Retry: -1, Attempt: maybe, Target: maybe}},
		{"unknown outcome, repeatable, at once", schedctl.KindNetwork, maybe, time.Time{}, facts{tries: 1, repeatable: true}, want{Place: true, AskNow: true, Unreached: true, Disrupted: true, Attempt: maybe, Target: maybe, Retryable: true}},
		{"unknown outcome, repeatable, again", schedctl.KindNetwork, maybe, time.Time{}, facts{tries: 5, repeatable: true, disrupted: in(-time.Second)}, probed(10*time.Second, maybe)},
		{"platform, unknown outcome, repeatable", schedctl.KindPlatform, maybe, time.Time{}, facts{tries: 2, repeatable: true}, want{Place: true, Ask: 80 * time.Second, Pause: 80 * time.Second, Disrupted: true, Attempt: maybe, Target: maybe, Retryable: true}},
		{"platform, unknown outcome, repeatable, last try", schedctl.KindPlatform, maybe, time.Time{}, facts{tries: 5, repeatable: true}, want{Retry: -1, Attempt: maybe, Target: maybe}},
		{"unknown kind, repeatable", schedctl.KindUnknown, maybe, time.Time{}, facts{tries: 1, repeatable: true}, want{Place: true, Ask: 10 * time.Second, Pause: 10 * time.Second, Disrupted: true, Attempt: maybe, Target: maybe, Retryable: true}},
		{"interrupted, repeatable", schedctl.KindUnknown, maybe, time.Time{}, facts{tries: 1, repeatable: true, elapsed: true}, want{Place: true, AskNow: true, Attempt: maybe, Target: maybe, Retryable: true}},
		{"content, may be published, repeatable", schedctl.KindContent, maybe, time.Time{}, facts{tries: 1, repeatable: true}, want{Retry: -1, Attempt: maybe, Target: maybe}},
		{"unknown outcome, can be asked", schedctl.KindNetwork, maybe, time.Time{}, facts{tries: 1, findable: true}, want{AskIn: time.Minute}},
		{"unknown outcome, never asked early", schedctl.KindNetwork, maybe, time.Time{}, facts{tries: 1, findable: true, spread: -1}, want{AskIn: time.Minute}},
		{"asked in vain", schedctl.KindNetwork, maybe, time.Time{}, facts{tries: 1, findable: true, asks: 1, replies: 1}, want{AskIn: 10 * time.Second}},
		{"asked in vain four times", schedctl.KindNetwork, maybe, time.Time{}, facts{tries: 1, findable: true, asks: 9, replies: 4}, want{AskIn: 80 * time.Second}},
		{"could not be asked", schedctl.KindNetwork, maybe, time.Time{}, facts{tries: 1, findable: true, asks: 1, unreachable: true}, want{AskIn: 10 * time.Second}},
		{"could not be asked for an hour", schedctl.KindNetwork, maybe, time.Time{}, facts{tries: 1, findable: true, asks: 40, unreachable: true, disrupted: in(-time.Hour)}, want{AskIn: time.Minute}},
		{"could not be asked until it was too late", schedctl.KindNetwork, maybe, time.Time{}, facts{tries: 1, findable: true, asks: 40, unreachable: true, tooLate: true}, want{Retry: -1, Attempt: maybe, Target: maybe}},
		{"too late, never asked", schedctl.KindNetwork, maybe, time.Time{}, facts{tries: 1, findable: true, tooLate: true}, want{AskIn: time.Minute}},
		{"could not be asked, network says when", schedctl.KindNetwork, maybe, time.Time{}, facts{tries: 1, findable: true, asks: 1, askAt: in(time.Hour), unreachable: true}, want{AskIn: time.Hour}},
		{"asked in vain, network says when", schedctl.KindNetwork, maybe, time.Time{}, facts{tries: 1, findable: true, asks: 1, replies: 1, askAt: in(time.Hour)}, want{AskIn: time.Hour}},
		{"asked in vain, network says soon", schedctl.KindNetwork, maybe, time.Time{}, facts{tries: 1, findable: true, asks: 1, replies: 1, askAt: in(time.Second)}, want{AskIn: 10 * time.Second}},
		{"asked in vain, network says next year", schedctl.KindNetwork, maybe, time.Time{}, facts{tries: 1, findable: true, asks: 1, replies: 1, askAt: in(400 * 24 * time.Hour)}, want{AskIn: 24 * time.Hour}},
		{"asked in vain for the last time", schedctl.KindNetwork, maybe, time.Time{}, facts{tries: 1, findable: true, asks: 5, replies: 5}, want{Retry: -1, Attempt: maybe, Target: maybe}},
		{"asked, absent", schedctl.KindNetwork, maybe, time.Time{}, facts{tries: 1, findable: true, asks: 1, absent: true, elapsed: true}, want{Place: true, AskNow: true, Attempt: no, Target: no, Retryable: true}},
		{"asked, absent, last try", schedctl.KindNetwork, maybe, time.Time{}, facts{tries: 5, findable: true, absent: true, elapsed: true}, want{Retry: -1, Attempt: no, Target: no, Retryable: true}},
		{"definite response after an unknown outcome", schedctl.KindContent, no, time.Time{}, facts{tries: 2, repeatable: true, earlierUncertain: true}, want{Retry: -1, Attempt: no, Target: maybe}},
		{"platform, after an unknown outcome, last try", schedctl.KindPlatform, no, time.Time{}, facts{tries: 5, repeatable: true, earlierUncertain: true}, want{Retry: -1, Attempt: no, Target: maybe}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.facts.now, test.facts.queuedAt = now, place
			code := cmp.Or(test.want.Code, "c")
			got := policy(&publish.Error{Kind: test.kind, Code: code, Message: "m", HTTPStatus: 418, Outcome: test.outcome, RetryAt: test.retryAt}, test.facts)
			if test.want.AskIn != 0 {
				if want := (policyDecision{askIn: test.want.AskIn}); got != want {
					t.Errorf("got %+v, want %+v", got, want)
				}
				return
			}
			want := policyDecision{
				outcome: test.want.Attempt, refused: test.want.Refused, disrupted: test.want.Disrupted,
				result: schedctl.Result{Unreached: test.want.Unreached, Error: &schedctl.TargetError{
					Kind: test.kind, Code: code, Message: "m", HTTPStatus: 418, Outcome: test.want.Target, Retryable: test.want.Retryable,
				}},
			}
			switch {
			case test.want.Place:
				want.result.RetryAt = place
			case test.want.Retry != -1:
				want.result.RetryAt = in(test.want.Retry)
			}
			if test.want.Ask > 0 || test.want.AskNow {
				want.result.AskAt = in(test.want.Ask)
			}
			if test.want.Pause > 0 {
				want.pausedUntil = in(test.want.Pause)
			}
			if diff := gocmp.Diff(want, got, gocmp.AllowUnexported(policyDecision{})); diff != "" {
				t.Errorf("decision (-want +got):\n%s", diff)
			}
		})
	}
}

// The statuses of a gateway mean that the server behind it is down.
func TestOutOfReach(t *testing.T) {
	t.Parallel()
	soon := time.Now()
	for _, test := range []struct {
		e    publish.Error
		want bool
	}{
		{publish.Error{Kind: schedctl.KindNetwork}, true},
		{publish.Error{Kind: schedctl.KindPlatform, HTTPStatus: 500}, false},
		{publish.Error{Kind: schedctl.KindPlatform, HTTPStatus: 502}, true},
		{publish.Error{Kind: schedctl.KindPlatform, HTTPStatus: 503}, true},
		{publish.Error{Kind: schedctl.KindPlatform, HTTPStatus: 503, RetryAt: soon}, false},
		{publish.Error{Kind: schedctl.KindPlatform, HTTPStatus: 504}, true},
		{publish.Error{Kind: schedctl.KindRateLimited, HTTPStatus: 429}, false},
	} {
		if got := isUnreachable(&test.e); got != test.want {
			t.Errorf("%s %d: unreachable %v", test.e.Kind, test.e.HTTPStatus, got)
		}
	}
}

// Only these kinds are retried without a person's request.
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
			d := policy(e, facts{now: time.Now(), queuedAt: time.Now(), tries: 1})
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

// A target that would be too late at the time that its network names fails at once, and its
// account still waits. A Retry-After of a day once promised a time at which the post was
// marked as missed.
func TestWaitPastTheLateLimit(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 12, 8, 9, 0, 0, 0, time.UTC)
	for _, outcome := range []schedctl.Outcome{schedctl.OutcomeNotPublished, schedctl.OutcomeUnknown} {
		for _, kind := range []schedctl.ErrorKind{schedctl.KindRateLimited, schedctl.KindPlatform, schedctl.KindNetwork} {
			for _, code := range []string{"c", publish.CodeWindowFull} {
				for wait, waits := range map[time.Duration]bool{23 * time.Hour: true, 24 * time.Hour: false, 90 * time.Hour: false} {
					e := &publish.Error{Kind: kind, Code: code, Message: "slow down", HTTPStatus: 503, Outcome: outcome, RetryAt: now.Add(wait)}
					f := facts{now: now, queuedAt: now.Add(-time.Minute), lateAt: now.Add(24*time.Hour - time.Minute), tries: 1, repeatable: true}
					d := policy(e, f)
					if got := !d.result.RetryAt.IsZero() && !d.result.AskAt.IsZero(); got != waits {
						t.Errorf("%s %s %s, %s: waits %v: %+v", kind, outcome, code, wait, got, d.result)
					}
					message := d.result.Error.Message
					if told := strings.Contains(message, "slow down; the network accepts it from "+e.RetryAt.Format(time.RFC3339)); told == waits {
						t.Errorf("%s %s %s, %s: the message is %q", kind, outcome, code, wait, message)
					}
					if d.outcome != outcome || d.result.Error.Outcome != outcome || kind == schedctl.KindRateLimited && d.pausedUntil.IsZero() {
						t.Errorf("%s %s %s, %s: %+v", kind, outcome, code, wait, d)
					}
				}
			}
		}
	}
	for wait, told := range map[time.Duration]bool{20 * time.Hour: false, 90 * time.Hour: true} {
		held := policy(&publish.Error{Kind: schedctl.KindAuth, Message: "no credits", Outcome: schedctl.OutcomeNotPublished, RetryAt: now.Add(wait)},
			facts{now: now, queuedAt: now, lateAt: now.Add(24 * time.Hour), tries: 1})
		if !held.refused || strings.Contains(held.result.Error.Message, "are not published: move them") != told {
			t.Errorf("a hold of %s: %+v, %q", wait, held, held.result.Error.Message)
		}
	}
	long := policy(&publish.Error{Kind: schedctl.KindRateLimited, Message: strings.Repeat("x", 1000), Outcome: schedctl.OutcomeNotPublished, RetryAt: now.Add(time.Hour)}, facts{now: now, queuedAt: now, lateAt: now, tries: 1})
	if m := long.result.Error.Message; len(m) > maxMessage || !strings.HasSuffix(m, "retry it to publish it then") {
		t.Errorf("a long message became %q", m)
	}
}
