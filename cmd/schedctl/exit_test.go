package main

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

func code(s string) schedctl.Code { return schedctl.Code(s) }

// httpStatus lists the HTTP statuses of the API for each exit status.
var httpStatus = map[int][]int{
	cli.ExitUsage: {428}, cli.ExitInvalid: {400, 413}, cli.ExitAuth: {401, 403}, cli.ExitNotFound: {404}, cli.ExitConflict: {409, 412},
	cli.ExitRateLimited: {429}, cli.ExitUnreachable: {500, 503}, cli.ExitOther: {405, 406, 415},
}

func TestEveryCodeHasAnExitStatus(t *testing.T) {
	t.Parallel()
	codes := schedctl.Codes()
	for _, c := range codes {
		status, ok := cli.ExitByCode[c]
		if !ok {
			t.Errorf("%s has no exit status", c)
			continue
		}
		if httpStatus[status] == nil {
			t.Errorf("%s ends with %d, which is not an exit status for API errors", c, status)
		}
	}
	for _, c := range slices.Sorted(maps.Keys(cli.ExitByCode)) {
		if !slices.Contains(codes, c) {
			t.Errorf("%s is no code of the API", c)
		}
	}
}

// The table itself, spelled out a second time on purpose: a script relies on
// every line.
func TestExitStatusOfCodes(t *testing.T) {
	t.Parallel()
	want := map[int]string{
		1:  "METHOD_NOT_ALLOWED NOT_ACCEPTABLE UNSUPPORTED_MEDIA_TYPE",
		2:  "VERSION_REQUIRED",
		3:  "NOT_FOUND",
		4:  "ACCOUNT_NOT_ALLOWED API_KEY_EXPIRED API_KEY_REVOKED AUTHENTICATION_REQUIRED INSUFFICIENT_SCOPE INVALID_API_KEY KEY_NOT_ALLOWED NOT_YOUR_DRAFT SELF_APPROVAL UPLOAD_URL_INVALID",
		5:  "ACCOUNT_VERIFICATION_FAILED BODY_TOO_LARGE CONTENT_TOO_LONG INVALID_CURSOR INVALID_IDEMPOTENCY_KEY INVALID_JSON INVALID_PUBLISH_AT INVALID_SOCIAL_ACCOUNTS MEDIA_INVALID MEDIA_QUOTA_EXCEEDED MEDIA_TOO_LARGE MEDIA_TYPE_NOT_ALLOWED SOURCE_NOT_A_FEED VALIDATION_FAILED",
		6:  "APPROVAL_NOT_PENDING APPROVAL_REQUIRED BLACKOUT DUPLICATE_CONTENT EXISTING_POSTS EXTERNAL_ID_EXISTS IDEMPOTENCY_IN_PROGRESS IDEMPOTENCY_KEY_REUSED MEDIA_ALREADY_UPLOADED MEDIA_IN_USE MEDIA_NOT_READY NAME_TAKEN NO_QUEUE OLDER_REVISION POST_CANCELED POST_NOT_CANCELABLE POST_NOT_DELETABLE POST_NOT_DRAFT POST_NOT_EDITABLE POST_NOT_OVER POST_NOT_REPLACEABLE POST_NOT_RETRYABLE POST_NOT_SCHEDULED QUEUE_FULL RESULTS_UNAVAILABLE SERIES_ENDED SLOT_TAKEN SOURCE_EXISTS SOURCE_HELD SOURCE_MISMATCH VERSION_MISMATCH",
		7:  "INSUFFICIENT_STORAGE INTERNAL UNAVAILABLE",
		10: "RATE_LIMITED",
	}
	got := map[int]string{}
	for _, c := range slices.Sorted(maps.Keys(cli.ExitByCode)) {
		got[cli.ExitByCode[c]] = strings.TrimSpace(got[cli.ExitByCode[c]] + " " + string(c))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestExitStatusOfCodesThatAreNotKnownYet(t *testing.T) {
	t.Parallel()
	for status, answers := range httpStatus {
		for _, answer := range answers {
			err := &client.Error{Status: answer, API: apiv1.Error{Code: "NEW_IN_A_LATER_VERSION"}}
			if got := cli.ExitStatus(fmt.Errorf("wrapped: %w", err)); got != status {
				t.Errorf("HTTP %d: exit status %d, want %d", answer, got, status)
			}
		}
	}
}

// Each exit status, by a command that ends with it.
func TestExitStatuses(t *testing.T) {
	t.Parallel()
	failed := apiv1.Post{ID: "post_1", Status: schedctl.Failed, Targets: []apiv1.Target{{ID: "pt_1", Status: schedctl.Failed}}}
	waiting := apiv1.Post{ID: "post_1", Status: schedctl.Scheduled, PublishAt: at(time.Hour)}
	me := func(a any) http.Handler { return routes{"GET /me": a} }
	post := func(p apiv1.Post) http.Handler { return routes{"GET /posts/post_1": apiv1.PostEnvelope{Post: p}} }
	for _, tc := range []struct {
		status int
		daemon http.Handler
		args   []string
	}{
		{0, me(apiv1.Me{}), []string{"me"}},
		{0, nil, []string{"version"}},
		{0, nil, nil},
		{0, nil, []string{"post", "--help"}},
		{0, nil, []string{"time", "tomorrow 9am"}},
		{1, me(refused{405, "METHOD_NOT_ALLOWED"}), []string{"me"}},
		{1, nil, []string{"post", "create", "-F", "/no/such/file"}},
		{2, nil, []string{"nonsense"}},
		{2, nil, []string{"post", "nonsense"}},
		{2, nil, []string{"me", "--nonsense"}},
		{2, nil, []string{"me", "too", "many"}},
		{2, nil, []string{"post", "show"}},
		{2, nil, []string{"me", "--json=nonsense"}},
		{2, nil, []string{"version", "--timeout", "nonsense"}},
		{2, nil, []string{"post", "create", "Hello", "--to", "x", "--at", "nonsense"}},
		{2, nil, []string{"post", "create", "Hello", "--to", "x", "--at", "03/04/2027 9am"}},
		{2, nil, []string{"post", "create", "Hello", "--to", "x", "--at", "tomorrow 9am", "--now"}},
		{2, nil, []string{"time", "tomorrow 9am", "--tz", "Mars/Olympus"}},
		{2, nil, []string{"me", "--url", "ftp://daemon.test"}},
		{3, routes{}, []string{"post", "show", "post_1"}},
		{4, me(refused{401, "INVALID_API_KEY"}), []string{"me"}},
		{4, me(refused{403, "INSUFFICIENT_SCOPE"}), []string{"me"}},
		{4, nil, []string{"me", "--api-key-file", "/no/such/file"}},
		{5, nil, []string{"post", "create", "Hello", "--to", "x", "--at", "2020-01-01 09:00"}},
		{5, nil, []string{"post", "create", "Hello", "--to", "x", "--at", "yesterday 9am"}},
		{5, nil, []string{"post", "create", "Hello", "--to", "x", "--at", "yesterday"}},
		{5, nil, []string{"post", "create", "Hello", "--to", "x", "--at", "2h ago"}},
		{5, nil, []string{"post", "edit", "post_1", "--at", "-2h"}},
		{5, nil, []string{"post", "schedule", "post_1", "--at", "yesterday noon"}},
		{0, routes{"GET /posts": apiv1.PostList{}}, []string{"post", "list", "--after", "yesterday 0:00"}},
		{5, nil, []string{"post", "create", " "}},
		{5, routes{"POST /posts": refused{400, "CONTENT_TOO_LONG"}}, []string{"post", "create", "Hello"}},
		{5, routes{"GET /social-accounts": apiv1.AccountList{}}, []string{"post", "create", "Hello", "--to", "nobody"}},
		{6, routes{"POST /posts/post_1/cancel": refused{409, "POST_NOT_CANCELABLE"}}, []string{"post", "cancel", "post_1"}},
		{7, nil, []string{"me"}},
		{7, me(refused{500, "INTERNAL"}), []string{"me"}},
		{7, me(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>Log in</html>") })), []string{"me"}},
		{8, post(waiting), []string{"post", "wait", "post_1", "--timeout", "1ms"}},
		{9, post(failed), []string{"post", "wait", "post_1"}},
		{10, me(refused{429, "RATE_LIMITED"}), []string{"me"}},
	} {
		t.Run(fmt.Sprint(tc.status, tc.args), func(t *testing.T) {
			t.Parallel()
			m := newMachine(t, tc.daemon)
			if tc.daemon == nil {
				m.Transport = inProcess{nil}
			}
			if got := m.run(t, tc.args...); got != tc.status {
				t.Errorf("exit status %d, want %d: %s", got, tc.status, &m.err)
			}
			errorLines := strings.Count(m.err.String(), "schedctl: ") + strings.Count(m.err.String(), `{"error":`)
			if want := min(tc.status, 1); errorLines != want {
				t.Errorf("%d error lines, want %d:\n%s", errorLines, want, &m.err)
			}
		})
	}
}

func TestInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	m := newMachine(t, routes{"GET /posts/post_1": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		cancel()
		routes{"GET /posts/post_1": apiv1.PostEnvelope{Post: apiv1.Post{ID: "post_1", Status: schedctl.Scheduled}}}.ServeHTTP(w, r)
	})})
	if got := run(ctx, m.System, []string{"post", "wait", "post_1"}); got != 130 {
		t.Errorf("exit status %d, want 130", got)
	}
	if got := m.err.String(); got != "schedctl: interrupted; no post was canceled; wait on with: schedctl post wait post_1\n" {
		t.Errorf("got %q", got)
	}
}

// TestPostCreateIsInterrupted guards the message for a request whose outcome is
// unknown.
func TestPostCreateIsInterrupted(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	m := newMachine(t, routes{"POST /posts": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		interrupt()
		<-r.Context().Done()
		w.WriteHeader(http.StatusInternalServerError)
	})})
	status := run(ctx, m.System, []string{"post", "create", "Hello"})
	const want = "schedctl: interrupted; the daemon may have created the post; look with: schedctl post list --all --limit 1\n"
	if status != 130 || m.err.String() != want {
		t.Errorf("exit status %d: %s", status, &m.err)
	}
}

