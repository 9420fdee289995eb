package main

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
	"github.com/schedctl/schedctl/daemon/notify/notifytest"
	"github.com/schedctl/schedctl/daemon/publish/mastodon"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest/networks"
	"github.com/schedctl/schedctl/scripts/testsize"
)

// TestPlantedSecretsAreNowhere gives a real daemon secrets of every kind, has its
// networks repeat them in every response, makes everything fail, and then searches for
// them in all files, output and responses.
func TestPlantedSecretsAreNowhere(t *testing.T) {
	t.Parallel()
	s := plantedSecrets()
	p := newPlanted(t, s)
	p.upload()
	p.connectAll("accepted")
	p.publish("accepted")
	p.tellWebhooks()
	p.addNotifications()
	p.useApps()
	for n := range refusals {
		p.parrot.refusal.Store(int64(n))
		p.useEverything()
	}
	if p.parrot.heard.Load() < int64(len(refusals)*len(p.accounts)) {
		t.Fatalf("the networks were called %d times while they refused: the test saw nothing", p.parrot.heard.Load())
	}
	for id, n := range p.unsent {
		if n == 0 {
			t.Errorf("no test of the notification %s failed", id)
		}
	}
	p.refuseStrangers()
	p.lookAround()
	p.logIn()
	p.logInWithCodes()
	p.crash()
	p.search(s)
}

// plantedSecrets are secrets by purpose. Some have characters that some formats
// escape.
func plantedSecrets() map[string]string {
	s := map[string]string{}
	for _, name := range []string{
		"webhook path", "webhook query", "wrong token", "oauth client secret", "oauth code", "oauth token", "login code", "login secret", "login access", "login refresh",
		"user info", "wrong password", "unsent token",
	} {
		s[name] = rand.Text()
	}
	plantAccounts(s)
	s["mail password"] = rand.Text() + `<&>"'\+/=`
	random := make([]byte, 24)
	rand.Read(random)
	s["webhook secret"] = "whsec_" + base64.StdEncoding.EncodeToString(random)
	s["admin key"], _ = schedctl.NewKeySecret()
	s["wrong key"], _ = schedctl.NewKeySecret()
	sealing := make([]byte, 32)
	rand.Read(sealing)
	s["secret.key"] = string(sealing)
	return s
}

// planted is a daemon that was given secrets, with all its output.
type planted struct {
	t        *testing.T
	parrot   *parrot
	secrets  map[string]string
	bin      string
	dir      string // the data
	home     string // of the user
	url      string
	cmd      *exec.Cmd
	log      bytes.Buffer
	accounts []string
	picture  string   // the asset for the posts of the accounts below
	pictured []string // accounts whose network takes no post without a picture
	webhook  string
	mail     *notifytest.Server // refuses to log in, and repeats the password
	unsent   map[string]int     // failed tests of each notification
	seen     []sighting         // in order
}

// sighting is a text that a person or program could read.
type sighting struct{ where, text string }

func newPlanted(t *testing.T, s map[string]string) *planted {
	t.Helper()
	bin, err := exec.LookPath("schedctl")
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	p := &planted{
		t: t, secrets: s, bin: bin, dir: filepath.Join(root, "data"), home: filepath.Join(root, "home"),
		parrot: newParrot(t, s),
		mail:   notifytest.NewServer(t, notifytest.Settings{Username: "ann", Password: "another one"}), unsent: map[string]int{},
	}
	roots := filepath.Join(root, "roots.pem")
	if err := os.WriteFile(roots, p.mail.Certificate, 0o600); err != nil {
		t.Fatal(err)
	}
	for file, content := range map[string]string{"data/admin.key": s["admin key"] + "\n", "data/secret.key": s["secret.key"], "home/key": s["admin key"]} {
		path := filepath.Join(root, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p.cmd = exec.Command(bin, "daemon", "run", "--debug", "--data-dir", p.dir, "--listen", "127.0.0.1:0", "--allow-private-networks", "--public-url", "https://posts.example")
	p.cmd.Env = append(os.Environ(), "SSL_CERT_FILE="+roots)
	p.cmd.Stderr = &p.log
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if p.cmd != nil {
			p.cmd.Process.Kill()
			p.cmd.Wait()
		}
	})
	var at struct{ URL string }
	p.await("the daemon", func() bool {
		text, err := os.ReadFile(filepath.Join(p.dir, "daemon.json"))
		return err == nil && json.Unmarshal(text, &at) == nil
	})
	p.url = at.URL
	return p
}

