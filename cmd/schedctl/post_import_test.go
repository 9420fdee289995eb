package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
)

// posts is a daemon that keeps what is created, as far as imports need it.
type posts struct {
	mu      sync.Mutex // mu guards all that follows
	kept    []apiv1.Post
	bodies  map[string]string // by idempotency key
	answers map[string]apiv1.Post
	before  func(*http.Request) *refused // refuses a request, or does not
}

func newPosts() *posts {
	return &posts{bodies: map[string]string{}, answers: map[string]apiv1.Post{}}
}

// ServeHTTP serves the requests of an import.
func (d *posts) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	path := strings.TrimPrefix(r.URL.Path, "/api/v1")
	if d.before != nil {
		if no := d.before(r); no != nil {
			if no.status == http.StatusTooManyRequests {
				w.Header().Set("Retry-After", "1")
			}
			routes{r.Method + " " + path: *no}.ServeHTTP(w, r)
			return
		}
	}
	var answer any = refused{http.StatusNotFound, "NOT_FOUND"}
	switch {
	case path == "/me":
		answer = apiv1.Me{Workspace: apiv1.Workspace{ID: "ws_1"}, APIKey: apiv1.APIKey{ID: "key_1", Scopes: []schedctl.Scope{schedctl.ScopePostsWrite}}}
	case path == "/social-accounts":
		answer = twoAccounts
	case path == "/posts/validate":
		answer = apiv1.Validation{Allowed: true}
	case path == "/posts" && r.Method == http.MethodGet:
		answer = d.list(r)
	case path == "/posts":
		answer = http.HandlerFunc(d.create)
	case r.Method == http.MethodGet:
		for _, p := range d.kept {
			if "/posts/"+p.ID == path {
				answer = apiv1.PostEnvelope{Post: p}
			}
		}
	}
	routes{r.Method + " " + path: answer}.ServeHTTP(w, r)
}

func (d *posts) list(r *http.Request) apiv1.PostList {
	var out apiv1.PostList
	query := r.URL.Query()
	for _, p := range d.kept {
		at := ""
		if p.PublishAt != nil {
			at = p.PublishAt.String()
		}
		if id := query.Get("external_id"); id != "" && cli.Deref(p.ExternalID) == id || id == "" && at == query.Get("publish_after") && strings.Contains(p.Content, query.Get("q")) {
			out.Results = append(out.Results, p)
		}
	}
	return out
}

