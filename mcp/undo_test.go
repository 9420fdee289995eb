package mcp_test

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/mcp"
)

// lossy loses responses of the daemon: those to posts after some, and those to deletions.
type lossy struct {
	http.RoundTripper
	posts      *atomic.Int32 // how many posts are created before one response is lost; below 0 for all
	loseDelete string        // "lost", "refused", or empty
}

func (l lossy) RoundTrip(r *http.Request) (*http.Response, error) {
	isPost, isDelete := r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/posts"), r.Method == http.MethodDelete
	if isDelete && l.loseDelete == "refused" {
		return errorResponse(r, http.StatusConflict, "POST_NOT_DELETABLE"), nil
	}
	resp, err := l.RoundTripper.RoundTrip(r)
	if err == nil && (isPost && l.posts.Add(-1) == 0 || isDelete && l.loseDelete == "lost") {
		resp.Body.Close()
		return errorResponse(r, http.StatusInternalServerError, "INTERNAL"), nil
	}
	return resp, err
}

func errorResponse(r *http.Request, status int, code string) *http.Response {
	return &http.Response{
		StatusCode: status, Request: r, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(`{"error":{"code":"` + code + `","message":"lost","details":[],"request_id":"r"}}`)),
	}
}

// TestLostResponses: what a call with several posts says about them is true, also if responses
// got lost, and the same call again makes them all.
func TestLostResponses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		lost       int32
		loseDelete string
		posts      []any
		left       int
		want       []string
		not        []string
	}{
		"a refused post":   {-1, "", []any{map[string]any{"content": "a"}, map[string]any{}}, 0, []string{"posts[1]: ", "none of the posts was created"}, []string{"may exist"}},
		"a lost post":      {2, "", []any{map[string]any{"content": "a"}, map[string]any{"content": "b"}}, 1, []string{"posts[1] may exist", "none of the others exists", "list_posts with options", "the same call again"}, []string{"none of the posts"}},
		"the first one":    {1, "", []any{map[string]any{"content": "a"}, map[string]any{"content": "b"}}, 1, []string{"posts[0] may exist"}, []string{"none of the posts"}},
		"a lost deletion":  {-1, "lost", []any{map[string]any{"content": "a"}, map[string]any{}}, 0, []string{"these drafts may exist: post_", "list_posts with options"}, []string{"none of the posts", "could not be deleted"}},
		"a kept draft":     {-1, "refused", []any{map[string]any{"content": "a"}, map[string]any{}}, 1, []string{"these drafts exist, because they could not be deleted: post_", "delete_draft"}, []string{"none of the posts", "may exist"}},
		"both are unclear": {2, "lost", []any{map[string]any{"content": "a"}, map[string]any{"content": "b"}}, 1, []string{"posts[1] may exist", "these drafts may exist: post_"}, []string{"none of the posts"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var posts atomic.Int32
			posts.Store(tt.lost)
			f := newFixture(t, func(config *api.Config) {
				config.Agents = func(w http.ResponseWriter, r *http.Request, call api.AgentCall) {
					transport := lossy{call.Transport, &posts, tt.loseDelete}
					c, err := client.New(client.Config{URL: "http://localhost", Key: call.Secret, Transport: transport, Timeout: mcp.CallTimeout})
					if err != nil {
						t.Error(err)
					}
					(&mcp.Server{}).ServeHTTP(w, r, mcp.Caller{Client: c, KeyID: call.Key.ID, Scopes: call.Key.Scopes})
				}
			})
			key := f.agent()
			text := f.call(key, "create_draft", map[string]any{"posts": tt.posts}).message(t)
			for _, want := range tt.want {
				if !strings.Contains(text, want) {
					t.Errorf("%q is not in %s", want, text)
				}
			}
			for _, not := range tt.not {
				if strings.Contains(text, not) {
					t.Errorf("%q is in %s", not, text)
				}
			}
			if f.count() != tt.left {
				t.Errorf("%d posts, want %d", f.count(), tt.left)
			}
			if tt.lost < 0 {
				return
			}
			if out := f.call(key, "create_draft", map[string]any{"posts": tt.posts}).object(t); len(out["results"].([]any)) != 2 || f.count() != 2 {
				t.Errorf("%d posts: %v", f.count(), out)
			}
		})
	}
}