func (p *planted) await(what string, done func() bool) {
	p.t.Helper()
	for deadline := time.Now().Add(testsize.Patience); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			p.t.Fatalf("waited in vain for %s", what)
		}
	}
}

// call sends a request to the API and records the response.
func (p *planted) call(method, path string, body, into any) int {
	p.t.Helper()
	status, text := p.ask(p.secrets["admin key"], method, path, body)
	// Responses about webhooks show the URL, and at creation the secret, to keys that
	// may read webhooks.
	if !strings.HasPrefix(path, "/api/v1/webhooks") || status >= 400 || strings.Contains(path, "deliveries") {
		p.seen = append(p.seen, sighting{"answer to " + method + " " + strings.SplitN(path, "?", 2)[0], text})
	}
	if into != nil {
		if err := decode(text, into); err != nil || status >= 300 {
			p.t.Fatalf("%s %s: %d %s", method, path, status, text)
		}
	}
	return status
}

func (p *planted) ask(key, method, path string, body any) (int, string) {
	p.t.Helper()
	var text []byte
	if body != nil {
		text, _ = json.Marshal(body)
	}
	req, err := http.NewRequest(method, p.url+path, bytes.NewReader(text))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	if method != "GET" {
		req.Header.Set("Idempotency-Key", rand.Text())
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return resp.StatusCode, fmt.Sprint(resp.Header, "\n") + string(answer)
}

// decode reads the body of what ask returned.
func decode(text string, into any) error {
	_, body, _ := strings.Cut(text, "\n")
	return json.Unmarshal([]byte(body), into)
}

// run runs the program as the user does, and notes what it prints.
func (p *planted) run(stdin string, args ...string) {
	p.t.Helper()
	cmd := p.command(append(args, "--debug")...)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if len(out) == 0 && err == nil {
		p.t.Errorf("%q prints nothing", args)
	}
	p.seen = append(p.seen, sighting{fmt.Sprintf("output of %q", args), string(out)})
}

func (p *planted) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(p.t.Context(), p.bin, args...)
	cmd.Env = append(os.Environ(), "HOME="+p.home, "XDG_CONFIG_HOME="+p.home, "XDG_DATA_HOME="+p.home, "XDG_STATE_HOME="+p.home, "XDG_CACHE_HOME="+p.home,
		"SCHEDCTL_URL="+p.url, "SCHEDCTL_API_KEY="+p.secrets["admin key"], "TERM=dumb", "DBUS_SESSION_BUS_ADDRESS=unix:path=/nowhere")
	return cmd
}

// connectAll connects an account of each kind.
func (p *planted) connectAll(name string) {
	p.accounts, p.pictured = nil, nil
	for _, a := range parrotAccounts(p.parrot, p.secrets) {
		a.Name += " " + name
		var added apiv1.AccountEnvelope
		p.call("POST", "/api/v1/social-accounts", a, &added)
		p.accounts = append(p.accounts, added.SocialAccount.ID)
		if networks.Named(strings.TrimSuffix(a.Name, " "+name)).Pictures {
			p.pictured = append(p.pictured, added.SocialAccount.ID)
		}
	}
}

// upload uploads a picture.
func (p *planted) upload() {
	file := filepath.Join(p.t.TempDir(), "cat.jpg")
	if err := os.WriteFile(file, mediatest.JPEG(1080, 1080), 0o600); err != nil {
		p.t.Fatal(err)
	}
	id, err := p.command("media", "upload", file, "-q").Output()
	if err != nil {
		p.t.Fatal(err)
	}
	p.picture = strings.TrimSpace(string(id))
}

