package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/daemon"
	"github.com/schedctl/schedctl/scripts/testsize"
	"github.com/schedctl/schedctl/storage/postgres/postgrestest"
)

// exampleDaemon is the daemon that all examples call, and a server that is the
// networks and the receivers of webhooks.
type exampleDaemon struct {
	dir, url, key string
	peers         []string // the URLs of all daemons on the database
	turn          atomic.Int64
	network       string
	workspaces    atomic.Int64
}

// startExampleDaemon starts a daemon with more flags than it needs itself.
func startExampleDaemon(t *testing.T, flags ...string) *exampleDaemon {
	t.Helper()
	network := httptest.NewServer(&fickle{})
	t.Cleanup(network.Close)
	d := &exampleDaemon{dir: t.TempDir(), network: network.URL}
	d.start(t, d.dir, flags)
	d.url, d.key = d.peers[0], strings.TrimSpace(string(readTestFile(t, filepath.Join(d.dir, daemon.AdminKeyFile))))
	return d
}

// startThreeDaemons starts three daemons on one PostgreSQL database.
func startThreeDaemons(t *testing.T) *exampleDaemon {
	t.Helper()
	store := []string{"--store", postgrestest.Database(t)}
	d := startExampleDaemon(t, store...)
	for range 2 {
		dir := t.TempDir()
		for _, name := range []string{"secret.key", daemon.AdminKeyFile} {
			if err := os.WriteFile(filepath.Join(dir, name), readTestFile(t, filepath.Join(d.dir, name)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		d.start(t, dir, store)
	}
	return d
}

func readTestFile(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// start starts one daemon with a data directory and waits until it is ready.
func (d *exampleDaemon) start(t *testing.T, dir string, flags []string) {
	t.Helper()
	program, err := exec.LookPath("schedctl")
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	cmd := exec.Command(program, append([]string{"daemon", "run", "--data-dir", dir, "--listen", "127.0.0.1:0", "--allow-private-networks"}, flags...)...)
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		if t.Failed() {
			t.Logf("the daemon's log:\n%s", &log)
		}
	})
	for deadline := time.Now().Add(testsize.Patience); !ready(dir, cmd.Process.Pid); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the daemon is not ready")
		}
	}
	found, err := cli.ReadAnnouncement(dir)
	if err != nil {
		t.Fatal(err)
	}
	d.peers = append(d.peers, found.URL)
}

// nextURL returns the URL of each daemon in turn.
func (d *exampleDaemon) nextURL() string { return d.peers[int(d.turn.Add(1))%len(d.peers)] }

