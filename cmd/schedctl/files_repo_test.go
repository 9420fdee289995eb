package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

// filesRepo is a git repository with a directory "posts", and a workspace of a
// daemon with the accounts "blog" and "other".
type filesRepo struct {
	t      *testing.T
	dir    string
	origin string // of the repository, as CI systems name it
	daemon *exampleDaemon
	key    string
	client *client.Client
}

// repo returns a repository with an empty collection "web".
func (d *exampleDaemon) repo(t *testing.T) *filesRepo {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	made, err := d.client(t, d.key).CreateWorkspace(t.Context(), apiv1.CreateWorkspace{Name: fmt.Sprintf("Files %d", d.workspaces.Add(1))})
	if err != nil {
		t.Fatal(err)
	}
	r := &filesRepo{t: t, dir: t.TempDir(), daemon: d, key: made.Secret, origin: "https://git.example.org/posts", client: d.client(t, made.Secret)}
	for _, name := range []string{"blog", "other"} {
		if _, err := r.client.AddAccount(t.Context(), apiv1.AddAccount{Platform: "http", Name: name, Credentials: map[string]string{"url": d.network + "/posts"}}); err != nil {
			t.Fatal(err)
		}
	}
	r.git("init", "-q", "-b", "main")
	r.file("posts/schedctl.yaml", "collection: web\n")
	r.commit()
	return r
}

func (r *filesRepo) git(args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "core.autocrlf=false"}, args...)...)
	cmd.Dir = r.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return string(out)
}

func (r *filesRepo) commit() {
	r.t.Helper()
	r.git("add", "-A")
	r.git("commit", "-q", "--allow-empty", "-m", "Change posts")
}

// commitAt makes an empty commit with a committer time.
func (r *filesRepo) commitAt(time string) {
	r.t.Helper()
	r.git("commit", "-q", "--allow-empty", "-m", "Change nothing")
	cmd := exec.Command("git", "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "--amend", "--no-edit", "--allow-empty")
	cmd.Dir, cmd.Env = r.dir, append(os.Environ(), "GIT_COMMITTER_DATE="+time)
	if out, err := cmd.CombinedOutput(); err != nil {
		r.t.Fatalf("%v\n%s", err, out)
	}
}

// clone returns a fresh checkout.
func (r *filesRepo) clone() *filesRepo {
	r.t.Helper()
	other := *r
	other.dir = filepath.Join(r.t.TempDir(), "clone")
	r.git("clone", "-q", r.dir, other.dir)
	return &other
}

func (r *filesRepo) file(name, text string) {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		r.t.Fatal(err)
	}
}

// post writes the file of a scheduled post and commits it.
func (r *filesRepo) post(name, id, text string) {
	r.t.Helper()
	r.file(name, fmt.Sprintf("---\nid: %s\nat: 2099-01-01T09:00:00Z\nto: [blog]\n---\n%s\n", id, text))
	r.commit()
}

// draft writes the file of a draft and commits it.
func (r *filesRepo) draft(name, id, text string) {
	r.t.Helper()
	r.file(name, fmt.Sprintf("---\nid: %s\n---\n%s\n", id, text))
	r.commit()
}

// create writes the files of scheduled posts with the ids, and applies them. The
// text of a post is its id in capitals.
func (r *filesRepo) create(ids ...string) {
	r.t.Helper()
	for _, id := range ids {
		r.post("posts/"+id+".md", id, strings.ToUpper(id))
	}
	r.apply(0, fmt.Sprintf("%d create", len(ids)))
}

// files writes the files of n scheduled posts with a text and their number, and
// commits them.
func (r *filesRepo) files(n int, text string) {
	r.t.Helper()
	for i := range n {
		r.file(fmt.Sprintf("posts/%d.md", i), fmt.Sprintf("---\nid: p%d\nat: 2099-01-01T09:00:00Z\nto: [blog]\n---\n%s %d\n", i, text, i))
	}
	r.commit()
}

func (r *filesRepo) remove(name string) {
	r.t.Helper()
	if err := os.Remove(filepath.Join(r.dir, name)); err != nil {
		r.t.Fatal(err)
	}
	r.commit()
}

func (r *filesRepo) command(ctx context.Context, args ...string) *exec.Cmd {
	r.t.Helper()
	program, err := exec.LookPath("schedctl")
	if err != nil {
		r.t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = r.dir
	cmd.Env = []string{"HOME=" + r.dir + "-home", "BITBUCKET_GIT_HTTP_ORIGIN=" + r.origin, "PATH=" + os.Getenv("PATH"), "SCHEDCTL_URL=" + r.daemon.nextURL(), "SCHEDCTL_API_KEY=" + r.key, "TZ=UTC", raceOptions + "=" + os.Getenv(raceOptions)}
	return cmd
}

// run runs schedctl and checks the exit status, and that the working tree has no
// change.
func (r *filesRepo) run(status int, args ...string) string {
	r.t.Helper()
	var out, told bytes.Buffer
	cmd := r.command(r.t.Context(), args...)
	cmd.Stdout, cmd.Stderr = &out, &told
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		r.t.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != status {
		r.t.Errorf("schedctl %q: exit status %d, want %d\n%s%s", args, got, status, &out, &told)
	}
	if changed := r.git("status", "--porcelain"); changed != "" {
		r.t.Errorf("schedctl %q changed the working tree:\n%s", args, changed)
	}
	return out.String()
}

// apply applies the posts and checks the actions, as "1 create, 2 unchanged".
func (r *filesRepo) apply(status int, want string, args ...string) {
	r.t.Helper()
	counts := map[string]int{}
	for line := range strings.Lines(r.run(status, append([]string{"apply", "posts", "--yes", "--all", "--allow-older"}, args...)...)) {
		if action, _, found := strings.Cut(line, "\t"); found && !strings.HasPrefix(line, " ") {
			counts[action]++
		}
	}
	var got []string
	for _, action := range slices.Sorted(maps.Keys(counts)) {
		got = append(got, fmt.Sprintf("%d %s", counts[action], action))
	}
	if text := strings.Join(got, ", "); text != want {
		r.t.Errorf("apply %q: %s, want %s", args, text, want)
	}
}

func (r *filesRepo) all() (posts []apiv1.Post) {
	r.t.Helper()
	for p, err := range r.client.EachPost(r.t.Context(), client.PostQuery{Statuses: schedctl.Statuses(), Sort: "created_at", Limit: 100}) {
		if err != nil {
			r.t.Fatal(err)
		}
		posts = append(posts, p)
	}
	return posts
}

// want checks the texts of all posts that are not canceled, and the number of
// canceled ones.
func (r *filesRepo) want(canceled int, texts ...string) {
	r.t.Helper()
	var got []string
	for _, p := range r.all() {
		if p.Status == schedctl.Canceled {
			canceled--
			continue
		}
		got = append(got, p.Content)
	}
	slices.Sort(got)
	slices.Sort(texts)
	if diff := cmp.Diff(texts, got); diff != "" || canceled != 0 {
		r.t.Errorf("%d canceled posts are missing; posts, -want +got:\n%s", canceled, diff)
	}
}

// find returns the post with a text.
func (r *filesRepo) find(text string) apiv1.Post {
	r.t.Helper()
	for _, p := range r.all() {
		if p.Content == text {
			return p
		}
	}
	r.t.Fatalf("no post %q", text)
	return apiv1.Post{}
}

// killed runs schedctl and kills it after a while.
func (r *filesRepo) killed(after time.Duration, args ...string) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), after)
	defer cancel()
	r.command(ctx, args...).Run() // either result is fine
}

// fixed returns random numbers that are the same in each run.
func fixed() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }
