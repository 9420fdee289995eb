package action_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// pipelines returns the examples of docs/pipelines.md, by the heading above them.
func pipelines(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs", "pipelines.md"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, part := range strings.Split(string(text), "\n## ")[1:] {
		heading, rest, _ := strings.Cut(part, "\n")
		if block := regexp.MustCompile("(?s)```yaml\n(.*?)\n```\n").FindStringSubmatch(rest); block != nil {
			found[heading] = block[1]
		}
	}
	return found
}

// pipelineKey returns a key with the scopes that docs/pipelines.md names.
func (d *daemon) pipelineKey() string {
	d.t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs", "pipelines.md"))
	if err != nil {
		d.t.Fatal(err)
	}
	scopes := regexp.MustCompile(`--scope (\S+)`).FindSubmatch(text)
	file := filepath.Join(d.t.TempDir(), "pipeline.key")
	d.schedctl("key", "create", "--name", "pipeline", "--scope", string(scopes[1]), "--secret-out", file)
	key, err := os.ReadFile(file)
	if err != nil {
		d.t.Fatal(err)
	}
	return strings.TrimSpace(string(key))
}

// workflow is what these tests read of a workflow of GitHub or Forgejo.
type workflow struct {
	On struct {
		PullRequest struct{ Types []string } `yaml:"pull_request"`
	}
	Jobs map[string]struct {
		If    string
		Steps []struct {
			Uses string
			With map[string]string
		}
	}
}

// TestWorkflowsOfPipelines runs the steps of the documented workflows for GitHub and
// Forgejo: a pull request gets a comment, and after its merge the posts are there, approved.
func TestWorkflowsOfPipelines(t *testing.T) {
	t.Parallel()
	examples := pipelines(t)
	for _, forgeName := range []string{"GitHub", "Forgejo and Gitea"} {
		t.Run(forgeName, func(t *testing.T) {
			t.Parallel()
			var w workflow
			if err := yaml.Unmarshal([]byte(examples[forgeName]), &w); err != nil {
				t.Fatal(err)
			}
			if len(w.On.PullRequest.Types) != 4 || !strings.Contains(w.Jobs["plan"].If, "closed") || !strings.Contains(w.Jobs["apply"].If, "merged") {
				t.Errorf("the workflow runs %+v", w)
			}
			d, p, f := startDaemon(t), publish(t), newForge(t)
			d.schedctl("workspace", "edit", "--approvals", "all")
			r := newRunner(t, p.URL)
			r.env["GITHUB_REF"], r.env["GITHUB_API_URL"] = "refs/pull/12/merge", f.URL
			r.writePosts(map[string]string{"launch.md": launch})
			expand := strings.NewReplacer("${{ vars.SCHEDCTL_URL }}", d.url, "${{ secrets.SCHEDCTL_API_KEY }}", d.pipelineKey(), "${{ github.token }}", "ghs_1",
				"${{ github.event.pull_request.html_url }}", "https://forge.example/news/pulls/12")
			for _, job := range []string{"plan", "apply"} {
				step := w.Jobs[job].Steps[1]
				if !strings.HasSuffix(step.Uses, "schedctl/schedctl@v1") {
					t.Fatalf("the second step of %s uses %s", job, step.Uses)
				}
				inputs := maps.Clone(step.With)
				for name, value := range inputs {
					if _, ok := action(t).Inputs[name]; !ok {
						t.Errorf("%s: the action has no input %s", job, name)
					}
					inputs[name] = expand.Replace(value)
				}
				if res := r.use(inputs); res.err != nil {
					t.Fatalf("%s: %v\n%s", job, res.err, res.log)
				}
				if planned := job == "plan"; planned != (len(d.posts()) == 0) {
					t.Errorf("after %s the posts are %q", job, d.posts())
				}
			}
			if len(f.comments) != 2 || !strings.Contains(f.comments[1], "create") {
				t.Errorf("comments: %q", f.comments)
			}
			if status := d.schedctl("post", "list", "--json=status"); !strings.Contains(status, "scheduled") {
				t.Errorf("the posts are %s", status)
			}
		})
	}
}

// TestPipelineOfGitLab runs the scripts of the documented pipeline for GitLab, except the
// installation.
func TestPipelineOfGitLab(t *testing.T) {
	t.Parallel()
	var pipeline map[string]struct {
		Script []string
	}
	text := regexp.MustCompile(`(?m)^stages:.*\n`).ReplaceAllString(pipelines(t)["GitLab"], "")
	if err := yaml.Unmarshal([]byte(text), &pipeline); err != nil {
		t.Fatal(err)
	}
	d := startDaemon(t)
	d.schedctl("workspace", "edit", "--approvals", "all")
	key, r := d.pipelineKey(), newRunner(t, "")
	r.writePosts(map[string]string{"launch.md": launch})
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "Merge branch 'x'\n\nSee merge request team/news!12"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = r.workspace
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	var notes []string
	gitlab := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path != "/projects/7/merge_requests/12/notes" || req.Header.Get("PRIVATE-TOKEN") != "glpat-1" {
			t.Errorf("%s with %q", req.URL, req.Header.Get("PRIVATE-TOKEN"))
		}
		notes = append(notes, req.FormValue("body"))
	}))
	t.Cleanup(gitlab.Close)
	for _, job := range []string{"plan", "apply"} {
		cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", strings.Join(pipeline[job].Script, "\n"))
		cmd.Dir = r.workspace
		cmd.Env = []string{
			"PATH=" + filepath.Dir(program(t)) + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + t.TempDir(), "SCHEDCTL_URL=" + d.url, "SCHEDCTL_API_KEY=" + key,
			"GITLAB_CI=true", "CI=true", "CI_SERVER_URL=https://gitlab.example", "CI_PROJECT_PATH=team/news", "CI_PROJECT_URL=https://gitlab.example/team/news", "CI_PIPELINE_ID=4", "CI_JOB_NAME=" + job,
			"CI_MERGE_REQUEST_PROJECT_URL=https://gitlab.example/team/news", "CI_MERGE_REQUEST_PROJECT_ID=7", "CI_MERGE_REQUEST_IID=12", "CI_API_V4_URL=" + gitlab.URL, "PLAN_TOKEN=glpat-1",
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", job, err, out)
		}
	}
	if len(notes) != 1 || !strings.HasPrefix(notes[0], "```\n") || !strings.Contains(notes[0], "create") {
		t.Errorf("notes: %q", notes)
	}
	if posts := d.posts(); len(posts) != 1 {
		t.Errorf("posts: %q", posts)
	}
}