func (d *posts) create(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	key := r.Header.Get("Idempotency-Key")
	if before, there := d.bodies[key]; there {
		if before != string(body) {
			routes{"POST /posts": refused{http.StatusConflict, "IDEMPOTENCY_KEY_REUSED"}}.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Idempotent-Replayed", "true")
		json.NewEncoder(w).Encode(apiv1.PostEnvelope{Post: d.answers[key]})
		return
	}
	var create apiv1.CreatePost
	json.Unmarshal(body, &create)
	if id := cli.Deref(create.ExternalID); id != "" && slices.ContainsFunc(d.kept, func(p apiv1.Post) bool { return cli.Deref(p.ExternalID) == id }) {
		routes{"POST /posts": refused{http.StatusConflict, "EXTERNAL_ID_EXISTS"}}.ServeHTTP(w, r)
		return
	}
	p := apiv1.Post{ExternalID: create.ExternalID, ID: fmt.Sprintf("post_%d", len(d.kept)+1), Content: create.Content, Status: schedctl.Draft, SocialAccountIDs: create.SocialAccountIDs}
	if create.PublishAt != nil {
		p.PublishAt, p.Status = apiv1.NewTime(create.PublishAt.Time), schedctl.Scheduled
	}
	d.kept, d.bodies[key], d.answers[key] = append(d.kept, p), string(body), p
	json.NewEncoder(w).Encode(apiv1.PostEnvelope{Post: p})
}

func csvFile(t *testing.T, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "posts.csv")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestPostImportForPeople(t *testing.T) {
	t.Parallel()
	file := csvFile(t, "id,content,to,at", "one,Hello,demo,2026-12-08 9:00", "two,Hello again,nobody,", ",A draft,,", ",Spring,demo,2027-03-28 2:30 Europe/Berlin")
	d := newPosts()
	m := newMachine(t, d).terminals()
	m.env["NO_COLOR"] = "1"
	if status := m.run(t, "post", "import", "--keep-going", file); status != 9 {
		t.Errorf("exit status %d", status)
	}
	want := `LINE  RESULT   POST    WHEN                        ID   REMARK
2     created  post_N  2026-12-08 09:00 (in 16d)   one
4     created  post_N
5     created  post_N  2027-03-28 01:00 (in 126d)       clocks in Europe/Berlin skip 02:30 on that day, so this is the first instant after the gap
3     refused                                      two  there is no account "nobody"; the accounts are feed:demo, http:hook
`
	if diff := cmp.Diff(want, regexp.MustCompile(`post_\d`).ReplaceAllString(m.out.String(), "post_N")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := m.err.String(); got != "3 created, 1 refused\nschedctl: 1 of 4 lines was not imported\n" {
		t.Errorf("got %q", got)
	}
	m.want(t, 0, "", "reading lines; end them with Ctrl-D on a line of its own\nno lines\n", "post", "import", "--format", "jsonl", "-")
}

// TestPostImportOfManyLines guards that the output for many lines shows what needs
// attention.
func TestPostImportOfManyLines(t *testing.T) {
	t.Parallel()
	lines := []string{"content,id"}
	for i := range 200 {
		lines = append(lines, fmt.Sprintf("text %d,%d", i, i))
	}
	lines[150] = "text,1"
	m := newMachine(t, newPosts()).terminals()
	m.env["NO_COLOR"] = "1"
	m.want(t, 9, "LINE  RESULT   POST  WHEN  ID  REMARK\n151   refused              1   line 3 has the same id \"1\"\n",
		"199 created, 1 refused\nschedctl: 1 of 200 lines was not imported\n", "post", "import", "--keep-going", csvFile(t, lines...))
}

// Many lines, and all of them again.
func TestPostImportOfALargeFile(t *testing.T) {
	skipShort(t)
	t.Parallel()
	const lines = 5_000
	var file strings.Builder
	for i := range lines {
		fmt.Fprintf(&file, "{\"content\":\"text %d\",\"id\":\"line-%d\"}\n", i, i)
	}
	d := newPosts()
	m := newMachine(t, d)
	for _, want := range []string{"created", "exists"} {
		m.In = strings.NewReader(file.String())
		if status := m.run(t, "post", "import", "-", "--collection", "many"); status != 0 || m.err.String() != fmt.Sprintf("%d %s\n", lines, want) {
			t.Fatalf("exit status %d: %s", status, &m.err)
		}
		if n := strings.Count(m.out.String(), "\n"); n != lines || len(d.kept) != lines {
			t.Errorf("%d results, %d posts", n, len(d.kept))
		}
		if first, _, _ := strings.Cut(m.out.String(), "\n"); !strings.HasPrefix(first, "1\t"+want+"\tpost_") {
			t.Errorf("the first result is %q", first)
		}
	}
}

func TestPostImportWaitsForALimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newPosts()
		limited := 0
		d.before = func(r *http.Request) *refused {
			if limited++; limited == 1 || limited > 4 && limited < 9 {
				return &refused{http.StatusTooManyRequests, "RATE_LIMITED"}
			}
			return nil
		}
		m := newMachine(t, d)
		m.In = strings.NewReader("content\na\nb\nc\n")
		if status := m.run(t, "post", "import", "-"); status != 0 || len(d.kept) != 3 || limited < 9 {
			t.Errorf("exit status %d, %d posts: %s", status, len(d.kept), &m.err)
		}
	})
}

// An import that waits for a limit is interrupted as any other is.
func TestPostImportIsInterruptedAtALimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newPosts()
		d.before = func(*http.Request) *refused { return &refused{http.StatusTooManyRequests, "RATE_LIMITED"} }
		m := newMachine(t, d)
		m.In = strings.NewReader("content\na\n")
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		time.AfterFunc(5*time.Second/2, cancel)
		if status := run(ctx, m.System, []string{"post", "import", "-"}); status != cli.ExitInterrupted || !strings.Contains(m.err.String(), "interrupted") {
			t.Errorf("exit status %d: %s", status, &m.err)
		}
	})
}