// client returns a client with the key, for the length of the test.
func (d *exampleDaemon) client(t *testing.T, key string) *client.Client {
	t.Helper()
	c, err := client.New(client.Config{URL: d.url, Key: key})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// place is where one example is run: a folder with the files, and a workspace
// with the accounts, posts, webhooks and keys, that examples name.
type place struct {
	dir, url, key, network string
	path                   string            // PATH of the program
	names                  *strings.Replacer // of the ids in examples
}

// examplePicture is a PNG of 8 by 4 pixels.
const examplePicture = "\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x08\x00\x00\x00\x04\x08\x02\x00\x00\x00\x3c\xaf\xe9\xa7\x00\x00\x00\x12\x49\x44\x41\x54\x78\x9c\x63\xf8\xcf\xc0\x80\x15\x61\x17\x25\x4b\x02\x00\x5a\x5e\x1f\xe1\x1e\x42\x84\x28\x00\x00\x00\x00\x49\x45\x4e\x44\xae\x42\x60\x82"

// exampleFiles are the files that examples name.
var exampleFiles = map[string]string{
	"news.txt": "News\n", "thread.txt": "First\n---\nSecond\n", "short.txt": "Short news\n", "token.txt": "a-token\n", "secret.txt": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n",
	"posts.csv":           "id,content,to,at,tz\none,Hello,demo,2099-01-01 9:00,UTC\n",
	"posts.jsonl":         `{"content":"Hello","to":["demo"],"at":"2099-01-01 9:00","tz":"UTC"}` + "\n",
	"posts/schedctl.yaml": "collection: website\n",
	"posts/launch.md":     "---\nid: launch\nat: 2099-01-01 09:00\ntz: UTC\nto: [demo]\n---\nHello\n",
	"holidays.ics":        exampleHolidays,
	"cat.png":             examplePicture, "1.jpg": examplePicture, "2.jpg": examplePicture,
	"editor": "#!/bin/sh\necho 'Written in the editor' > \"$1\"\n",
}

// newPlace returns a folder with files for a daemon at a URL.
func newPlace(t *testing.T, url, key string) *place {
	t.Helper()
	dir, err := os.MkdirTemp("", "place") // a short path, as sockets need
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stopDaemonsIn(dir, os.Getenv("PATH"))
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	p := &place{path: os.Getenv("PATH"), dir: dir, url: url, key: key, network: url, names: strings.NewReplacer()}
	for name, text := range exampleFiles {
		p.write(t, name, text)
	}
	p.write(t, "key", key)
	p.write(t, "work.key", key)
	return p
}

func (p *place) write(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
}

// place makes what the example names.
func (d *exampleDaemon) place(t *testing.T, e example) *place {
	t.Helper()
	made, err := d.client(t, d.key).CreateWorkspace(t.Context(), apiv1.CreateWorkspace{Name: fmt.Sprintf("Example %d", d.workspaces.Add(1))})
	if err != nil {
		t.Fatal(err)
	}
	p := newPlace(t, d.url, made.Secret)
	p.network = d.network
	if e.command == "daemon install" {
		p.path, _, _ = strings.Cut(p.path, string(filepath.ListSeparator)) // the program alone, and no service manager
	}
	if strings.HasPrefix(e.command, "workspace") || e.command == "backup" {
		p.key = d.key // no other may
	}
	i := inhabitant{t: t, c: d.client(t, made.Secret), network: d.network, example: e, names: []string{"ws_01KAK3R9ZC4VBX1D2E3F4G5H6J", made.Workspace.ID}}
	i.author = i.c
	if e.command == "review" || strings.HasPrefix(e.command, "post ") || strings.HasPrefix(e.command, "series ") {
		key, err := i.c.CreateAPIKey(t.Context(), apiv1.CreateAPIKey{Name: "author", Scopes: []schedctl.Scope{schedctl.ScopePostsWrite, schedctl.ScopePostsRead}})
		i.ok(err)
		i.author = d.client(t, key.Secret)
	}
	i.makeAccounts()
	i.makeAliases()
	i.makeQueue()
	i.makeSource()
	i.makePost()
	i.makeBlackout()
	i.makeCollection()
	i.makeSeries()
	i.makeFeed()
	i.makeShare()
	i.makeWebhook()
	i.makeNotification()
	i.makeKey()
	if strings.HasPrefix(e.command, "media ") {
		p.mustRun(t, "media", "upload", "1.jpg", "-q")
		list, err := i.c.MediaAssets(t.Context(), client.MediaQuery{})
		i.ok(err)
		i.names = append(i.names, "med_01KAK3R9ZC4VBX1D2E3F4G5H6J", list.Results[0].ID)
		if e.command == "media download" {
			i.ok(os.Remove(filepath.Join(p.dir, "1.jpg")))
		}
	}
	p.names = strings.NewReplacer(i.names...)
	if args := lastCommand(e); args != nil {
		p.mustRun(t, args...)
	}
	switch e.command {
	case "restore", "daemon check", "daemon salvage", "store", "store copy":
		d.copyTo(t, p, e)
	case "store use":
		d.copyTo(t, p, e)
		p.mustRun(t, "store", "copy", "--from", "bolt:schedctl-backup.db", "--to", "bolt:schedctl.db", "--keep-source")
	case "context use", "context remove", "login":
		p.mustRun(t, "context", "add", "work", "--url", p.url)
	case "trigger":
		p.startListening(t)
	case "mcp", "agent check":
		p.mustRun(t, "key", "create", "--agent", "--name", "agent", "--secret-out", "agent.key")
	}
	return p
}

// copyTo leaves a backup of the daemon where the example looks for a database.
func (d *exampleDaemon) copyTo(t *testing.T, p *place, e example) {
	t.Helper()
	var backup, withMedia bytes.Buffer
	c := d.client(t, d.key)
	_, err := c.BackupDatabase(t.Context(), &backup)
	if err == nil {
		_, err = c.Backup(t.Context(), &withMedia)
	}
	folder := map[string]string{"daemon check": "data/blobs", "store": "blobs", "store copy": "blobs", "store use": "blobs"}[e.command]
	if err == nil && folder != "" {
		err = os.CopyFS(filepath.Join(p.dir, folder), os.DirFS(filepath.Join(d.dir, "blobs")))
	}
	if err != nil {
		t.Fatal(err)
	}
	p.write(t, "schedctl-backup", withMedia.String())
	p.write(t, "schedctl-backup.db", backup.String())
	switch e.command {
	case "store", "store copy":
		p.write(t, "schedctl.db", backup.String())
	case "daemon check", "daemon salvage":
		for _, name := range []string{"data/schedctl.db", "schedctl/schedctl.db", "broken-backup.db"} {
			p.write(t, name, backup.String())
		}
	}
	secret, err := os.ReadFile(filepath.Join(d.dir, "secret.key"))
	if err != nil {
		t.Fatal(err)
	}
	p.write(t, "secret.key", string(secret))
	p.write(t, "admin.key", d.key+"\n")
}

func (p *place) mustRun(t *testing.T, args ...string) {
	t.Helper()
	if end := p.run(t, example{args: args}); end.status != cli.ExitOK {
		t.Fatalf("schedctl %q: exit status %d\n%s", args, end.status, end.output)
	}
}

// startListening runs a schedctl listen, which triggered events go through, for
// the length of the test.
func (p *place) startListening(t *testing.T) {
	t.Helper()
	program, err := exec.LookPath("schedctl")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "listen", "--forward-to", p.network+"/hooks")
	cmd.Dir, cmd.Env = p.dir, p.env()
	told, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	var seen strings.Builder
	for lines := bufio.NewScanner(told); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "forwarding ") {
			return
		}
		seen.WriteString(lines.Text() + "\n")
	}
	t.Fatalf("schedctl listen does not forward anything:\n%s", &seen)
}

