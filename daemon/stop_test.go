package daemon_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon"
	"github.com/schedctl/schedctl/storage"
)

// Event streams end at once when the daemon stops, with a proper end of the response.
func TestStopEndsEventStreams(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	req, err := http.NewRequest("GET", r.url+"/api/v1/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+r.key())
	stream, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	lines := bufio.NewReader(stream.Body)
	r.do("POST", "/api/v1/posts", `{"content":"x"}`, nil)
	for line := ""; !strings.HasPrefix(line, "event: post.created"); {
		if line, err = lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	r.end()
	if _, err := io.Copy(io.Discard, lines); err != nil {
		t.Errorf("the stream was cut: %v", err)
	}
}

// A post that is being published when the daemon stops is published and recorded, although
// requests are no longer served.
func TestStopServesNobodyWhileCallsFinish(t *testing.T) {
	t.Parallel()
	called, release := make(chan struct{}), make(chan struct{})
	network := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(called)
		<-release
		fmt.Fprint(w, `{"id":"remote"}`)
	}))
	defer network.Close()
	store := newLasting()
	r := start(t, func(c *daemon.Config) { c.Store = store })
	var account apiv1.AccountEnvelope
	r.do("POST", "/api/v1/social-accounts", `{"platform":"http","name":"bot","credentials":{"url":"`+network.URL+`"}}`, &account)
	var post apiv1.PostEnvelope
	if status, body := r.do("POST", "/api/v1/posts", `{"content":"x","social_account_ids":["`+account.SocialAccount.ID+`"],"publish_at":"now"}`, &post); status != http.StatusCreated {
		t.Fatalf("%d %s", status, body)
	}
	<-called
	r.stop()
	address := strings.TrimPrefix(r.url, "http://")
	r.await("it to stop serving", func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			conn.Close()
		}
		return err != nil
	})
	close(release)
	r.end()
	err := store.View(t.Context(), func(tx storage.Reader) error {
		p, err := tx.Post(post.Post.WorkspaceID, post.Post.ID)
		if p.Status() != schedctl.Published {
			t.Errorf("the post is %s", p.Status())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// The last use of API keys is on disk after a stop.
func TestStopWritesWhenKeysWereUsed(t *testing.T) {
	t.Parallel()
	store := newLasting()
	r := start(t, func(c *daemon.Config) { c.Store = store })
	r.do("GET", "/api/v1/me", "", nil)
	hash, _ := schedctl.HashKeySecret(r.key())
	r.end()
	err := store.View(t.Context(), func(tx storage.Reader) error {
		key, err := tx.KeyByHash(hash)
		if key.LastUsedAt.IsZero() {
			t.Error("the key was never used")
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