// TestPostImportStopsAndGoesOn guards that an import stops when the daemon becomes
// unreachable, and that the next import continues.
func TestPostImportStopsAndGoesOn(t *testing.T) {
	t.Parallel()
	var lines []string
	for i := range 100 {
		lines = append(lines, fmt.Sprintf("text %d", i))
	}
	file := csvFile(t, append([]string{"content"}, lines...)...)
	d := newPosts()
	d.before = func(r *http.Request) *refused {
		if len(d.kept) >= 40 {
			return &refused{http.StatusInternalServerError, "INTERNAL"}
		}
		return nil
	}
	m := newMachine(t, d)
	if status := m.run(t, "post", "import", file); status != 7 {
		t.Fatalf("exit status %d: %s", status, &m.err)
	}
	n := strings.Count(m.out.String(), "\tcreated\t")
	want := fmt.Sprintf("%d created\nschedctl: stopped after %d of 100 lines: the daemon says no; run the same command again to continue; no post is created twice\n", n, n)
	if got := m.err.String(); got != want || n == 0 || n > 40 {
		t.Errorf("got %q, want %q", got, want)
	}
	d.before = nil
	if status := m.run(t, "post", "import", file); status != 0 || len(d.kept) != 100 {
		t.Errorf("exit status %d, %d posts: %s", status, len(d.kept), &m.err)
	}
	if want := "60 created, 40 exists\n"; m.err.String() != want {
		t.Errorf("got %q, want %q", &m.err, want)
	}
}

func TestPostImportIsInterrupted(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		stop string // the request that the interruption meets
		want string
		done int
	}{
		{"POST /api/v1/posts/validate", "schedctl: interrupted; no post was sent\n", 0},
		{"POST /api/v1/posts", "schedctl: interrupted after 0 of 3 lines; import the same lines again to continue; no post is created twice\n", 0},
	} {
		d := newPosts()
		ctx, interrupt := context.WithCancel(t.Context())
		d.before = func(r *http.Request) *refused {
			if r.Method+" "+r.URL.Path == tc.stop {
				interrupt()
				<-r.Context().Done()
				return &refused{http.StatusInternalServerError, "INTERNAL"} // the client is disconnected
			}
			return nil
		}
		m := newMachine(t, d)
		m.In = strings.NewReader("content\na\nb\nc\n")
		status := run(ctx, m.System, []string{"post", "import", "-"})
		if status != 130 || m.err.String() != tc.want {
			t.Errorf("exit status %d: %q, want %q", status, &m.err, tc.want)
		}
		d.before = nil
		m.In = strings.NewReader("content\na\nb\nc\n")
		if status := m.run(t, "post", "import", "-"); status != 0 || len(d.kept) != 3 {
			t.Errorf("again: exit status %d, %d posts: %s", status, len(d.kept), &m.err)
		}
	}
}

func TestPostImportIsInterruptedWhileReading(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	m := newMachine(t, newPosts())
	in, _ := io.Pipe()
	m.In = io.MultiReader(strings.NewReader("content\na\n"), readerFunc(func(p []byte) (int, error) {
		interrupt()
		return in.Read(p) // for ever
	}))
	if status := run(ctx, m.System, []string{"post", "import", "-"}); status != 130 || m.err.String() != "schedctl: interrupted; no post was sent\n" {
		t.Errorf("exit status %d: %s", status, &m.err)
	}
	in.Close()
}

