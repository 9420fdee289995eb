package main_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// kills is how often the daemon is killed.
const kills = 25

// TestKilledDaemonLosesNothingAndPublishesNothingTwice kills a real daemon at
// random instants while posts are created and published, and then compares what
// was acknowledged, what the network saw, and what the daemon says.
func TestKilledDaemonLosesNothingAndPublishesNothingTwice(t *testing.T) {
	t.Parallel()
	network := newCountingNetwork(t)
	d := newCrashDaemon(t)
	d.start()
	var accounts []string
	for i := range 8 {
		accounts = append(accounts, d.connect(fmt.Sprintf("%s/%d", network.URL, i), i%2 == 0))
	}
	d.kill()
	var created []*request
	for round := range kills {
		d.start()
		created = append(created, d.createUntilKilled(round, accounts)...)
	}
	d.start()
	acknowledged := 0
	for _, r := range created {
		first := r.post
		if first != "" {
			acknowledged++
		}
		if again := d.create(r); again == "" || (first != "" && again != first) {
			t.Errorf("request %s: repeated it gives post %q, before the crash %q", r.key, again, first)
		}
	}
	if acknowledged < kills {
		t.Fatalf("only %d posts were acknowledged in %d rounds: the test saw nothing", acknowledged, kills)
	}
	published := 0
	for _, r := range created {
		published += d.compare(d.settled(r.post), network)
	}
	t.Logf("%d posts, %d acknowledged before a kill, %d published; the network saw %d calls", len(created), acknowledged, published, network.total())
	if list := d.count(); list != len(created) {
		t.Errorf("the daemon lists %d posts, %d requests were made", list, len(created))
	}
}

// request is one create, and the post it was answered with, if it was.
type request struct{ key, body, post string }

// compare holds what the daemon says of a post's target against the network,
// and returns 1 when it was published.
func (d *crashDaemon) compare(p apiv1.Post, network *countingNetwork) int {
	d.t.Helper()
	target := p.Targets[0]
	calls, idempotent := network.calls(target.ID)
	if calls > 1 && !idempotent {
		d.t.Errorf("target %s was sent %d times", target.ID, calls)
	}
	switch {
	case target.Status == schedctl.Published && calls == 0:
		d.t.Errorf("target %s is published, but the network never saw it", target.ID)
	case target.Status == schedctl.Failed && (target.Error == nil || target.Error.Outcome != schedctl.OutcomeUnknown):
		d.t.Errorf("target %s failed for another reason than the kill: %+v", target.ID, target.Error)
	case target.Status != schedctl.Published && target.Status != schedctl.Failed:
		d.t.Errorf("target %s ended as %s", target.ID, target.Status)
	case target.Status == schedctl.Published:
		return 1
	}
	return 0
}

// countingNetwork is an http receiver that counts the calls for each target.
// Accounts with an even number say that they know repeats.
type countingNetwork struct {
	*httptest.Server
	mu         sync.Mutex // mu guards what follows
	seen       map[string]int
	idempotent map[string]bool
}

func newCountingNetwork(t *testing.T) *countingNetwork {
	n := &countingNetwork{seen: map[string]int{}, idempotent: map[string]bool{}}
	n.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := r.Header.Get("Idempotency-Key")
		n.mu.Lock()
		n.seen[key]++
		n.idempotent[key] = strings.ContainsAny(r.URL.Path, "02468")
		n.mu.Unlock()
		time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond) // an answer that a kill can come before
		fmt.Fprintf(w, `{"id":"n-%s"}`, key)
	}))
	t.Cleanup(n.Close)
	return n
}

func (n *countingNetwork) calls(target string) (calls int, idempotent bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.seen[target], n.idempotent[target]
}

func (n *countingNetwork) total() (sum int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, c := range n.seen {
		sum += c
	}
	return sum
}

// crashDaemon is a real daemon that is killed and started again on its data.
type crashDaemon struct {
	t            *testing.T
	bin, dir     string
	address, key string
	cmd          *exec.Cmd
	log          bytes.Buffer
}

func newCrashDaemon(t *testing.T) *crashDaemon {
	t.Helper()
	bin, err := exec.LookPath("schedctl") // this program, as in the scripts
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	d := &crashDaemon{t: t, bin: bin, dir: filepath.Join(t.TempDir(), "data"), address: l.Addr().String()}
	t.Cleanup(func() {
		if d.cmd != nil {
			d.kill()
		}
		if t.Failed() {
			t.Logf("the daemon's log:\n%s", &d.log)
		}
	})
	return d
}

func (d *crashDaemon) start() {
	d.t.Helper()
	d.cmd = exec.Command(d.bin, "daemon", "run", "--data-dir", d.dir, "--listen", d.address, "--allow-private-networks")
	d.cmd.Stderr = &d.log
	if err := d.cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(2 * time.Millisecond) {
		if resp, err := http.Get("http://" + d.address + "/readyz"); err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				break
			}
		}
		if time.Now().After(deadline) {
			d.t.Fatalf("the daemon is not ready\n%s", &d.log)
		}
	}
	key, err := os.ReadFile(filepath.Join(d.dir, "admin.key"))
	if err != nil {
		d.t.Fatal(err)
	}
	d.key = strings.TrimSpace(string(key))
}

