package proxy

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/scripts/installed"
	"github.com/schedctl/schedctl/scripts/testsize"
)

// daemonAddress is the address of the daemon in the examples.
const daemonAddress = "127.0.0.1:7733"

// site is a proxy in front of a daemon. Both use Unix sockets in one directory.
type site struct {
	dir, public, key string
	daemon           *exec.Cmd
}

func (s *site) daemonSocket() string { return filepath.Join(s.dir, "d.sock") }
func (s *site) proxySocket() string  { return filepath.Join(s.dir, "p.sock") }

// newSite starts a daemon with the public URL of an example.
func newSite(t *testing.T, public string) *site {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "sctl") // short, as paths of sockets have to be
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := &site{dir: dir, public: public}
	bin := filepath.Join(dir, "schedctl")
	built, err := schedctlProgram()
	if err != nil {
		t.Fatalf("go build: %v\n%s", err, built)
	}
	if err := installed.Write(bin, built); err != nil {
		t.Fatal(err)
	}
	s.daemon = start(t, bin, "daemon", "run", "--data-dir", filepath.Join(dir, "data"), "--listen", "unix://"+s.daemonSocket(),
		"--public-url", public, "--trusted-proxy", "unix")
	key := ""
	await(t, "a daemon", func() bool {
		text, _ := os.ReadFile(filepath.Join(dir, "data", "admin.key")) // appears after the socket
		key = strings.TrimSpace(string(text))
		return key != "" && serves(s.daemonSocket())
	})
	s.key = key
	return s
}

// schedctlProgram builds schedctl, once for all tests. With an error, it returns the output
// of the build.
var schedctlProgram = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "schedctl")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	bin := filepath.Join(dir, "schedctl")
	if out, err := exec.Command("go", "build", "-o", bin, "../../cmd/schedctl").CombinedOutput(); err != nil {
		return out, err
	}
	return os.ReadFile(bin)
})

// start runs a program until the end of the test, and shows its output if the test fails.
func start(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	var log bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop(cmd)
		if t.Failed() {
			t.Logf("%s:\n%s", filepath.Base(name), &log)
		}
	})
	return cmd
}

// stop ends a program and waits for it. It may be called again.
func stop(cmd *exec.Cmd) {
	cmd.Process.Signal(syscall.SIGTERM)
	cmd.Wait()
}

// await waits until ready returns true.
func await(t *testing.T, what string, ready func() bool) {
	t.Helper()
	for end := time.Now().Add(testsize.Patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if ready() {
			return
		}
	}
	t.Fatalf("%s does not start", what)
}

// serves reports whether a program accepts connections on a socket.
func serves(socket string) bool {
	conn, err := net.Dial("unix", socket)
	if err != nil {
		return false
	}
	conn.Close()
	return true
}

// transport connects to the proxy, whatever the URL, without TLS.
func (s *site) transport() *http.Transport {
	return &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", s.proxySocket())
	}}
}