func TestPostImportKeepsNothingBehind(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	m := newMachine(t, newPosts())
	m.In = strings.NewReader("content\na\n")
	if status := m.run(t, "post", "import", "-"); status != 0 {
		t.Fatalf("exit status %d: %s", status, &m.err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

func TestPostImportKnowsPostsByTheirIDs(t *testing.T) {
	t.Parallel()
	const id = "post_01KAK3R9ZC4VBX1D2E3F4G5H6J"
	d := newPosts()
	d.kept = []apiv1.Post{{ID: id, Content: "Hello", SocialAccountIDs: []string{demoID, hookID}, PublishAt: at(-time.Hour), Status: schedctl.Published}}
	m := newMachine(t, d)
	m.want(t, 0, "2\texists\t"+id+"\t2026-11-21T11:00:00Z\t"+id+"\t\n", "1 exists\n",
		"post", "import", csvFile(t, "id,content,to,at", id+",Hello,hook;demo,2026-11-21T11:00:00Z"))
	m.want(t, 0, "2\texists\t"+id+"\t2026-11-21T11:00:00Z\t"+id+"\talready published; not changed\n", "1 exists\n",
		"post", "import", csvFile(t, "id,content,to,at", id+",Hello!,hook;demo,2026-11-21T11:00:00Z"))
	// Another daemon does not know it, and makes a post of its own once.
	m = newMachine(t, newPosts())
	file := csvFile(t, "id,content", id+",Hello")
	m.want(t, 0, "2\tcreated\tpost_1\t\t"+id+"\t\n", "1 created\n", "post", "import", file)
	m.want(t, 0, "2\texists\tpost_1\t\t"+id+"\t\n", "1 exists\n", "post", "import", file)
}

// A line with an id is compared with its post. Only --update changes the post.
func TestPostImportComparesLinesWithTheirPosts(t *testing.T) {
	t.Parallel()
	const time, canceled = "2026-12-08T09:00:00Z", "canceled; not created again"
	for name, tc := range map[string]struct {
		status        schedctl.Status
		joinCells     string
		update        bool
		exit          int
		createdResult string
		remark        string
		changeResult  []string // fields that were sent
	}{
		"nothing has changed":     {"scheduled", "a,Hello,demo," + time, true, 0, "exists", "", nil},
		"empty columns":           {"scheduled", "a,Hello,,", true, 0, "exists", "", nil},
		"a relative time":         {"scheduled", "a,Hello,demo,in 3h", true, 0, "exists", "", nil},
		"another text":            {"scheduled", "a,Hi,demo," + time, false, 5, "refused", "post_1 has another text, time, media, parts, accounts or settings; change it with --update", nil},
		"another text, updated":   {"scheduled", "a,Hi,demo," + time, true, 0, "updated", "", []string{"content"}},
		"all is new":              {"draft", "a,Hi,hook;demo,2026-12-09T09:00:00Z", true, 0, "updated", "", []string{"content", "publish_at", "social_account_ids"}},
		"a time that has passed":  {"scheduled", "a,Hello,demo,2026-11-20 9:00", true, 5, "refused", "Fri 20 Nov 2026 09:00 UTC has passed (1 day 3 hours ago): use a time in the future, such as \"in 1h\" or \"tomorrow 9am\"", nil},
		"published":               {"published", "a,Hi,demo," + time, true, 0, "exists", "already published; not changed", nil},
		"canceled":                {"canceled", "a,Hello,demo," + time, false, 0, "exists", canceled, nil},
		"canceled and changed":    {"canceled", "a,Hi,demo," + time, true, 0, "exists", canceled, nil},
		"canceled, without an id": {"canceled", ",Hello,demo," + time, false, 0, "exists", canceled, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var sent capture
			p := apiv1.Post{
				ID: "post_1", Content: "Hello", SocialAccountIDs: []string{demoID}, PublishAt: at(17*24*60*60*1e9 - 3*60*60*1e9), Status: tc.status,
				ExternalID: ptr("import/posts.csv/a"), Version: 3,
			}
			d := newPosts()
			d.kept = []apiv1.Post{p}
			m := newMachine(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPatch && r.Header.Get("If-Match") == `"3"` {
					sent.answer(apiv1.PostEnvelope{Post: p})(w, r)
					return
				}
				d.ServeHTTP(w, r)
			}))
			args := []string{"post", "import", csvFile(t, "id,content,to,at", tc.joinCells), "--jsonl", "--json=result,post_id,message"}
			if tc.update {
				args = append(args, "--update")
			}
			if exit := m.run(t, args...); exit != tc.exit {
				t.Errorf("exit status %d, want %d: %s", exit, tc.exit, &m.err)
			}
			want, _ := json.Marshal(struct {
				Result string `json:"result"`
				PostID string `json:"post_id"`
				Remark string `json:"message"`
			}{tc.createdResult, "post_1", tc.remark})
			if diff := cmp.Diff(string(want)+"\n", m.out.String()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if got := slices.Sorted(maps.Keys(sent.body)); !slices.Equal(got, tc.changeResult) || len(d.kept) != 1 {
				t.Errorf("sent %q, want %q; %d posts", got, tc.changeResult, len(d.kept))
			}
		})
	}
}

func TestPostImportIDs(t *testing.T) {
	t.Parallel()
	d := newPosts()
	m := newMachine(t, d)
	path := filepath.Join(t.TempDir(), "my posts é.csv")
	if err := os.WriteFile(path, []byte("id,content\na/1,Hello\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	m.want(t, 0, "2\tcreated\tpost_1\t\ta/1\t\n", "1 created\n", "post", "import", path)
	m.want(t, 0, "2\tcreated\tpost_2\t\ta/1\t\n", "1 created\n", "post", "import", path, "--collection", "news")
	m.want(t, 0, "2\texists\tpost_2\t\ta/1\t\n", "1 exists\n", "post", "import", path, "--collection", "news")
	for i, want := range []string{"import/my%20posts%20%C3%A9.csv/a/1", "news/a/1"} {
		if got := cli.Deref(d.kept[i].ExternalID); got != want || d.kept[i].Managed != nil {
			t.Errorf("external id %q, want %q", got, want)
		}
	}
	m.want(t, 2, "", "schedctl: --collection must have 1 to 80 letters, digits, dots, underscores or hyphens\n", "post", "import", path, "--collection", "a b")
	m.want(t, 2, "", "schedctl: --collection cannot be \"import\", which is reserved; choose another name\n", "post", "import", path, "--collection", "import")
	m.want(t, 5, "2\trefused\t\t\ta b\tthe id \"a b\" is not valid: use visible ASCII characters without spaces, at most 183\n",
		"1 refused\nschedctl: no post was sent, because 1 of 1 line is refused; correct them, or import the others with --keep-going\n",
		"post", "import", csvFile(t, "id,content", "a b,Hello"))
	m.In = strings.NewReader("id,content\na,Hello\n")
	m.want(t, 2, "", "schedctl: standard input needs --collection when lines have an id; give --collection NAME; the posts then have the external ids NAME/ID\n", "post", "import", "-")
	m.want(t, 0, "2\tcreated\tpost_3\t\t\t\n", "1 created\n", "post", "import", csvFile(t, "text,accounts", `Hello,"demo, hook"`))
	m.want(t, 5, "2\trefused\t\t\t\tthere is no account \"hooks\"; the accounts are feed:demo, http:hook; separate accounts with \";\"\n",
		"1 refused\nschedctl: no post was sent, because 1 of 1 line is refused; correct them, or import the others with --keep-going\n",
		"post", "import", csvFile(t, "text,accounts", `Hello,"demo, hooks"`))
}

func TestDependsOnNow(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		"2026-12-08 9:00": false, "2026-12-08T09:00:00+01:00": false, "@1796720400": false, "10 March 2027 9am": false,
		"in 2h": true, "tomorrow 9am": true, "friday noon": true, "9am": true, "Mar 10 9am": true, "2 weeks ago": true,
	} {
		m, err := when.Parse(text, noon, berlin)
		if err != nil {
			t.Fatal(err)
		}
		if got := cli.DependsOnNow(text, m, noon, berlin); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
}

func TestKeysAreStable(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff("cli-9f2b0d50", post.DeriveKey("a", "b")[:12]); diff != "" {
		t.Errorf("another version would post twice, -want +got:\n%s", diff)
	}
	if post.DeriveKey("a", "b") == post.DeriveKey("ab", "") || post.DeriveKey("a,1:b") == post.DeriveKey("a", "b") {
		t.Error("different parts have the same key")
	}
}

func TestProgress(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil).terminals()
	now := noon
	m.Now = func() time.Time { now = now.Add(60 * time.Millisecond); return now }
	a := &cli.App{System: m.System}
	for _, all := range []int{4, 0} {
		p := a.NewProgress("importing", all)
		for range 4 {
			p.Step()
		}
		p.Clear()
	}
	want := "\r\x1b[Kimporting [##########          ] 2 of 4\r\x1b[Kimporting [####################] 4 of 4\r\x1b[K" +
		"\r\x1b[Kimporting: 2\r\x1b[Kimporting: 4\r\x1b[K"
	if got := m.err.String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

type readerFunc func([]byte) (int, error)

// Read calls the function.
func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