// piped is what is written to the standard input of a command.
func (p *place) piped(command string) string {
	switch command {
	case "api":
		return `{"content":"Hello"}`
	case "blackout import":
		return exampleHolidays
	case "login":
		return p.key + "\n"
	case "post import":
		return exampleFiles["posts.csv"]
	default:
		return "Hello\n"
	}
}

func (p *place) env() []string {
	return []string{
		"PATH=" + p.path, "HOME=" + p.dir, "TZ=UTC", "VISUAL=" + filepath.Join(p.dir, "editor"),
		"SCHEDCTL_URL=" + p.url, "SCHEDCTL_API_KEY=" + p.key, "SCHEDCTL_DATA_DIR=" + filepath.Join(p.dir, "data"),
		"XDG_CONFIG_HOME=" + filepath.Join(p.dir, "config"), "XDG_DATA_HOME=" + filepath.Join(p.dir, "share"), raceOptions + "=" + os.Getenv(raceOptions),
	}
}

var (
	aDaemon  = regexp.MustCompile(`https?://(posts\.example\.org|10\.0\.0\.7:7733|127\.0\.0\.1:7733)`)
	aNetwork = regexp.MustCompile(`https://[a-z.]*example(\.com)?\b`)
)

// args returns the arguments of an example for this place: it has the ids, the
// addresses and the folder of the place.
func (p *place) args(e example) (args []string) {
	for _, arg := range e.args {
		switch {
		case strings.HasPrefix(arg, "~/"), strings.HasPrefix(arg, "/") && e.command != "api":
			arg = filepath.Join(p.dir, filepath.Base(arg))
		default:
			arg = aNetwork.ReplaceAllLiteralString(aDaemon.ReplaceAllLiteralString(p.names.Replace(arg), p.url), p.network)
		}
		args = append(args, arg)
	}
	if slices.Contains([]string{"daemon run", "daemon start", "daemon restart"}, e.command) {
		args = append(args, "--listen", "127.0.0.1:0")
	}
	return args
}

