package action_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// forge is the part of the API of GitHub that comments need, which Forgejo has as well.
type forge struct {
	*httptest.Server
	mu       sync.Mutex // mu guards the fields below
	comments []string
	refuse   bool
	tokens   []string
}

func newForge(t *testing.T) *forge {
	t.Helper()
	f := &forge{comments: []string{"A comment of somebody else"}}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

// ServeHTTP lists, creates and changes comments of the pull request 12.
func (f *forge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tokens = append(f.tokens, r.Header.Get("Authorization"))
	var in struct{ Body string }
	text, _ := io.ReadAll(r.Body)
	index := -1
	switch path := strings.TrimPrefix(r.URL.Path, "/repos/example/news/issues/"); {
	case f.refuse:
		http.Error(w, "no", http.StatusForbidden)
	case r.Method == http.MethodGet && path == "12/comments":
		list := []map[string]any{}
		for id, body := range f.comments {
			list = append(list, map[string]any{"id": id, "body": body})
		}
		json.NewEncoder(w).Encode(list)
	case json.Unmarshal(text, &in) != nil:
		http.Error(w, "not JSON: "+string(text), http.StatusBadRequest)
	case r.Method == http.MethodPost && path == "12/comments":
		f.comments = append(f.comments, in.Body)
		w.WriteHeader(http.StatusCreated)
	case r.Method == http.MethodPatch && must(fmt.Sscanf(path, "comments/%d", &index)) && index > 0 && index < len(f.comments):
		f.comments[index] = in.Body
	default:
		http.NotFound(w, r)
	}
}

func must(_ int, err error) bool { return err == nil }

// writePosts writes a directory of post files into the workspace.
func (r *runner) writePosts(files map[string]string) {
	r.t.Helper()
	dir := filepath.Join(r.workspace, "posts")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		r.t.Fatal(err)
	}
	files["schedctl.yaml"] = "collection: website\n"
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			r.t.Fatal(err)
		}
	}
}

const launch = "---\nid: launch\nat: 2099-12-08 09:00\ntz: UTC\nto: [blog]\n---\nVersion \"1.0\" is out:\n\n```\nmake\tinstall \\o/\n```\n"

// TestActionCommentsThePlan guards that a pull request gets one comment with the plan, which
// later runs replace, and that nothing is changed.
func TestActionCommentsThePlan(t *testing.T) {
	t.Parallel()
	d, p, f := startDaemon(t), publish(t), newForge(t)
	r := newRunner(t, p.URL)
	r.env["GITHUB_REF"], r.env["GITHUB_API_URL"], r.env["GITHUB_STEP_SUMMARY"] = "refs/pull/12/merge", f.URL, filepath.Join(r.temp, "summary")
	r.writePosts(map[string]string{"launch.md": launch})
	plan := d.inputs(map[string]string{"plan": "posts", "token": "ghs_1"})
	res := r.use(plan)
	if res.err != nil || !strings.Contains(res.outputs["result"], "create") {
		t.Fatalf("%v: %q\n%s", res.err, res.outputs["result"], res.log)
	}
	if len(f.comments) != 2 || !strings.HasPrefix(f.comments[1], "<!-- schedctl plan posts -->\n### schedctl: plan for `posts`\n\n") ||
		!strings.Contains(f.comments[1], res.outputs["result"]) {
		t.Errorf("comments: %q", f.comments)
	}
	if summary := r.read(r.env["GITHUB_STEP_SUMMARY"]); summary != f.comments[1] {
		t.Errorf("the summary is %q", summary)
	}
	r.writePosts(map[string]string{"launch.md": launch, "bad.md": "---\nid: bad\nat: yesterday\nto: [blog]\n---\nx\n"})
	if res := r.use(plan); res.err == nil || !strings.Contains(res.outputs["result"], "bad.md:3: ") {
		t.Errorf("%v: %q", res.err, res.outputs["result"])
	}
	if len(f.comments) < 2 || !strings.Contains(f.comments[len(f.comments)-1], "### schedctl: problems in `posts`") || !strings.Contains(f.comments[len(f.comments)-1], "bad.md:3: ") {
		t.Errorf("comments: %q", f.comments)
	}
	if _, err := exec.LookPath("jq"); err == nil && len(f.comments) != 2 {
		t.Errorf("there are %d comments", len(f.comments))
	}
	for _, token := range f.tokens {
		if token != "token ghs_1" {
			t.Errorf("a request with %q", token)
		}
	}
	if posts := d.posts(); len(posts) != 0 {
		t.Errorf("posts: %q", posts)
	}
}

// TestActionPlansWithoutAComment guards the plan where no comment can be written, and the
// check of files in forks, which have no secrets.
func TestActionPlansWithoutAComment(t *testing.T) {
	t.Parallel()
	d, p, f := startDaemon(t), publish(t), newForge(t)
	f.refuse = true
	for name, tt := range map[string]struct {
		inputs   map[string]string
		ref      string
		requests bool
	}{
		"no token":        {d.inputs(map[string]string{"plan": "posts"}), "refs/pull/12/merge", false},
		"no pull request": {d.inputs(map[string]string{"plan": "posts", "token": "ghs_1"}), "refs/heads/main", false},
		"no permission":   {d.inputs(map[string]string{"plan": "posts", "token": "ghs_1"}), "refs/pull/12/merge", true},
		"a fork":          {map[string]string{"plan": "posts", "url": d.url}, "refs/pull/12/merge", false},
	} {
		f.tokens = nil
		r := newRunner(t, p.URL)
		r.env["GITHUB_REF"], r.env["GITHUB_API_URL"] = tt.ref, f.URL
		r.writePosts(map[string]string{"launch.md": launch})
		res := r.use(tt.inputs)
		if res.err != nil || (tt.inputs["api-key"] != "") != strings.Contains(res.outputs["result"], "create") {
			t.Errorf("%s: %v: %q\n%s", name, res.err, res.outputs["result"], res.log)
		}
		if (len(f.tokens) > 0) != tt.requests {
			t.Errorf("%s: requests with %q", name, f.tokens)
		}
	}
}