// publish publishes to all accounts and waits until each was tried.
func (p *planted) publish(text string) {
	p.t.Helper()
	var others, pictured []string
	for _, id := range p.accounts {
		if slices.Contains(p.pictured, id) {
			pictured = append(pictured, id)
		} else {
			others = append(others, id)
		}
	}
	posts := []map[string]any{{"content": text, "social_account_ids": others, "publish_at": "now"}}
	if len(pictured) > 0 {
		picture := map[string]any{"id": p.picture, "alt_text": "a cat"}
		posts = append(posts, map[string]any{"content": text, "social_account_ids": pictured, "publish_at": "now", "media": []any{picture}})
	}
	for _, post := range posts {
		var made apiv1.PostEnvelope
		p.call("POST", "/api/v1/posts", post, &made)
		p.await("a post to be tried", func() bool {
			_, text := p.ask(p.secrets["admin key"], "GET", "/api/v1/posts/"+made.Post.ID, nil)
			return !strings.Contains(text, `"attempts":0`)
		})
	}
}

// tellWebhooks makes a webhook, rotates its secret and has it tested.
func (p *planted) tellWebhooks() {
	secret := p.secrets["webhook secret"]
	var made apiv1.WebhookSecret
	p.call("POST", "/api/v1/webhooks", apiv1.CreateWebhook{
		URL: p.parrot.URL + "/in/" + p.secrets["webhook path"] + "?key=" + p.secrets["webhook query"], Secret: &secret,
		EventTypes: []schedctl.EventType{schedctl.EventPostFailed, schedctl.EventPostPublished},
	}, &made)
	p.webhook = made.Webhook.ID
	p.call("POST", "/api/v1/webhooks/"+p.webhook+"/rotate-secret", nil, &made)
	p.secrets["rotated secret"] = made.Secret
	name := "renamed"
	p.call("PATCH", "/api/v1/webhooks/"+p.webhook, apiv1.EditWebhook{Name: &name}, nil)
	p.call("POST", "/api/v1/webhooks/"+p.webhook+"/test", nil, nil)
	var key struct{ Secret string }
	_, text := p.ask(p.secrets["admin key"], "POST", "/api/v1/api-keys", map[string]any{"name": "limited"})
	if decode(text, &key) != nil || key.Secret == "" {
		p.t.Fatalf("no API key: %s", text)
	}
	p.secrets["made key"] = key.Secret
}

// addNotifications adds a notification through every account that can carry one, and
// one by e-mail. Only the first reports posts: the others are just tested.
func (p *planted) addNotifications() {
	host, port, _ := net.SplitHostPort(p.mail.Addr)
	number, _ := strconv.Atoi(port)
	ways := []apiv1.CreateNotification{{Email: &apiv1.EmailSettings{
		Host: host, Port: &number, Username: new("ann"), Password: new(p.secrets["mail password"]), From: "a@example.com", To: []string{"b@example.com"},
	}}}
	for i, a := range parrotAccounts(p.parrot, p.secrets) {
		if slices.Contains(schedctl.NotificationPlatforms(), a.Platform) {
			ways = append(ways, apiv1.CreateNotification{SocialAccountID: &p.accounts[i]})
		}
	}
	for i, n := range ways {
		if i != 1 {
			n.EventTypes = &[]schedctl.EventType{schedctl.EventWebhookDisabled}
		}
		var made apiv1.NotificationEnvelope
		p.call("POST", "/api/v1/notifications", n, &made)
		p.unsent[made.Notification.ID] = 0
	}
}

// testNotifications tests every notification. It counts the tests that fail.
func (p *planted) testNotifications() {
	for id := range p.unsent {
		status, text := p.ask(p.secrets["admin key"], "POST", "/api/v1/notifications/"+id+"/test", nil)
		p.seen = append(p.seen, sighting{"the test of a notification", text})
		if status == http.StatusOK && strings.Contains(text, `"sent":false`) {
			p.unsent[id]++
		}
		p.run("", "notify", "test", id)
		p.run("", "notify", "show", id)
	}
	p.run("", "notify", "list", "--json")
}