func TestDeclined(t *testing.T) {
	t.Parallel()
	post := apiv1.Post{ID: "post_1", Status: schedctl.Draft, Content: "Hello"}
	m := newMachine(t, routes{"GET /posts/post_1": apiv1.PostEnvelope{Post: post}}).terminals()
	m.In = strings.NewReader("n\n")
	m.want(t, 130, "", "post_1: Hello\nDelete 1 draft for good? [y/N] schedctl: no changes were made\n", "post", "delete", "post_1")
}

func TestErrorsAreEnvelopesWithJSON(t *testing.T) {
	t.Parallel()
	m := newMachine(t, routes{"GET /me": refused{401, "INVALID_API_KEY"}})
	m.want(t, 4, "", `{"error":{"code":"INVALID_API_KEY","message":"the daemon says no","details":null,"request_id":"req_1"}}`+"\n", "me", "--json")
	m.want(t, 2, "", `{"error":{"code":"USAGE","message":"unknown flag --nonsense; see: schedctl me --help","details":null,"request_id":""}}`+"\n", "me", "--nonsense", "--json")
	m.want(t, 5, "", `{"error":{"code":"INVALID_PUBLISH_AT","message":"Sat 21 Nov 2026 09:00 UTC has passed (3 hours ago): use a time in the future, such as \"in 1h\" or \"tomorrow 9am\"","details":null,"request_id":""}}`+"\n",
		"post", "create", "Hello", "--to", "x", "--at", "today 9am", "--json")
}

func TestHelpTellsEveryExitStatus(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil)
	if got := m.run(t, "help", "exit-codes"); got != 0 {
		t.Fatalf("exit status %d", got)
	}
	for _, e := range cli.ExitMeanings {
		if !strings.Contains(m.out.String(), fmt.Sprintf("%3d  %s", e.Status, e.Meaning)) {
			t.Errorf("the help does not tell %d", e.Status)
		}
	}
	var told []int
	for _, e := range cli.ExitMeanings {
		told = append(told, e.Status)
	}
	if diff := cmp.Diff([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 130}, told); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
