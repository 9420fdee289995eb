package main_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/scripts/testsize"
)

// request is one create.
type request struct{ key, body string }

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
	address := "127.0.0.1:" + publishtest.Ports(t, 1)[0] // the same after a restart
	d := &crashDaemon{t: t, bin: bin, dir: filepath.Join(t.TempDir(), "data"), address: address}
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
	for deadline := time.Now().Add(testsize.Patience); ; time.Sleep(2 * time.Millisecond) {
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

// tryCreate sends a request and returns the id of the created post, or "".
func (d *crashDaemon) tryCreate(r *request) string {
	var answer apiv1.PostEnvelope
	status, err := d.do("POST", "/posts", r.key, r.body, &answer)
	if err != nil || status != http.StatusCreated {
		return ""
	}
	return answer.Post.ID
}

// settledWithin waits until a post has ended.
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
