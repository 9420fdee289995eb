package api_test

import (
	"net/http"
	"sync"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// TestHammer lets 20 clients send the same request with the same Idempotency-Key at
// once. The request takes effect once. Each client that is not asked to wait gets
// the response of the request that took effect.
func TestHammer(t *testing.T) {
	t.Parallel()
	onEveryEngine(t, func(t *testing.T, f *fixture) {
		for path, b := range map[string]body{
			"/posts":      {"content": "once", "social_account_ids": []string{f.mine.account}},
			"/api-keys":   {"name": "once"},
			"/workspaces": {"name": "once"},
		} {
			before := f.counts()
			answers := f.hammer(20, path, b)
			fresh, replayed := 0, 0
			var first *response
			for _, r := range answers {
				switch {
				case r.status == http.StatusConflict:
					r.refused(schedctl.IdempotencyRunning)
					continue
				case r.header.Get("Idempotent-Replayed") == "true":
					replayed++
				default:
					fresh++
				}
				if first == nil {
					first = r.want(201)
				}
				if string(r.want(201).body) != string(first.body) {
					t.Errorf("%s: two answers:\n%s\n%s", path, r.body, first.body)
				}
			}
			if fresh != 1 {
				t.Errorf("%s: %d responses are not replayed, %d are", path, fresh, replayed)
			}
			after := f.counts()
			after.audit-- // the one write that was accepted
			switch path {
			case "/posts":
				after.posts--
			case "/api-keys":
				after.keys--
			case "/workspaces":
				after.workspaces-- // the new key belongs to the new workspace
			}
			if before != after {
				t.Errorf("%s: there was %+v, and without one of each is %+v", path, before, after)
			}
		}
	})
}

// hammer sends one request from many goroutines at once.
func (f *fixture) hammer(callers int, path string, b body) []*response {
	answers := make([]*response, callers)
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i := range callers {
		wg.Go(func() {
			<-start
			answers[i] = f.do(key("hammer"), "POST", path, b)
		})
	}
	close(start)
	wg.Wait()
	return answers
}

type counts struct{ posts, keys, workspaces, audit int }

// counts returns the number of objects in my workspace, and the number of
// workspaces.
func (f *fixture) counts() (n counts) {
	f.t.Helper()
	err := f.store.View(f.t.Context(), func(r storage.Reader) error {
		posts, err := r.Posts(storage.PostQuery{WorkspaceID: f.mine.workspace, Limit: 1000})
		if err != nil {
			return err
		}
		keys, err := r.Keys(f.mine.workspace)
		if err != nil {
			return err
		}
		workspaces, err := r.Workspaces()
		n = counts{posts: len(posts.Posts), keys: len(keys), workspaces: len(workspaces)}
		return err
	})
	if err != nil {
		f.t.Fatal(err)
	}
	n.audit = len(f.audit())
	return n
}
