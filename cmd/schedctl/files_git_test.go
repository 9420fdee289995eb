package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/files"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
	"github.com/schedctl/schedctl/scripts/testsize"
)

// gitScenarios are what happens to post files in repositories. No post may be
// doubled or lost, and none that a person canceled may be created again.
var gitScenarios = map[string]func(*filesRepo){
	"a fresh checkout knows its posts": func(r *filesRepo) {
		r.create("a")
		r.clone().apply(0, "1 unchanged")
		r.want(0, "A")
	},
	"a fresh checkout changes its posts": func(r *filesRepo) {
		r.create("a")
		r.post("posts/a.md", "a", "A2")
		r.clone().apply(0, "1 edit")
		r.want(0, "A2")
	},
	"a fresh checkout prunes": func(r *filesRepo) {
		r.create("a", "b")
		r.remove("posts/a.md")
		r.clone().apply(0, "1 cancel, 1 unchanged", "--prune")
		r.want(1, "B")
	},
	"without prune a post stays": func(r *filesRepo) {
		r.create("a")
		r.remove("posts/a.md")
		r.apply(0, "1 orphan")
		r.want(0, "A")
	},
	"two clones take turns": func(r *filesRepo) {
		one, two := r.clone(), r.clone()
		one.create("a")
		two.post("posts/b.md", "b", "B")
		two.apply(0, "1 create, 1 orphan") // it does not have the file of a, and keeps the post
		one.apply(0, "1 orphan, 1 unchanged")
		r.want(0, "A", "B")
	},
	"another repository has the same collection": func(r *filesRepo) {
		r.create("a", "b")
		other := r.clone()
		other.origin = "https://git.example.org/fork.git"
		other.remove("posts/a.md")
		for _, command := range []string{"apply", "plan"} {
			args := []string{command, "posts", "--prune-all"}
			if command == "apply" {
				args = append(args, "--yes")
			}
			out, err := other.command(r.t.Context(), args...).CombinedOutput()
			if err == nil || !strings.Contains(string(out), `the collection "web" belongs to git.example.org/posts, and these files are from git.example.org/fork`) || !strings.Contains(string(out), "schedctl collection adopt web posts") {
				r.t.Errorf("%s: %v\n%s", command, err, out)
			}
			r.want(0, "A", "B")
		}
		other.run(0, "collection", "adopt", "web", "posts", "--yes")
		other.apply(0, "1 cancel, 1 unchanged", "--prune")
		r.run(6, "apply", "posts", "--yes")
		r.want(1, "B")
	},
	"an old commit": func(r *filesRepo) {
		r.create("a")
		r.post("posts/b.md", "b", "B")
		r.commitAt("2099-01-01T00:00:00Z")
		r.run(0, "apply", "posts", "--yes")
		r.git("checkout", "-q", "HEAD~2")
		r.run(6, "plan", "posts", "--prune")
		r.run(6, "apply", "posts", "--yes", "--prune")
		r.want(0, "A", "B")
		r.file("posts/dirty.md", "---\nid: dirty\n---\nDirty\n")
		r.command(r.t.Context(), "apply", "posts", "--yes").Run() // the files have no revision
		r.want(0, "A", "B", "Dirty")
	},
	"a directory without files": func(r *filesRepo) {
		r.create("a", "b", "c")
		for _, id := range []string{"a", "b", "c"} {
			r.remove("posts/" + id + ".md")
		}
		r.run(6, "plan", "posts", "--prune")
		r.apply(6, "", "--prune")
		r.want(0, "A", "B", "C")
		r.apply(0, "3 cancel", "--prune-all")
		r.want(3)
	},
	"prune of most posts": func(r *filesRepo) {
		r.create("a", "b", "c", "d", "e", "f")
		for _, id := range []string{"a", "b", "c", "d"} {
			r.remove("posts/" + id + ".md")
		}
		r.run(6, "plan", "posts", "--prune")
		r.apply(6, "", "--prune")
		r.want(0, "A", "B", "C", "D", "E", "F")
		r.post("posts/d.md", "d", "D") // half of them is no more than half
		r.apply(0, "3 cancel, 3 unchanged", "--prune")
		r.want(3, "D", "E", "F")
		for _, id := range []string{"d", "e"} {
			r.remove("posts/" + id + ".md")
		}
		r.apply(0, "2 cancel, 1 unchanged", "--prune") // of three posts
		r.want(5, "F")
	},
	"two clones merge": func(r *filesRepo) {
		one, two := r.clone(), r.clone()
		one.create("a")
		two.post("posts/b.md", "b", "B")
		two.apply(0, "1 create, 1 orphan")
		one.git("pull", "-q", "--no-rebase", "--no-edit", two.dir, "main")
		one.apply(0, "2 unchanged", "--prune")
		r.want(0, "A", "B")
	},
	"a renamed file": func(r *filesRepo) {
		r.create("a")
		r.git("mv", "posts/a.md", "posts/z.md")
		r.commit()
		r.apply(0, "1 unchanged", "--prune")
		if p := r.find("A"); p.Managed.Path != "z.md" {
			r.t.Errorf("managed %+v", p.Managed)
		}
		r.want(0, "A")
	},
	"a moved and changed file": func(r *filesRepo) {
		r.create("a")
		r.remove("posts/a.md")
		r.post("posts/2099/a.md", "a", "A2")
		r.clone().apply(0, "1 edit", "--prune")
		if p := r.find("A2"); p.Managed.Path != "2099/a.md" {
			r.t.Errorf("managed %+v", p.Managed)
		}
		r.want(0, "A2")
	},
	"two files swap their names": func(r *filesRepo) {
		r.create("a", "b")
		r.post("posts/a.md", "b", "B")
		r.post("posts/b.md", "a", "A")
		r.apply(0, "2 unchanged", "--prune")
		r.want(0, "A", "B")
	},
	"another id is another post": func(r *filesRepo) {
		r.create("a")
		r.post("posts/a.md", "a2", "A2")
		r.apply(0, "1 cancel, 1 create", "--prune")
		r.want(1, "A2")
	},
	"two files with one id": func(r *filesRepo) {
		r.post("posts/a.md", "a", "A")
		r.post("posts/b.md", "a", "B")
		r.run(5, "lint", "posts", "--offline")
		r.run(5, "apply", "posts", "--yes", "--prune")
		r.want(0)
	},
	"a removed file comes back": func(r *filesRepo) {
		r.create("a")
		r.remove("posts/a.md")
		r.apply(0, "1 cancel", "--prune-all")
		r.git("revert", "--no-edit", "HEAD")
		r.clone().apply(0, "1 create")
		r.apply(0, "1 unchanged", "--prune")
		r.want(1, "A")
	},
	"a removed file comes back twice": func(r *filesRepo) {
		for range 2 {
			r.create("a")
			r.remove("posts/a.md")
			r.apply(0, "1 cancel", "--prune-all")
		}
		r.want(2)
	},
	"a removed draft comes back": func(r *filesRepo) {
		r.draft("posts/a.md", "a", "A")
		r.apply(0, "1 create")
		r.remove("posts/a.md")
		r.apply(0, "1 cancel", "--prune-all")
		r.want(0)
		r.draft("posts/a.md", "a", "A")
		r.apply(0, "1 create")
		r.want(0, "A")
	},
	"a draft that a person deleted": func(r *filesRepo) {
		r.draft("posts/a.md", "a", "A")
		r.apply(0, "1 create")
		r.run(0, "post", "delete", r.find("A").ID)
		r.apply(0, "1 create")
		r.want(0, "A")
	},
	"a post that a person canceled": func(r *filesRepo) {
		r.create("a")
		r.run(0, "post", "cancel", r.find("A").ID)
		r.apply(6, "1 drift")
		r.clone().apply(6, "1 drift", "--prune")
		r.post("posts/a.md", "a", "A2")
		r.apply(6, "1 drift")
		r.want(1)
		r.apply(0, "1 create", "--overwrite")
		r.apply(0, "1 unchanged")
		r.want(1, "A2")
	},
	"a post that a person canceled, then its file is removed": func(r *filesRepo) {
		r.create("a")
		r.run(0, "post", "cancel", r.find("A").ID)
		r.remove("posts/a.md")
		r.apply(0, "", "--prune")
		r.post("posts/a.md", "a", "A")
		r.apply(6, "1 drift")
		r.want(1)
	},
	"a post that a person changed": func(r *filesRepo) {
		r.create("a")
		r.run(0, "post", "edit", r.find("A").ID, "By hand")
		r.apply(6, "1 drift")
		r.post("posts/a.md", "a", "A2")
		r.clone().apply(6, "1 drift")
		r.want(0, "By hand")
		r.apply(0, "1 edit", "--overwrite")
		r.want(0, "A2")
	},
	"file and post changed alike": func(r *filesRepo) {
		r.create("a")
		r.run(0, "post", "edit", r.find("A").ID, "A2")
		r.post("posts/a.md", "a", "A2")
		r.apply(0, "1 unchanged")
		r.post("posts/a.md", "a", "A3")
		r.apply(0, "1 edit")
		r.want(0, "A3")
	},
	"prune leaves a post that a person changed": func(r *filesRepo) {
		r.create("a")
		r.run(0, "post", "edit", r.find("A").ID, "By hand")
		r.remove("posts/a.md")
		r.apply(6, "1 drift", "--prune")
		r.want(0, "By hand")
		r.apply(0, "1 cancel", "--prune-all", "--overwrite")
		r.want(1)
	},
	"prune of one of two collections": func(r *filesRepo) {
		r.create("a")
		r.file("news/schedctl.yaml", "collection: news\n")
		r.post("news/a.md", "a", "News")
		r.run(0, "apply", "news", "--yes")
		r.run(0, "post", "create", "By hand")
		r.remove("posts/a.md")
		r.apply(0, "1 cancel", "--prune-all")
		r.want(1, "News", "By hand")
		r.run(0, "apply", "news", "--yes", "--prune")
		r.want(1, "News", "By hand")
	},
	"another post looks alike": func(r *filesRepo) {
		r.run(0, "post", "create", "A", "--to", "blog", "--at", "2099-01-01 09:00")
		r.create("a")
		r.want(0, "A", "A")
		r.apply(0, "1 unchanged", "--prune")
		r.want(0, "A", "A")
	},
	"a collection from the command line": func(r *filesRepo) {
		r.remove("posts/schedctl.yaml")
		r.post("posts/a.md", "a", "A")
		r.run(2, "apply", "posts", "--yes")
		r.run(2, "plan", "posts")
		r.apply(0, "1 create", "--collection", "web")
		r.clone().apply(0, "1 unchanged", "--collection", "web")
		r.file("posts/schedctl.yaml", "collection: web\n")
		r.commit()
		r.apply(0, "1 unchanged")
		r.run(2, "apply", "posts", "--yes", "--collection", "other")
		r.run(2, "apply", "posts", "--yes", "--collection", "import")
		r.file("posts/schedctl.yaml", "collection: web\nprune: true\n")
		r.commit()
		r.run(5, "plan", "posts")
		r.want(0, "A")
	},
	"a post gets and loses its time": func(r *filesRepo) {
		r.draft("posts/a.md", "a", "A")
		r.apply(0, "1 create")
		r.post("posts/a.md", "a", "A2")
		r.apply(0, "1 edit")
		r.draft("posts/a.md", "a", "A3")
		r.apply(0, "1 edit")
		if p := r.find("A3"); p.Status != schedctl.Draft || p.PublishAt != nil {
			r.t.Errorf("the post is %s for %v", p.Status, p.PublishAt)
		}
		r.apply(0, "1 unchanged")
		r.want(0, "A3")
	},
	"a published post": func(r *filesRepo) {
		r.create("a")
		r.run(0, "post", "publish", r.find("A").ID, "--wait")
		r.apply(0, "1 unchanged")
		r.post("posts/a.md", "a", "A2")
		r.apply(0, "1 unchanged") // with a warning
		r.remove("posts/a.md")
		r.apply(0, "", "--prune")
		r.want(0, "A")
	},
	"existing posts are adopted": func(r *filesRepo) {
		r.remove("posts/schedctl.yaml")
		r.run(0, "post", "create", "Launch: 1.0 <is> out!\n\n- one\n", "--to", "blog", "--to", "other", "--at", "2099-01-01 09:00", "--override", "other=Short:\n\"1.0\"")
		r.run(0, "post", "create", "# Größe", "--to", "blog")
		if _, err := r.client.CreatePost(r.t.Context(), apiv1.CreatePost{Content: "Elsewhere", ExternalID: ptr("release-1")}); err != nil {
			r.t.Fatal(err)
		}
		r.run(0, "post", "create", "Canceled", "--to", "blog", "--at", "2099-01-01 09:00")
		r.run(0, "post", "cancel", r.find("Canceled").ID)
		r.adopt()
		r.apply(0, "2 unchanged", "--prune")
		r.adopt() // a second time changes nothing
		r.apply(0, "2 unchanged", "--prune")
		r.want(1, "Launch: 1.0 <is> out!\n\n- one", "# Größe", "Elsewhere")
	},
	"existing posts have files already": func(r *filesRepo) {
		for range 2 { // two equal posts, and one file of each
			r.run(0, "post", "create", "A", "--to", "blog", "--at", "2099-01-01 09:00")
		}
		r.run(0, "post", "create", "Without a file", "--to", "blog", "--at", "2099-01-01 09:00")
		r.run(0, "post", "create", "D")
		r.post("posts/a.md", "a", "A")
		r.post("posts/a2.md", "a2", "A")
		r.post("posts/b.md", "b", "B")
		r.draft("posts/d.md", "d", "D")
		out, err := r.command(r.t.Context(), "plan", "posts").CombinedOutput()
		if err != nil || !strings.Contains(string(out), "warning: 3 posts would be created although a post with the same content exists") {
			r.t.Errorf("plan: %v\n%s", err, out)
		}
		r.adopt()
		r.apply(0, "1 create, 4 unchanged", "--prune")
		r.want(0, "A", "A", "B", "D", "Without a file")
		if out, _ := r.command(r.t.Context(), "plan", "posts").CombinedOutput(); strings.Contains(string(out), "warning") {
			r.t.Errorf("plan: %s", out)
		}
	},
	"a lost file of an adopted post is written again": func(r *filesRepo) {
		r.run(0, "post", "create", "A", "--to", "blog")
		r.adopt()
		r.git("rm", "-q", "posts/a.md")
		r.commit()
		r.adopt()
		r.apply(0, "1 unchanged", "--prune")
		r.want(0, "A")
	},
	"an imported collection becomes files": func(r *filesRepo) {
		r.file("posts.csv", "id,content,to,at\na,A,blog,2099-01-01T09:00:00Z\nb,B,blog,2099-01-01T09:00:00Z\n")
		r.post("posts/a.md", "a", "A")
		r.run(0, "post", "import", "posts.csv", "--collection", "web")
		r.apply(0, "1 unchanged") // without a second post
		r.apply(0, "1 unchanged")
		r.want(0, "A", "B")
	},
	"a lock of an earlier version": func(r *filesRepo) {
		for _, id := range []string{"a", "b", "c"} {
			r.run(0, "post", "create", strings.ToUpper(id), "--to", "blog", "--at", "2099-01-01 09:00")
			r.post("posts/"+id+".md", id, strings.ToUpper(id))
		}
		r.writeLock("a", "b", "c", "gone")
		r.run(0, "post", "edit", r.find("B").ID, "By hand")
		r.run(0, "post", "cancel", r.find("C").ID)
		for range 2 {
			r.apply(6, "2 drift, 1 unchanged")
			r.want(1, "A", "By hand")
		}
		r.remove("posts/.schedctl.json")
		r.clone().apply(6, "2 drift, 1 unchanged", "--prune")
		r.remove("posts/a.md")
		r.apply(6, "1 cancel, 2 drift", "--prune")
		r.want(2, "By hand")
	},
	"two applies at once": func(r *filesRepo) {
		r.files(20, "Post")
		for _, change := range []func(){
			func() {}, // create
			func() { r.post("posts/0.md", "p0", "Another") },
			func() { r.remove("posts/1.md") },
			func() { r.post("posts/1.md", "p1", "Back") },
		} {
			change()
			var group sync.WaitGroup
			for range 4 {
				one := r.clone()
				group.Go(func() { one.run(0, "apply", "posts", "--yes", "--prune") })
			}
			group.Wait()
			r.run(0, "plan", "posts", "--prune", "--exit-code")
		}
		if n := len(r.all()); n != 21 {
			r.t.Errorf("%d posts, want 20 and a canceled one", n)
		}
	},
	"killed at many points": func(r *filesRepo) {
		random := fixed()
		for round := range 12 {
			want := 20
			r.files(want, fmt.Sprintf("Round %d, post", round))
			if round%3 == 1 {
				want--
				r.remove("posts/0.md")
			}
			for range 3 {
				r.killed(time.Duration(random.Int64N(int64(150*time.Millisecond))), "apply", "posts", "--yes", "--prune")
			}
			r.run(0, "apply", "posts", "--yes", "--prune")
			r.run(0, "plan", "posts", "--prune", "--exit-code")
			live := map[string]int{}
			for _, p := range r.all() {
				if p.Status != schedctl.Canceled {
					live[*p.ExternalID]++
				}
			}
			for id, n := range live {
				if n != 1 {
					r.t.Errorf("round %d: %d posts for %s", round, n, id)
				}
			}
			if len(live) != want {
				r.t.Errorf("round %d: %d posts, want %d", round, len(live), want)
			}
		}
	},
	"an export killed at many points": func(r *filesRepo) {
		for i := range 20 {
			r.run(0, "post", "create", fmt.Sprintf("Post %d", i), "--to", "blog", "--at", "2099-01-01 09:00")
		}
		random := fixed()
		for range 8 {
			r.killed(time.Duration(random.Int64N(int64(120*time.Millisecond))), "post", "export", "--files", "posts", "--collection", "web")
			r.git("clean", "-q", "-f", "posts/.*")
			r.commit()
			r.command(r.t.Context(), "apply", "posts", "--yes", "--prune").Run() // it may find posts without their files
		}
		r.adopt()
		r.apply(0, "20 unchanged", "--prune")
		if posts := r.all(); len(posts) != 20 || strings.Contains(fmt.Sprint(statusesOf(posts)), "canceled") {
			r.t.Errorf("%d posts, %v", len(posts), statusesOf(posts))
		}
	},
	"labels and options": func(r *filesRepo) {
		r.file("posts/a.md", "---\nid: a\nat: 2099-01-01T09:00:00Z\nto: [blog]\nlabels: [spring sale, a]\n---\nA\n")
		r.commit()
		r.apply(0, "1 create")
		if p := r.find("A"); strings.Join(p.Labels, "|") != "a|spring sale" {
			r.t.Errorf("labels %q", p.Labels)
		}
		r.apply(0, "1 unchanged")
		r.post("posts/a.md", "a", "A")
		r.apply(0, "1 edit")
		r.apply(0, "1 unchanged")
		if p := r.find("A"); len(p.Labels) != 0 {
			r.t.Errorf("labels %q", p.Labels)
		}
		r.file("posts/a.md", "---\nid: a\nlabels: [\"a,b\", \""+strings.Repeat("x", 51)+"\"]\n---\nA\n")
		r.commit()
		r.run(5, "lint", "posts", "--offline")
	},
}