// inhabitant makes what an example names, and nothing else.
type inhabitant struct {
	t        *testing.T
	c        *client.Client
	author   *client.Client // of what another key reviews
	network  string
	example  example
	accounts []string // ids
	names    []string // pairs of what examples say and what there is
}

// says reports whether the example has one of the words.
func (i *inhabitant) says(words ...string) bool {
	for _, word := range words {
		if strings.Contains(i.example.line, word) {
			return true
		}
	}
	return false
}

func (i *inhabitant) ok(err error) {
	i.t.Helper()
	if err != nil {
		i.t.Fatal(err)
	}
}

func (i *inhabitant) makeAccounts() {
	adding := i.example.command == "account add"
	accepts := apiv1.AddAccount{Platform: "http", Credentials: map[string]string{"url": i.network + "/posts"}} // the names of feeds are the daemon's
	for _, a := range []struct {
		name    string
		needed  bool
		account apiv1.AddAccount
	}{
		{"demo", !adding, accepts},
		{"blog", i.says("blog"), accepts},
		{"bot", i.says(" bot ") && !adding, accepts},
		{"me", i.says("mastodon:me"), apiv1.AddAccount{
			Platform: "mastodon", Credentials: map[string]string{"instance_url": i.network, "access_token": "a-token"},
		}},
	} {
		if !a.needed {
			continue
		}
		a.account.Name = a.name
		made, err := i.c.AddAccount(i.t.Context(), a.account)
		i.ok(err)
		i.accounts = append(i.accounts, made.ID)
	}
}

// makeAliases makes the account group and the snippet that examples name.
func (i *inhabitant) makeAliases() {
	if i.says("brand") && i.example.command != "account group create" {
		_, err := i.c.SetAccountGroup(i.t.Context(), "brand", apiv1.SetAccountGroup{SocialAccountIDs: i.accounts})
		i.ok(err)
	}
	if i.says("tags") {
		_, err := i.c.SetSnippet(i.t.Context(), "tags", apiv1.SetSnippet{Text: "#go #release"})
		i.ok(err)
	}
}

// makePost makes a post in a state in which the command can do something.
func (i *inhabitant) makePost() {
	if !i.says("post_01") {
		return
	}
	post := apiv1.CreatePost{Content: "An example", SocialAccountIDs: i.accounts}
	switch i.example.command {
	case "post wait", "post watch", "post timeline", "results report":
		post.PublishAt = apiv1.Now()
	case "post retry", "post resend", "post archive":
		bad, err := i.c.AddAccount(i.t.Context(), apiv1.AddAccount{
			Platform: "http", Name: "refuses", Credentials: map[string]string{"url": i.network + "/fickle/" + schedctl.NewULID(time.Now()).String()},
		})
		i.ok(err)
		post.PublishAt, post.SocialAccountIDs = apiv1.Now(), []string{bad.ID}
	case "post submit", "post approve", "post request-changes", "post withdraw", "review":
		post.ProposedAt = &apiv1.ProposedTime{Time: time.Date(2099, 1, 1, 9, 0, 0, 0, time.UTC)}
	case "queue move":
		post.PublishAt = apiv1.NextSlot()
	case "post publish", "post schedule", "post delete":
		if i.says("--shift") {
			post.PublishAt = apiv1.At(time.Date(2099, 1, 1, 9, 0, 0, 0, time.UTC))
		}
	default:
		if i.says("--propose") { // of a draft
			break
		}
		post.PublishAt = apiv1.At(time.Date(2099, 1, 1, 9, 0, 0, 0, time.UTC))
	}
	made, err := i.author.CreatePost(i.t.Context(), post)
	i.ok(err)
	if slices.Contains([]string{"post approve", "post request-changes", "post withdraw", "review"}, i.example.command) {
		made, err = i.author.SubmitPost(i.t.Context(), made.ID, apiv1.SubmitPost{})
		i.ok(err)
	}
	if slices.Contains([]string{"post retry", "post resend", "post archive", "results report"}, i.example.command) {
		made = i.settled(made)
	}
	i.names = append(i.names, "post_01KAK3R9ZC4VBX1D2E3F4G5H6J", made.ID)
	if len(made.Targets) > 0 {
		i.names = append(i.names, "pt_01KAK3R9ZC4VBX1D2E3F4G5H6K", made.Targets[0].ID)
	}
}