// useEverything does what there is to do while the networks refuse.
func (p *planted) useEverything() {
	refusal := p.parrot.refusal.Swap(-1)
	p.connectAll(fmt.Sprint(refusal))
	p.parrot.refusal.Store(refusal)
	p.publish(fmt.Sprint("refused ", refusal))
	wrong := map[string]string{}
	plantAccounts(wrong)
	for name, secret := range wrong {
		p.secrets[fmt.Sprint("wrong ", refusal, name)] = secret
	}
	for i, a := range parrotAccounts(p.parrot, wrong) {
		a.Name = fmt.Sprint("wrong ", refusal, i)
		p.call("POST", "/api/v1/social-accounts", a, nil)
		p.call("PATCH", "/api/v1/social-accounts/"+p.accounts[i], map[string]any{"credentials": a.Credentials}, nil)
		p.call("POST", "/api/v1/social-accounts/"+p.accounts[i]+"/verify", nil, nil)
	}
	p.call("POST", "/api/v1/webhooks/"+p.webhook+"/test", nil, nil)
	p.testNotifications()
	p.run(p.secrets["wrong password"]+"\n", "account", "add", "mastodon", "--name", "cli", "--set", "instance_url="+p.parrot.URL, "--secret-file", "-")
	p.run(p.secrets["wrong password"]+"\n", "account", "reconnect", "mastodon accepted", "--secret-file", "-")
}

// refuseStrangers makes requests that are refused before anything is asked.
func (p *planted) refuseStrangers() {
	for _, body := range []any{
		map[string]any{"platform": "mastodon", "name": "x", "credentials": map[string]any{"access_token": p.secrets["unsent token"]}},
		map[string]any{"platform": "mastodon", "name": "x", "credentials": map[string]any{"instance_url": p.parrot.URL, "access_token": " " + p.secrets["unsent token"]}},
		map[string]any{"platform": "http", "name": "x", "credentials": map[string]any{"url": "http://" + p.secrets["user info"] + ":" + p.secrets["unsent token"] + "@127.0.0.1/"}},
		map[string]any{"platform": "http", "name": "x", "credentials": map[string]any{"url": "http://[" + p.secrets["unsent token"]}},
		map[string]any{"platform": "http", "name": "x", "credentials": map[string]any{"url": "http://127.0.0.1", "secret": p.secrets["unsent token"]}},
		map[string]any{"platform": "telegram", "name": "x", "credentials": map[string]any{"bot_token": p.secrets["unsent token"], "chat_id": "@c"}},
		map[string]any{"platform": "discord", "name": "x", "credentials": map[string]any{"webhook_url": "https://discord.com/nowhere/" + p.secrets["unsent token"]}},
		map[string]any{"platform": "mastodon", "name": "x", "credentials": map[string]any{"nonsense": p.secrets["unsent token"]}},
		map[string]any{"platform": "mastodon", "name": "x", "credentials": []string{p.secrets["unsent token"]}},
		map[string]any{"platform": "mastodon", "name": "x", "credentials": map[string]any{"access_token": []string{p.secrets["unsent token"]}}},
	} {
		p.call("POST", "/api/v1/social-accounts", body, nil)
	}
	for _, address := range []string{"http://" + p.secrets["user info"] + "@127.0.0.1/", "ftp://x/" + p.secrets["unsent token"], "http://%zz" + p.secrets["unsent token"]} {
		if status := p.call("POST", "/api/v1/webhooks", map[string]any{"url": address, "event_types": []string{"post.failed"}}, nil); status != http.StatusBadRequest {
			p.t.Errorf("a webhook to an invalid address: %d", status)
		}
		p.run("", "webhook", "create", "--url", address, "--event", "post.failed")
	}
	for _, mail := range []map[string]any{
		{"host": "smtp.example.com", "username": "ann\n", "password": p.secrets["unsent token"], "from": "a@example.com", "to": []string{"b@example.com"}},
		{"host": "smtp.example.com", "password": p.secrets["unsent token"], "from": "a@example.com", "to": []string{"b@example.com"}},
		{"host": "smtp.example.com", "username": "ann", "password": []string{p.secrets["unsent token"]}, "from": "a@example.com", "to": []string{"b@example.com"}},
		{"host": p.secrets["unsent token"] + "@smtp.example.com", "from": "a@example.com", "to": []string{"b@example.com"}},
		{"host": "smtp.example.com", "username": "ann", "password": p.secrets["unsent token"] + "\x00", "from": "a@example.com", "to": []string{"b@example.com"}},
	} {
		if status := p.call("POST", "/api/v1/notifications", map[string]any{"email": mail}, nil); status != http.StatusBadRequest {
			p.t.Errorf("settings of e-mail that are wrong: %d", status)
		}
	}
	short := "whsec_" + p.secrets["unsent token"][:8]
	p.call("POST", "/api/v1/webhooks", map[string]any{"url": "https://x.example", "event_types": []string{"post.failed"}, "secret": short}, nil)
	for _, path := range []string{"/api/v1/me", "/api/v1/posts", "/nowhere"} {
		_, text := p.ask(p.secrets["wrong key"], "GET", path, nil)
		p.seen = append(p.seen, sighting{"response to a wrong key", text})
	}
}