func statusesOf(posts []apiv1.Post) map[schedctl.Status]int {
	out := map[schedctl.Status]int{}
	for _, p := range posts {
		out[p.Status]++
	}
	return out
}

// adopt exports all posts as files and commits them.
func (r *filesRepo) adopt() {
	r.t.Helper()
	if out, err := r.command(r.t.Context(), "post", "export", "--files", "posts", "--collection", "web").CombinedOutput(); err != nil {
		r.t.Errorf("export: %v\n%s", err, out)
	}
	r.commit()
}

// writeLock writes the file that an earlier version kept next to the files.
func (r *filesRepo) writeLock(ids ...string) {
	r.t.Helper()
	me, err := r.client.Me(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	type entry struct {
		Post    string `json:"post"`
		Applied string `json:"applied"`
		Gone    bool   `json:"gone,omitempty"`
	}
	posts := map[string]entry{}
	for _, id := range ids {
		if id == "gone" {
			posts[id] = entry{Post: "post_01KAK3R9ZC4VBX1D2E3F4G5H6J", Applied: "cli-1"}
			continue
		}
		p := r.find(strings.ToUpper(id))
		posts[id] = entry{Post: p.ID, Applied: post.DeriveKey(files.ContentFingerprint(p.Content, p.PublishAt.Time, p.SocialAccountIDs))}
	}
	doc, err := json.Marshal(map[string]any{"version": 1, "workspaces": map[string]any{me.Workspace.ID: map[string]any{"posts": posts}}})
	if err != nil {
		r.t.Fatal(err)
	}
	r.file("posts/.schedctl.json", string(doc))
	r.commit()
}

func TestGitScenarios(t *testing.T) {
	skipShort(t)
	t.Parallel()
	if len(gitScenarios) < 30 {
		t.Errorf("%d scenarios", len(gitScenarios))
	}
	startExampleDaemon(t).scenarios(t, slices.Sorted(maps.Keys(gitScenarios)))
}

// storeScenarios are the scenarios that depend on transactions of the store.
var storeScenarios = []string{
	"two applies at once",
	"killed at many points",
	"an export killed at many points",
	"existing posts are adopted",
	"existing posts have files already",
	"an imported collection becomes files",
	"another post looks alike",
	"a removed file comes back twice",
	"a renamed file",
	"a post that a person canceled",
	"a post gets and loses its time",
	"prune of one of two collections",
	"a lock of an earlier version",
}

// Each command of a scenario is sent to another one of three daemons that have one
// database.
func TestGitScenariosOnThreeDaemons(t *testing.T) {
	t.Parallel()
	startThreeDaemons(t).scenarios(t, storeScenarios)
}

// scenarios runs the scenarios with these names, each in its own workspace.
func (d *exampleDaemon) scenarios(t *testing.T, names []string) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			gitScenarios[name](d.repo(t))
		})
	}
}

// A daemon with a rate limit takes a directory of more files than it allows requests in a
// second.
func TestApplyToARateLimitedDaemon(t *testing.T) {
	t.Parallel()
	r := startExampleDaemon(t, "--rate-limit", "50/s:5").repo(t)
	n := testsize.Of(50, 500)
	r.files(n, "Post")
	r.apply(0, fmt.Sprint(n, " create"))
	r.apply(0, fmt.Sprint(n, " unchanged"))
	if got := len(r.all()); got != n {
		t.Errorf("%d posts, want %d", got, n)
	}
}
