package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
	"github.com/schedctl/schedctl/scripts/installed"
)

// originalClient is the published client of the original service.
type originalClient struct {
	t            *testing.T
	node, script string
	dir          string // where it runs
	url, key     string
}

// newOriginalClient skips the test if install.sh did not install the client. With
// SCHEDCTL_REQUIRE_ALL=1 in the environment the test fails instead.
func newOriginalClient(t *testing.T) *originalClient {
	t.Helper()
	servers, err := installed.Root()
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(servers, "socialspool", "node_modules", "@thesethrose", "socialspool-cli", "dist", "spool.js")
	node := filepath.Join(servers, "openapi", "bin", "node") // recent enough
	if _, err := os.Stat(node); err != nil {
		node = "node"
	}
	_, scriptErr := os.Stat(script)
	if _, nodeErr := exec.LookPath(node); errors.Join(scriptErr, nodeErr) != nil {
		const advice = "the client of the original service is not installed: run cmd/schedctl/install.sh"
		if os.Getenv("SCHEDCTL_REQUIRE_ALL") == "1" {
			t.Fatal(advice)
		}
		t.Skip(advice)
	}
	return &originalClient{t: t, node: node, script: script, dir: t.TempDir()}
}

// run runs a command of the client with --json and returns its result. The exit status
// must be the wanted one.
func (o *originalClient) run(status int, args ...string) map[string]any {
	o.t.Helper()
	out := o.output(status, args...)
	if status != 0 {
		return nil
	}
	var response struct {
		OK     bool           `json:"ok"`
		Result map[string]any `json:"result"`
	}
	if err := json.Unmarshal(out, &response); err != nil || !response.OK {
		o.t.Fatalf("%q printed %s: %v", args, out, err)
	}
	return response.Result
}

// output runs a command and returns what it prints.
func (o *originalClient) output(status int, args ...string) []byte {
	o.t.Helper()
	cmd := exec.CommandContext(o.t.Context(), o.node, slices.Concat([]string{o.script}, args, []string{"--json"})...)
	cmd.Dir = o.dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + o.dir, "SOCIALSPOOL_CLI_UPDATE_CHECK=0",
		"SOCIALSPOOL_API_KEY=" + o.key, "SOCIALSPOOL_API_BASE_URL=" + o.url,
	}
	var out, problem bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problem
	if err := cmd.Run(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != status {
		o.t.Fatalf("%q: %v, want exit status %d\n%s%s", args, err, status, &out, &problem)
	}
	return out.Bytes()
}

// file writes a file into the directory of the client.
func (o *originalClient) file(name string, data []byte) {
	o.t.Helper()
	if err := os.WriteFile(filepath.Join(o.dir, name), data, 0o600); err != nil {
		o.t.Fatal(err)
	}
}

// upload uploads a file and returns the id of its asset, which must be ready.
func (o *originalClient) upload(name string) string {
	o.t.Helper()
	asset, _ := o.run(0, "media", "upload", name)["media_asset"].(map[string]any)
	id, _ := asset["id"].(string)
	if asset["status"] != "ready" || asset["file_name"] != name || !strings.HasPrefix(id, "med_") {
		o.t.Fatalf("upload of %s: %v", name, asset)
	}
	return id
}

// post runs a command that returns a post.
func (o *originalClient) post(args ...string) map[string]any {
	o.t.Helper()
	post, _ := o.run(0, args...)["post"].(map[string]any)
	if id, _ := post["id"].(string); !strings.HasPrefix(id, "post_") {
		o.t.Fatalf("%q: %v", args, post)
	}
	return post
}

// The published client of the original service works with the daemon as it is.
func TestOriginalClient(t *testing.T) {
	t.Parallel()
	o := newOriginalClient(t)
	d := newCrashDaemon(t)
	d.start()
	o.url, o.key = "http://"+d.address+"/api/v1", d.key
	blog := d.connectAccount(apiv1.AddAccount{Platform: "feed", Name: "blog"})

	for _, command := range []string{"me", "capabilities", "accounts list", "posts list", "webhooks list", "doctor"} {
		o.run(0, strings.Fields(command)...)
	}
	config := o.run(0, "media", "config")
	if types, _ := config["allowed_mime_types"].([]any); !slices.Contains(types, "image/png") || config["max_media_per_post"] != 20.0 || config["video_max_size_bytes"] != 300e6 {
		t.Errorf("the configuration is %v", config)
	}
	t.Run("media", func(t *testing.T) { o.media(t) })
	t.Run("posts", func(t *testing.T) { o.posts(t, blog) })
	t.Run("results", func(t *testing.T) { o.results(t, blog) })
}

func (o *originalClient) media(t *testing.T) {
	o.file("cat.png", mediatest.PNG(8, 4))
	id := o.upload("cat.png")
	if again := o.upload("cat.png"); again != id {
		t.Errorf("the second upload made %s, the first %s", again, id)
	}
	o.file("cat.png", mediatest.PNG(80, 40)) // the key follows from the path alone
	o.run(6, "media", "upload", "cat.png")
	o.file("drawing.svg", []byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`))
	o.run(2, "media", "upload", "drawing.svg") // the PUT is refused, which the client reports
	o.run(0, "media", "delete", id)
	o.run(1, "media", "delete", id, "--idempotency-key", "again")
}

func (o *originalClient) posts(t *testing.T, account string) {
	o.file("dog.png", mediatest.PNG(9, 4))
	o.file("film.mp4", mediatest.MP4(10_000))
	dog, film := o.upload("dog.png"), o.upload("film.mp4")
	later := time.Now().Add(time.Hour).UTC().Format("2006-01-02T15:04:05Z")
	draft := o.post("posts", "create", "--content", "My dog", "--title", "Dog", "--post-style", "text_media", "--media-asset-id", dog)
	if assets, _ := draft["media_assets"].([]any); draft["status"] != "draft" || len(assets) != 1 {
		t.Errorf("the draft is %v", draft)
	}
	o.post("posts", "create", "--post-style", "media_only", "--media-asset-ids", dog+","+film)
	o.post("posts", "create", "--post-style", "video_only", "--media-asset-id", film, "--account", account, "--publish-at", later)
	o.run(5, "posts", "create", "--content", "No picture", "--post-style", "text_media")
	validation := []string{"posts", "validate", "--content", "My dog", "--account", account, "--post-style", "text_media", "--media-asset-ids", dog, "--publish-at", later}
	if v := o.run(0, validation...); v["allowed"] != true {
		t.Errorf("the validation is %v", v)
	}
	all := []string{"posts", "create", "--content", "All flags", "--title", "All", "--post-style", "text_media", "--media-asset-id", dog, "--account", account, "--publish-at", "now", "--idempotency-key", "once"}
	published := o.post(all...)
	if again := o.post(all...); again["id"] != published["id"] {
		t.Errorf("the repeated create made %v", again)
	}
	if post := o.post("posts", "wait", published["id"].(string), "--interval", "1"); post["status"] != "published" {
		t.Errorf("the published post is %v", post)
	}
	id := draft["id"].(string)
	changed := o.post("posts", "update", id, "--content", "My old dog", "--title", "Old dog", "--post-style", "text_media")
	if changed["content"] != "My old dog" {
		t.Errorf("the changed post is %v", changed)
	}
	o.post("posts", "update", id, "--title", "Older dog")
	o.run(0, "posts", "schedule", id, "--account", account, "--publish-at", later)
	o.run(0, "posts", "timeline", id)
	o.run(0, "posts", "cancel", id)
}
