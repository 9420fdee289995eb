package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

func failedPost(id string, outcomes ...schedctl.Outcome) apiv1.Post {
	p := apiv1.Post{ID: id, Status: schedctl.Failed, Content: "text of " + id}
	for i, outcome := range outcomes {
		account := []string{demoID, hookID}[i]
		p.SocialAccountIDs = append(p.SocialAccountIDs, account)
		p.Targets = append(p.Targets, apiv1.Target{SocialAccountID: account, Status: schedctl.Failed, Error: &apiv1.TargetError{Outcome: outcome}})
	}
	return p
}

// failures is a daemon with failed posts on two pages: one with a retryable target,
// one with an unknown outcome, and one with both.
type failures struct {
	query   []string
	retried map[string]apiv1.RetryPost
}

func (f *failures) routes() routes {
	f.retried = map[string]apiv1.RetryPost{}
	all := []apiv1.Post{
		failedPost("post_1", schedctl.OutcomeNotPublished), failedPost("post_2", schedctl.OutcomeUnknown),
		failedPost("post_3", schedctl.OutcomeNotPublished, schedctl.OutcomeUnknown),
	}
	r := routes{"GET /social-accounts": twoAccounts, "GET /posts": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.query = append(f.query, r.URL.RawQuery)
		page := apiv1.PostList{Results: all[:2], NextCursor: ptr("more")}
		if r.URL.Query().Get("cursor") == "more" {
			page = apiv1.PostList{Results: all[2:]}
		}
		json.NewEncoder(w).Encode(page)
	})}
	for _, p := range all {
		r["POST /posts/"+p.ID+"/retry"] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var request apiv1.RetryPost
			if json.NewDecoder(r.Body).Decode(&request) != nil {
				w.WriteHeader(http.StatusBadRequest)
				return
			}
			f.retried[p.ID] = request
			json.NewEncoder(w).Encode(apiv1.PostEnvelope{Post: apiv1.Post{ID: p.ID, Status: schedctl.Publishing}})
		})
	}
	return r
}

const (
	planOf1 = "post_1 to demo: text of post_1\n"
	planOf3 = "post_3 to demo: text of post_3\nleft out: post_3 to hook, which may have it already; look there, and then use --force: text of post_3\n"
	left2   = "left out: post_2 to demo, which may have it already; look there, and then use --force: text of post_2\n"
)

func TestPostRetryOfWhatFlagsSelect(t *testing.T) {
	t.Parallel()
	var f failures
	m := newMachine(t, f.routes())
	m.want(t, 0, "post_1\npost_3\n", "at Fri 20 Nov 2026 12:00 UTC (1 day ago)\n"+planOf1+left2+planOf3,
		"post", "retry", "--status", "failed", "--account", "hook", "--after", "yesterday 12:00", "--search", "text", "--yes", "-q")
	if diff := cmp.Diff(map[string]apiv1.RetryPost{"post_1": {}, "post_3": {}}, f.retried); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	const query = "limit=100&publish_after=2026-11-20T12%3A00%3A00Z&q=text&social_account_id=" + hookID + "&status=failed"
	if diff := cmp.Diff([]string{query, "cursor=more&" + query}, f.query); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestPostRetryForcesWhatIsUnknown(t *testing.T) {
	t.Parallel()
	var f failures
	m := newMachine(t, f.routes())
	m.want(t, 0, "post_1\npost_2\npost_3\n", planOf1+"post_2 to demo, which may have it already: text of post_2\n"+
		"post_3 to demo: text of post_3\npost_3 to hook, which may have it already: text of post_3\n",
		"post", "retry", "--status", "failed", "--force", "-y", "-q")
	if diff := cmp.Diff(map[string]apiv1.RetryPost{"post_1": {Force: true}, "post_2": {Force: true}, "post_3": {Force: true}}, f.retried); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestPostRetryAsks(t *testing.T) {
	t.Parallel()
	for answer, retried := range map[string]int{"y\n": 2, "n\n": 0} {
		var f failures
		m := newMachine(t, f.routes()).terminals()
		m.In = strings.NewReader(answer)
		status := m.run(t, "post", "retry", "--status", "failed", "-q")
		if !strings.HasPrefix(m.err.String(), planOf1+left2+planOf3+"Retry 2 posts? [y/N] ") || len(f.retried) != retried || status != map[int]int{2: 0, 0: 130}[retried] {
			t.Errorf("%q: exit status %d, retried %v:\n%s", answer, status, f.retried, &m.err)
		}
	}
}

// TestPostRetryInPart guards that posts are retried after one is refused.
func TestPostRetryInPart(t *testing.T) {
	t.Parallel()
	var f failures
	daemon := f.routes()
	daemon["POST /posts/post_1/retry"] = refused{http.StatusConflict, "POST_NOT_RETRYABLE"}
	newMachine(t, daemon).want(t, 9, "post_3\n", planOf1+left2+planOf3+"schedctl: of 2 posts not all went well\nschedctl: post_1: the daemon says no\n",
		"post", "retry", "--status", "failed", "--yes", "-q")
}

func TestPostRetryRefuses(t *testing.T) {
	t.Parallel()
	var f failures
	m := newMachine(t, f.routes())
	for want, args := range map[string][]string{
		"schedctl post retry needs the id of a post; or flags that select posts, such as --status failed":                        nil,
		"without a terminal for the confirmation, selected posts are retried only with --yes; see which they are with --dry-run": {"--search", "text"},
		"--status: only publishing or failed posts can be retried":                                                               {"--status", "published", "--yes"},
		"--search selects posts, and post_1 names one: give either":                                                              {"post_1", "--search", "x"},
		"--target is about one post: give its id":                                                                                {"post_1", "post_2", "--target", "pt_1"},
	} {
		m.want(t, 2, "", "schedctl: "+want+"\n", append([]string{"post", "retry"}, args...)...)
	}
	if len(f.retried) > 0 {
		t.Errorf("retried: %v", f.retried)
	}
}

func TestPostRetryOfNothing(t *testing.T) {
	t.Parallel()
	m := newMachine(t, routes{"GET /social-accounts": twoAccounts, "GET /posts": apiv1.PostList{}})
	m.want(t, 0, "[]\n", "no post to retry\n", "post", "retry", "--account", hookID, "--yes", "--json")
}