// lookAround reads all there is to read.
func (p *planted) lookAround() {
	for _, path := range []string{
		"/metrics", "/healthz", "/readyz", "/api/v1/me", "/api/v1/posts?limit=100", "/api/v1/social-accounts?status=all", "/api/v1/api-keys", "/api/v1/audit?limit=100",
		"/api/v1/notifications", "/api/v1/webhooks/" + p.webhook + "/deliveries?limit=100", "/api/v1/capabilities", "/api/v1/workspaces",
	} {
		p.call("GET", path, nil, nil)
	}
	_, text := p.ask(p.secrets["admin key"], "GET", "/api/v1/posts?limit=100", nil)
	var posts apiv1.PostList
	if err := decode(text, &posts); err != nil || len(posts.Results) == 0 {
		p.t.Fatalf("posts: %v", err)
	}
	for _, post := range posts.Results {
		p.call("GET", "/api/v1/posts/"+post.ID+"/timeline", nil, nil)
	}
	key := filepath.Join(p.home, "key")
	for _, args := range [][]string{
		{"me"}, {"account", "list"}, {"account", "list", "--json"}, {"account", "show", "http accepted"}, {"account", "verify", "mastodon accepted"}, {"post", "list", "--json"},
		{"post", "show", posts.Results[0].ID}, {"post", "timeline", posts.Results[0].ID}, {"webhook", "deliveries", p.webhook}, {"webhook", "deliveries", p.webhook, "--json"},
		{"audit"}, {"key", "list"}, {"doctor"}, {"daemon", "health"}, {"daemon", "status", "--data-dir", p.dir}, {"capabilities"}, {"daemon", "check", "--data-dir", p.dir},
		{"backup", filepath.Join(p.home, "backup.db")}, {"--api-key-file", key, "me"}, {"context", "add", "here", "--url", p.url, "--api-key-file", key}, {"context", "list"},
		{"--url", "http://127.0.0.1:1", "me"}, {"api", "GET", "/posts"}, {"daemon", "run", "--data-dir", p.dir},
	} {
		p.run("", args...)
	}
	if _, err := os.Stat(filepath.Join(p.home, "backup.db")); err != nil {
		p.t.Error(err)
	}
	p.seen = append(p.seen, sighting{"the terminal of tui", p.browse("refused")})
}

// logIn goes through a login by browser that ends in a refusal.
func (p *planted) logIn() {
	mux := http.NewServeMux()
	mux.HandleFunc("/api/v1/apps", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"client_id":"id","client_secret":%q}`, p.secrets["oauth client secret"])
	})
	mux.HandleFunc("/oauth/token", func(w http.ResponseWriter, r *http.Request) {
		r.ParseForm()
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"error":"no %s %s"}`, r.Form.Encode(), p.secrets["oauth client secret"])
	})
	server := httptest.NewServer(mux)
	p.t.Cleanup(server.Close)
	client := outbound.Client(outbound.AllowPrivate)
	login, err := mastodon.StartLogin(p.t.Context(), client, server.URL, "test")
	if err != nil {
		p.t.Fatal(err)
	}
	_, err = login.Finish(p.t.Context(), p.secrets["oauth code"])
	if err == nil {
		p.t.Fatal("a refused code gives a token")
	}
	p.seen = append(p.seen, sighting{"a login", fmt.Sprintf("%v %+v %#v %v %+v", login, login, login, err, err)})
}

// crash has the daemon write all its goroutines down and end.
func (p *planted) crash() {
	p.cmd.Process.Signal(syscall.SIGQUIT)
	p.cmd.Wait()
	p.cmd = nil
	if !strings.Contains(p.log.String(), "goroutine ") || !strings.Contains(p.log.String(), "level=DEBUG") {
		p.t.Error("the log has no dump of goroutines, or nothing of level debug")
	}
	p.seen = append(p.seen, sighting{"the log", p.log.String()})
}