func (d *crashDaemon) kill() {
	d.cmd.Process.Kill()
	d.cmd.Wait()
	d.cmd = nil
}

// createUntilKilled creates posts from several connections, kills the daemon
// after a random time, and returns every request that was begun.
func (d *crashDaemon) createUntilKilled(round int, accounts []string) []*request {
	ctx, stop := context.WithCancel(context.Background())
	var mu sync.Mutex // mu guards begun
	var begun []*request
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			for i := 0; ctx.Err() == nil && i < 30; i++ {
				at := time.Now().Add(time.Duration(5+rand.IntN(300)) * time.Millisecond)
				r := &request{key: fmt.Sprintf("%d-%d-%d", round, worker, i)}
				r.body = fmt.Sprintf(`{"content":"post %s","social_account_ids":[%q],"publish_at":%q}`,
					r.key, accounts[rand.IntN(len(accounts))], at.UTC().Format("2006-01-02T15:04:05.000Z"))
				r.post = d.tryCreate(r)
				if r.post == "" && ctx.Err() == nil {
					continue // the time had passed before the daemon saw it
				}
				mu.Lock()
				begun = append(begun, r)
				mu.Unlock()
				time.Sleep(time.Duration(rand.IntN(10)) * time.Millisecond)
			}
		})
	}
	time.Sleep(time.Duration(20+rand.IntN(250)) * time.Millisecond)
	stop()
	d.kill()
	wg.Wait()
	return begun
}

// tryCreate sends a request and returns the post it is answered with, or "".
func (d *crashDaemon) tryCreate(r *request) string {
	var answer apiv1.PostEnvelope
	status, err := d.do("POST", "/posts", r.key, r.body, &answer)
	if err != nil || status != http.StatusCreated {
		return ""
	}
	return answer.Post.ID
}

// create repeats a request; one that never had an effect gets a new time first.
func (d *crashDaemon) create(r *request) string {
	d.t.Helper()
	if post := d.tryCreate(r); post != "" {
		r.post = post
		return post
	}
	var body map[string]any
	if err := json.Unmarshal([]byte(r.body), &body); err != nil {
		d.t.Fatal(err)
	}
	body["publish_at"] = "now"
	again, err := json.Marshal(body)
	if err != nil {
		d.t.Fatal(err)
	}
	var answer apiv1.PostEnvelope
	status, err := d.do("POST", "/posts", r.key, string(again), &answer)
	if err != nil || status != http.StatusCreated {
		d.t.Fatalf("create %s again: %d, %v", r.key, status, err)
	}
	r.post = answer.Post.ID
	return r.post
}

// settled waits until a post has ended.
func (d *crashDaemon) settled(id string) apiv1.Post {
	d.t.Helper()
	return d.settledWithin(id, 30*time.Second)
}

func (d *crashDaemon) settledWithin(id string, patience time.Duration) apiv1.Post {
	d.t.Helper()
	var answer apiv1.PostEnvelope
	pause := 20 * time.Millisecond
	for deadline := time.Now().Add(patience); ; time.Sleep(pause) {
		status, err := d.do("GET", "/posts/"+id, "", "", &answer)
		if err != nil || status != http.StatusOK {
			d.t.Fatalf("post %s is lost: %d, %v", id, status, err)
		}
		if s := answer.Post.Status; s == schedctl.Published || s == schedctl.Failed {
			return answer.Post
		}
		if time.Now().After(deadline) {
			d.t.Fatalf("post %s is still %s", id, answer.Post.Status)
		}
		pause = min(pause*5/4, time.Second)
	}
}

// count walks the whole list.
func (d *crashDaemon) count() (n int) {
	d.t.Helper()
	for cursor := ""; ; {
		var page apiv1.PostList
		status, err := d.do("GET", "/posts?limit=100"+cursor, "", "", &page)
		if err != nil || status != http.StatusOK {
			d.t.Fatalf("list: %d, %v", status, err)
		}
		n += page.Count
		if page.NextCursor == nil {
			return n
		}
		cursor = "&cursor=" + *page.NextCursor
	}
}

func (d *crashDaemon) connect(url string, idempotent bool) string {
	d.t.Helper()
	return d.connectAccount(apiv1.AddAccount{
		Platform: "http", Name: url, Credentials: map[string]string{"url": url}, Options: map[string]any{"idempotent": idempotent},
	})
}

func (d *crashDaemon) connectAccount(a apiv1.AddAccount) string {
	d.t.Helper()
	body, err := json.Marshal(a)
	if err != nil {
		d.t.Fatal(err)
	}
	var answer apiv1.AccountEnvelope
	if status, err := d.do("POST", "/social-accounts", "", string(body), &answer); err != nil || status != http.StatusCreated {
		d.t.Fatalf("connect %s: %d, %v", a.Name, status, err)
	}
	return answer.SocialAccount.ID
}

func (d *crashDaemon) do(method, path, key, body string, into any) (status int, err error) {
	req, err := http.NewRequest(method, "http://"+d.address+"/api/v1"+path, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "Bearer "+d.key)
	req.Header.Set("Content-Type", "application/json")
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode >= 300 {
		return resp.StatusCode, err
	}
	return resp.StatusCode, json.Unmarshal(data, into)
}