// client returns a client of the daemon behind the proxy.
func (s *site) client(t *testing.T) *client.Client {
	t.Helper()
	c, err := client.New(client.Config{URL: strings.Replace(s.public, "https://", "http://", 1), Key: s.key, Transport: s.transport()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// get sends a GET request to a path below the public URL, or to an absolute one.
func (s *site) get(t *testing.T, at string) (status int, header http.Header, body []byte) {
	t.Helper()
	base, err := url.Parse(strings.Replace(s.public, "https://", "http://", 1) + "/")
	if err != nil {
		t.Fatal(err)
	}
	to, err := base.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, to.String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.key)
	res, err := s.transport().RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err = io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, res.Header, body
}

// check compares what a client sees through the proxy with what docs/proxy.md promises.
func (s *site) check(t *testing.T) {
	t.Helper()
	var doc struct{ Servers []struct{ URL string } }
	_, _, text := s.get(t, "openapi.json")
	if err := json.Unmarshal(text, &doc); err != nil || len(doc.Servers) != 1 || doc.Servers[0].URL != s.public {
		t.Errorf("the servers of the document are %+v, %v", doc.Servers, err)
	}
	c := s.client(t)
	made, err := c.Raw(t.Context(), http.MethodPost, "/posts", []byte(`{"content":"Hello"}`))
	if err != nil {
		t.Fatal(err)
	}
	if status, _, _ := s.get(t, made.Header.Get("Location")); status != http.StatusOK {
		t.Errorf("GET %s, which Location names, is %d", made.Header.Get("Location"), status)
	}
	for at, want := range map[string]int{"metrics": 404, "docs": 200, "docs/start.js": 200, "healthz": 200} {
		if status, _, _ := s.get(t, at); status != want {
			t.Errorf("GET %s is %d, want %d", at, status, want)
		}
	}
	if !strings.HasSuffix(s.public, ".org") {
		path := s.public[strings.LastIndex(s.public, "/"):]
		if status, header, _ := s.get(t, path); status/100 != 3 || !strings.HasSuffix(header.Get("Location"), path+"/") {
			t.Errorf("GET %s is %d with Location %q", path, status, header.Get("Location"))
		}
	}
	if _, err := c.UploadMedia(t.Context(), picture(2<<20)); err != nil {
		t.Errorf("upload 2 MB: %v", err)
	}
	s.checkEvents(t)
}

// picture is a GIF with trailing bytes, so that it is as large as the test wants.
func picture(size int) client.UploadFile {
	gif := "GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
	body := append([]byte(gif), make([]byte, size)...)
	return client.UploadFile{Name: "a.gif", Size: int64(len(body)), Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }}
}

// checkEvents fails the test unless the first line of a stream of events arrives while the
// stream is open.
func (s *site) checkEvents(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testsize.Patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.Replace(s.public, "https://", "http://", 1)+"/api/v1/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.key)
	res, err := s.transport().RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if line, err := bufio.NewReader(res.Body).ReadString('\n'); err != nil || !strings.HasPrefix(line, "retry:") {
		t.Errorf("the stream of events begins with %q, %v", line, err)
	}
}

// checkOutage stops the daemon, and checks what the client says about the proxy.
func (s *site) checkOutage(t *testing.T, want string) {
	t.Helper()
	stop(s.daemon)
	_, err := s.client(t).Me(t.Context())
	if refused, ok := errors.AsType[*client.Error](err); !ok || refused.API.Code != schedctl.Unavailable || !strings.Contains(err.Error(), want) {
		t.Errorf("without a daemon the client says: %v", err)
	}
}

// examples returns the blocks of a language in docs/proxy.md, by the name of their site.
func examples(t *testing.T, language string, site *regexp.Regexp) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../../docs/proxy.md")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, block := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		name := site.FindStringSubmatch(block[1])
		if name == nil {
			t.Fatalf("an example has no site:\n%s", block[1])
		}
		found[name[1]] = block[1]
	}
	if len(found) != 2 || found["posts.example.org"] == "" || found["www.example.org"] == "" {
		t.Fatalf("docs/proxy.md has %d examples for %s", len(found), language)
	}
	return found
}

// publicURLs are the public URLs of the examples, by the name of their site.
var publicURLs = map[string]string{"posts.example.org": "https://posts.example.org", "www.example.org": "https://www.example.org/schedctl"}

// program returns the path of a proxy, or skips the test.
func program(t *testing.T, name string) string {
	t.Helper()
	for _, path := range []string{name, "/usr/sbin/" + name} {
		if found, err := exec.LookPath(path); err == nil {
			return found
		}
	}
	advice := name + " is not installed: run scripts/proxy/install.sh"
	if os.Getenv("SCHEDCTL_REQUIRE_ALL") == "1" {
		t.Fatal(advice)
	}
	t.Skip(advice)
	return ""
}