// settled waits until a post has ended.
func (i *inhabitant) settled(post apiv1.Post) apiv1.Post {
	i.t.Helper()
	ctx, cancel := context.WithTimeout(i.t.Context(), testsize.Patience)
	defer cancel()
	for post.Status != schedctl.Published && post.Status != schedctl.Failed {
		time.Sleep(5 * time.Millisecond)
		var err error
		post, err = i.c.Post(ctx, post.ID)
		i.ok(err)
	}
	return post
}

func (i *inhabitant) makeWebhook() {
	if i.example.command == "webhook create" || !i.says("wh_01", " site") {
		return
	}
	made, err := i.c.CreateWebhook(i.t.Context(), apiv1.CreateWebhook{
		Name: ptr("site"), URL: i.network + "/hooks", EventTypes: []schedctl.EventType{schedctl.EventPostPublished},
	})
	i.ok(err)
	i.names = append(i.names, "wh_01KAK3R9ZC4VBX1D2E3F4G5H6J", made.Webhook.ID)
	if i.says("whd_01") {
		test, err := i.c.TestWebhook(i.t.Context(), made.Webhook.ID)
		i.ok(err)
		i.names = append(i.names, "whd_01KAK3R9ZC4VBX1D2E3F4G5H6J", test.Delivery.ID)
	}
}

func (i *inhabitant) makeNotification() {
	if i.example.command == "notify add" || !i.says("ntf_01", " on-call") {
		return
	}
	made, err := i.c.CreateNotification(i.t.Context(), apiv1.CreateNotification{Name: ptr("on-call"), SocialAccountID: &i.accounts[0]})
	i.ok(err)
	i.names = append(i.names, "ntf_01KAK3R9ZC4VBX1D2E3F4G5H6J", made.ID)
}

func (i *inhabitant) makeKey() {
	if i.example.command != "key revoke" && i.example.command != "audit" {
		return
	}
	made, err := i.c.CreateAPIKey(i.t.Context(), apiv1.CreateAPIKey{Name: "ci"})
	i.ok(err)
	i.names = append(i.names, "key_01KAK3R9ZC4VBX1D2E3F4G5H6J", made.APIKey.ID)
}

// fickle is the networks of the examples: a receiver that refuses the first post
// to each path below /fickle.
type fickle struct {
	receiver
	refused sync.Map
}

func (f *fickle) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, "/fickle/") {
		if _, again := f.refused.LoadOrStore(r.URL.Path, nil); !again {
			w.WriteHeader(http.StatusUnprocessableEntity)
			return
		}
	}
	if r.Method == http.MethodGet && (strings.HasSuffix(r.URL.Path, "/feed.xml") || strings.HasSuffix(r.URL.Path, "/releases.atom")) {
		io.WriteString(w, exampleFeed)
		return
	}
	f.receiver.ServeHTTP(w, r)
}

// exampleFeed is a feed with one item.
const exampleFeed = `<rss version="2.0"><channel><title>Notes</title><link>https://example.org/</link><item><title>Hello</title>` +
	`<link>https://example.org/hello</link><guid>hello</guid><pubDate>Sat, 28 Nov 2026 10:00:00 GMT</pubDate></item></channel></rss>`
