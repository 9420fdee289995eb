package main

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

func scheduledPosts(ids ...string) (list apiv1.PostList) {
	for _, id := range ids {
		list.Results = append(list.Results, apiv1.Post{ID: id, Status: schedctl.Scheduled, Content: "text", PublishAt: at(3600e9), SocialAccountIDs: []string{demoID}})
	}
	return list
}

func canceled(id string) apiv1.PostEnvelope {
	return apiv1.PostEnvelope{Post: apiv1.Post{ID: id, Status: schedctl.Canceled}}
}

// TestPostCancelInPart guards that an error does not keep later posts from being
// canceled.
func TestPostCancelInPart(t *testing.T) {
	t.Parallel()
	m := newMachine(t, routes{
		"GET /social-accounts": twoAccounts, "GET /posts": scheduledPosts("post_1", "post_2", "post_3"),
		"POST /posts/post_1/cancel": canceled("post_1"), "POST /posts/post_2/cancel": refused{http.StatusConflict, "POST_NOT_CANCELABLE"}, "POST /posts/post_3/cancel": canceled("post_3"),
	})
	const plan = "post_1 2026-11-21T13:00:00Z demo: text\npost_2 2026-11-21T13:00:00Z demo: text\npost_3 2026-11-21T13:00:00Z demo: text\n"
	m.want(t, 9, "post_1\npost_3\n", plan+"schedctl: of 3 posts not all went well\nschedctl: post_2: the daemon says no\n", "post", "cancel", "--account", demoID, "--yes", "-q")
}

// A list is a list, with one post in it too.
func TestSelectedPostsAreAList(t *testing.T) {
	t.Parallel()
	m := newMachine(t, routes{"GET /social-accounts": twoAccounts, "GET /posts": scheduledPosts("post_1"), "POST /posts/post_1/cancel": canceled("post_1")})
	if m.run(t, "post", "cancel", "--account", demoID, "--yes", "--json=id"); m.out.String() != `[{"id":"post_1"}]`+"\n" {
		t.Errorf("got %s", &m.out)
	}
	if m.run(t, "post", "cancel", "post_1", "--json=id"); m.out.String() != `{"id":"post_1"}`+"\n" {
		t.Errorf("got %s", &m.out)
	}
}

func TestPostCancelIsInterrupted(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	m := newMachine(t, routes{
		"POST /posts/post_1/cancel": canceled("post_1"),
		"POST /posts/post_2/cancel": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			interrupt()
			<-r.Context().Done()
			w.WriteHeader(http.StatusInternalServerError)
		}),
	})
	status := run(ctx, m.System, []string{"post", "cancel", "post_1", "post_2", "post_3", "-q"})
	const want = "schedctl: interrupted after 1 of 3 posts; check the next post with: schedctl post show post_2\n"
	if status != 130 || m.out.String() != "post_1\n" || m.err.String() != want {
		t.Errorf("exit status %d: %s%s", status, &m.out, &m.err)
	}
}

// --yes means the same everywhere, and so does --dry-run.
func TestFlagsOfConsent(t *testing.T) {
	t.Parallel()
	walk(tree(t), func(cmd *cobra.Command) {
		if f := cmd.Flags().Lookup("yes"); f != nil && (f.Shorthand != "y" || f.Usage != "do not ask" || f.Value.Type() != "bool") {
			t.Errorf("%s: --yes (-%s): %s", cmd.CommandPath(), f.Shorthand, f.Usage)
		}
		if f := cmd.Flags().Lookup("dry-run"); f != nil && !strings.HasPrefix(f.Usage, "change nothing; ") && !strings.HasPrefix(f.Usage, "create nothing; ") {
			t.Errorf("%s: --dry-run: %s", cmd.CommandPath(), f.Usage)
		}
	})
}