// search looks for every secret in every form.
func (p *planted) search(s map[string]string) {
	seen := slices.Clone(p.seen)
	for _, root := range []string{p.dir, p.home} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			info, err := entry.Info()
			if err != nil {
				return err
			}
			if info.Mode().Type() == 0 && info.Mode().Perm()&0o077 != 0 {
				p.t.Errorf("%s can be read by others: %v", entry.Name(), info.Mode())
			}
			if name := entry.Name(); name == "admin.key" || name == "secret.key" || path == filepath.Join(p.home, "key") {
				return nil // these files hold keys; their mode is checked above
			}
			content, err := os.ReadFile(path)
			seen = append(seen, sighting{"file " + entry.Name(), string(content)})
			return err
		})
		if err != nil {
			p.t.Fatal(err)
		}
	}
	if len(s) < 20 {
		p.t.Errorf("only %d secrets are planted", len(s))
	}
	size := 0
	found := map[string]bool{}
	for _, at := range seen {
		size += len(at.text)
		for name, secret := range s {
			for form, text := range forms(secret) {
				if i := strings.Index(at.text, text); i >= 0 && !found[name+at.where] {
					found[name+at.where] = true
					p.t.Errorf("%s, %s, is in %s: …%q…", name, form, at.where, at.text[max(0, i-80):min(len(at.text), i+len(text)+20)])
				}
			}
		}
	}
	p.t.Logf("%d secrets were not in %d places with %d kB", len(s), len(seen), size/1000)
}

// forms are the ways in which a secret can be written down. A long part of one
// gives it away as well.
func forms(secret string) map[string]string {
	quoted, _ := json.Marshal(secret)
	out := map[string]string{
		"as it is": secret, "in JSON": strings.Trim(string(quoted), `"`), "in Go": strings.Trim(fmt.Sprintf("%q", secret), `"`), "in a query": url.QueryEscape(secret),
		"in a path": url.PathEscape(secret), "in HTML": html.EscapeString(secret), "in hex": hex.EncodeToString([]byte(secret)), "in capital hex": strings.ToUpper(hex.EncodeToString([]byte(secret))),
	}
	for shift := range 3 { // base64 depends on what comes before
		padded := append(make([]byte, shift), secret...)
		for name, encoding := range map[string]*base64.Encoding{"base64": base64.RawStdEncoding, "base64 of URLs": base64.RawURLEncoding} {
			text := encoding.EncodeToString(padded)
			out[fmt.Sprintf("in %s, shifted by %d", name, shift)] = text[4 : len(text)-4]
		}
	}
	if len(secret) >= 24 {
		out["its beginning"], out["its end"] = secret[:20], secret[len(secret)-16:]
	}
	return out
}

// browse walks through the screens of tui and returns all that it drew.
func (p *planted) browse(first string) string {
	p.t.Helper()
	return p.onTerminal([][2]string{{first, "\t"}, {"", "\t\r"}, {"", "jj\r"}, {"", "?"}, {"", "\x03"}}, "tui")
}

// onTerminal runs the program on a terminal and returns all that it shows. Each
// step is what has to appear, and what is typed then.
func (p *planted) onTerminal(steps [][2]string, args ...string) string {
	p.t.Helper()
	screen, program, err := openTerminal()
	if err != nil {
		p.t.Fatal(err)
	}
	defer screen.Close()
	cmd := p.command(args...)
	cmd.Env = append(cmd.Env, "TERM=xterm-256color", "NO_COLOR=1", "PAGER=cat", "DISPLAY=:0")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = program, program, program
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	err = cmd.Start()
	program.Close()
	if err != nil {
		p.t.Fatal(err)
	}
	seen := watch(screen)
	from := 0
	for _, step := range steps {
		end, found := seen.find(step[0], from)
		if !found {
			cmd.Process.Kill()
			p.t.Errorf("%q: %q did not appear: %s", args, step[0], seen.text())
			break
		}
		from = end
		screen.WriteString(step[1])
	}
	cmd.Wait()
	seen.wait()
	return seen.text()
}