func TestNginx(t *testing.T) {
	t.Parallel()
	nginx := program(t, "nginx")
	for name, example := range examples(t, "nginx", regexp.MustCompile(`server_name (\S+);`)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, publicURLs[name])
			config := nginxConfig(s, example)
			run := func(config string) *exec.Cmd {
				path := filepath.Join(s.dir, "nginx.conf")
				if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
					t.Fatal(err)
				}
				os.Remove(s.proxySocket())
				cmd := start(t, nginx, "-p", s.dir, "-c", path)
				await(t, "the proxy", func() bool { return serves(s.proxySocket()) })
				return cmd
			}
			running := run(config)
			s.check(t)
			log := struct{ Results []apiv1.AuditEntry }{}
			s.postFrom(t, "192.0.2.7")
			_, _, text := s.get(t, "api/v1/audit?limit=1")
			if err := json.Unmarshal(text, &log); err != nil || len(log.Results) != 1 || log.Results[0].RemoteAddr == nil || *log.Results[0].RemoteAddr != "192.0.2.7" {
				t.Errorf("the audit log has %s, %v", text, err)
			}
			stop(running)

			run(regexp.MustCompile(`client_max_body_size[^;]*;`).ReplaceAllString(config, ""))
			_, err := s.client(t).UploadMedia(t.Context(), picture(2<<20))
			if refused, ok := errors.AsType[*client.Error](err); !ok || refused.API.Code != schedctl.BodyTooLarge || !strings.Contains(err.Error(), "client_max_body_size") {
				t.Errorf("an upload that nginx refuses: %v", err)
			}
			s.checkOutage(t, "the proxy nginx in front of the daemon cannot reach it")
		})
	}
}

// postFrom creates a post as a client with an address, as far as nginx knows.
func (s *site) postFrom(t *testing.T, address string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, strings.Replace(s.public, "https://", "http://", 1)+"/api/v1/posts", strings.NewReader(`{"content":"Hello"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.key)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Client", address)
	r.Header.Set("X-Forwarded-For", "198.51.100.9") // made up
	res, err := s.transport().RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusCreated {
		t.Fatalf("POST /posts is %d", res.StatusCode)
	}
}

// nginxConfig returns a configuration of nginx with an example whose TLS and addresses are
// replaced by Unix sockets. X-Client stands for the address of a client, which a socket does
// not have.
func nginxConfig(s *site, example string) string {
	example = strings.ReplaceAll(example, "listen 443 ssl;", "listen unix:"+s.proxySocket()+";")
	example = regexp.MustCompile(`(?m)^\s*ssl_.*\n`).ReplaceAllString(example, "")
	example = strings.ReplaceAll(example, "http://"+daemonAddress+"/;", "http://unix:"+s.daemonSocket()+":/;")
	example = strings.ReplaceAll(example, "http://"+daemonAddress+";", "http://unix:"+s.daemonSocket()+";")
	var paths strings.Builder
	for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		fmt.Fprintf(&paths, "    %s_temp_path %s;\n", kind, filepath.Join(s.dir, kind))
	}
	user := ""
	if os.Getuid() == 0 {
		user = "user root;\n" // the sockets belong to root
	}
	return user + "daemon off;\nmaster_process off;\nerror_log stderr warn;\npid " + filepath.Join(s.dir, "nginx.pid") + ";\nevents {}\nhttp {\n    access_log off;\n" +
		"    set_real_ip_from unix:;\n    real_ip_header X-Client;\n" + paths.String() + example + "}\n"
}

func TestCaddy(t *testing.T) {
	t.Parallel()
	caddy := program(t, "caddy")
	for name, example := range examples(t, "caddy", regexp.MustCompile(`(?m)^(\S+) \{`)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, publicURLs[name])
			config := strings.Replace(example, name+" {\n", "http://"+name+" {\n\tbind unix/"+s.proxySocket()+"\n", 1)
			config = strings.ReplaceAll(config, daemonAddress, "unix/"+s.daemonSocket())
			path := filepath.Join(s.dir, "Caddyfile")
			if err := os.WriteFile(path, []byte("{\n\tadmin off\n\tauto_https off\n}\n"+config), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := start(t, caddy, "run", "--config", path, "--adapter", "caddyfile")
			await(t, "the proxy", func() bool { return serves(s.proxySocket()) })
			s.check(t)
			s.checkOutage(t, "in front of the daemon cannot reach it")
			stop(cmd)
		})
	}
}
