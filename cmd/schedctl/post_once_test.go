package main

import (
	"maps"
	"net/http"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

var (
	onGitHub = map[string]string{
		"GITHUB_ACTIONS": "true", "GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "me/site",
		"GITHUB_WORKFLOW": "Release", "GITHUB_JOB": "announce", "GITHUB_RUN_ID": "4711", "GITHUB_RUN_ATTEMPT": "1",
	}
	onForgejo = map[string]string{
		"FORGEJO_ACTIONS": "true", "FORGEJO_SERVER_URL": "https://github.com", "FORGEJO_REPOSITORY": "me/site",
		"FORGEJO_WORKFLOW": "Release", "FORGEJO_JOB": "announce", "FORGEJO_RUN_ID": "4711",
	}
	onGitLab = map[string]string{
		"GITLAB_CI": "true", "CI_SERVER_URL": "https://gitlab.com", "CI_PROJECT_PATH": "me/site",
		"CI_PIPELINE_ID": "12", "CI_JOB_NAME": "announce", "CI_JOB_ID": "1",
	}
)

// keyIn returns the idempotency key of a post that is created in an environment.
func keyIn(t *testing.T, env map[string]string, change map[string]string, args ...string) string {
	t.Helper()
	var sent capture
	m := newMachine(t, routes{"GET /social-accounts": twoAccounts, "POST /posts": sent.answer(apiv1.PostEnvelope{Post: apiv1.Post{ID: "post_1"}})})
	maps.Copy(m.env, env)
	maps.Copy(m.env, change)
	if status := m.run(t, append([]string{"post", "create", "-q"}, args...)...); status != 0 {
		t.Fatalf("exit status %d: %s", status, &m.err)
	}
	return sent.header.Get("Idempotency-Key")
}

func TestKeysOfCIJobs(t *testing.T) {
	t.Parallel()
	command := []string{"Hello", "--to", "demo", "--in", "2h"}
	for name, env := range map[string]map[string]string{"GitHub": onGitHub, "Forgejo": onForgejo, "GitLab": onGitLab} {
		first := keyIn(t, env, nil, command...)
		for what, again := range map[string]string{
			"an attempt":         keyIn(t, env, map[string]string{"GITHUB_RUN_ATTEMPT": "2", "CI_JOB_ID": "2"}, command...),
			"another order":      keyIn(t, env, nil, "--in", "2h", "Hello", "--to", "demo"),
			"another formatting": keyIn(t, env, nil, append(command, "--json=id")...),
		} {
			if again != first {
				t.Errorf("%s: %s has the key %s, the first had %s", name, what, again, first)
			}
		}
		keys := map[string]string{first: "the first"}
		for what, key := range map[string]string{
			"another run":      keyIn(t, env, map[string]string{"GITHUB_RUN_ID": "4712", "CI_PIPELINE_ID": "13"}, command...),
			"another job":      keyIn(t, env, map[string]string{"GITHUB_JOB": "tell", "CI_JOB_NAME": "tell"}, command...),
			"another project":  keyIn(t, env, map[string]string{"GITHUB_REPOSITORY": "me/other", "CI_PROJECT_PATH": "me/other"}, command...),
			"another server":   keyIn(t, env, map[string]string{"GITHUB_SERVER_URL": "https://git.test", "CI_SERVER_URL": "https://git.test"}, command...),
			"another text":     keyIn(t, env, nil, "Hello!", "--to", "demo", "--in", "2h"),
			"another account":  keyIn(t, env, nil, "Hello", "--to", "hook", "--in", "2h"),
			"another time":     keyIn(t, env, nil, "Hello", "--to", "demo", "--in", "3h"),
			"at once":          keyIn(t, env, nil, "Hello", "--to", "demo", "--now"),
			"another zone":     keyIn(t, env, nil, "Hello", "--to", "demo", "--in", "2h", "--tz", "Asia/Tokyo"),
			"a text of demo":   keyIn(t, env, nil, "Hello", "--to", "demo", "--in", "2h", "--override", "demo=Hi"),
			"no CI":            keyIn(t, nil, nil, command...),
			"a CI without run": keyIn(t, env, map[string]string{"GITHUB_RUN_ID": "", "FORGEJO_RUN_ID": "", "CI_PIPELINE_ID": ""}, command...),
			"a key":            keyIn(t, env, nil, append(command, "--idempotency-key", "mine")...),
		} {
			if other, taken := keys[key]; taken {
				t.Errorf("%s: %s has the key of %s", name, what, other)
			}
			keys[key] = what
		}
	}
	if keyIn(t, onGitHub, nil, command...) != keyIn(t, onForgejo, nil, command...) {
		t.Error("the variables of Forgejo mean another run than those of GitHub")
	}
	if got := keyIn(t, onGitHub, nil, command...); got != "cli-9bf62617c0ea68206751fd2ab6aba29e23501e47" {
		t.Errorf("a job that is run again with this version posts twice: %s", got)
	}
}

// TestPostCreateRepeatedInAJob guards that the refusal is shown when the daemon does
// not name the first post, and the first response for a key that may not read.
func TestPostCreateRepeatedInAJob(t *testing.T) {
	t.Parallel()
	reused := func(location string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if location != "" {
				w.Header().Set("Location", location)
			}
			routes{"POST /posts": refused{http.StatusConflict, "IDEMPOTENCY_KEY_REUSED"}}.ServeHTTP(w, r)
		}
	}
	replay := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Idempotent-Replayed", "true")
		routes{"POST /posts": apiv1.PostEnvelope{Post: apiv1.Post{ID: "post_1", Status: schedctl.Draft}}}.ServeHTTP(w, r)
	})
	const note = "post_1 exists already, by the same command in this CI job; no second post was created (see: schedctl help idempotency)\n"
	now := apiv1.PostEnvelope{Post: apiv1.Post{ID: "post_1", Status: schedctl.Published}}
	for name, tc := range map[string]struct {
		create  http.HandlerFunc
		read    any
		status  int
		out, er string
	}{
		"its time is another one":    {reused("/api/v1/posts/post_1"), now, 0, `{"status":"published"}` + "\n", note},
		"the post is not named":      {reused(""), now, 6, "", `{"error":{"code":"IDEMPOTENCY_KEY_REUSED","message":"the daemon says no","details":null,"request_id":"req_1"}}` + "\n"},
		"replayed":                   {replay, now, 0, `{"status":"published"}` + "\n", note},
		"replayed, and not readable": {replay, refused{http.StatusForbidden, "INSUFFICIENT_SCOPE"}, 0, `{"status":"draft"}` + "\n", note},
		"not readable":               {reused("/api/v1/posts/post_1"), refused{http.StatusForbidden, "INSUFFICIENT_SCOPE"}, 4, "", `{"error":{"code":"INSUFFICIENT_SCOPE","message":"the daemon says no","details":null,"request_id":"req_1"}}` + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t, routes{"POST /posts": tc.create, "GET /posts/post_1": tc.read})
			maps.Copy(m.env, onGitHub)
			m.want(t, tc.status, tc.out, tc.er, "post", "create", "Hello", "--json=status")
		})
	}
}
