package daemon_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon"
	"github.com/schedctl/schedctl/scripts/testsize"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// dataServer is a minimal server of the AT protocol.
type dataServer struct {
	mu      sync.Mutex     // mu guards what follows
	session int            // whose refresh token is good
	access  int            // whose access token is
	calls   map[string]int // by method
}

const (
	did      = "did:plc:abcdefghijklmnopqrstuvwx"
	password = "abcd-efgh-ijkl-mnop"
)

func (s *dataServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	method := strings.TrimPrefix(r.URL.Path, "/xrpc/com.atproto.")
	s.calls[method]++
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	body, _ := io.ReadAll(r.Body)
	switch {
	case method == "server.createSession" && strings.Contains(string(body), password),
		method == "server.refreshSession" && token == fmt.Sprint("refresh-", s.session):
		s.session++
		s.access = s.session
		fmt.Fprintf(w, `{"did":%q,"handle":"me.example.com","accessJwt":"access-%d","refreshJwt":"refresh-%d"}`, did, s.session, s.session)
	case method == "repo.putRecord" && token == fmt.Sprint("access-", s.access):
		var put struct{ Rkey string }
		json.Unmarshal(body, &put)
		fmt.Fprintf(w, `{"uri":"at://%s/app.bsky.feed.post/%s","cid":"c"}`, did, put.Rkey)
	case method == "repo.getRecord":
		w.WriteHeader(http.StatusBadRequest)
		io.WriteString(w, `{"error":"RecordNotFound"}`)
	default:
		w.WriteHeader(http.StatusBadRequest)
		io.WriteString(w, `{"error":"ExpiredToken"}`)
	}
}

// expire ends the access token.
func (s *dataServer) expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.access = 0
}

func (s *dataServer) count(method string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[method]
}

// lasting is a store that successive daemons use.
type lasting struct {
	storage.Store

	mu     sync.Mutex // mu guards notify
	notify func(storage.Commit)
}

func newLasting() *lasting {
	l := &lasting{Store: storagetest.NewMemory()}
	l.Store.Notify(func(c storage.Commit) {
		l.mu.Lock()
		notify := l.notify
		l.mu.Unlock()
		if notify != nil {
			notify(c)
		}
	})
	return l
}

func (l *lasting) Notify(notify func(storage.Commit)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.notify = notify
}

// publishes publishes a post to an account now.
func (r *running) publishes(account string) {
	r.t.Helper()
	var p apiv1.PostEnvelope
	r.do("POST", "/api/v1/posts", `{"content":"hello","social_account_ids":["`+account+`"],"publish_at":"now"}`, &p)
	for began := time.Now(); p.Post.Status != schedctl.Published; {
		if time.Since(began) > testsize.Patience || p.Post.Status == schedctl.Failed {
			r.t.Fatalf("not published: %+v\n%s", p.Post.Targets, r.log)
		}
		r.do("GET", "/api/v1/posts/"+p.Post.ID, "", &p)
	}
}

// After the session of an account expires, posts are published with a new one, also after
// a restart. The app password is used once.
func TestSessionsAreRefreshedAndOutliveTheDaemon(t *testing.T) {
	t.Parallel()
	network := &dataServer{calls: map[string]int{}}
	server := httptest.NewServer(network)
	defer server.Close()
	store, dir := newLasting(), t.TempDir()
	open := func() *running {
		return start(t, func(c *daemon.Config) { c.Store, c.DataDir = store, dir })
	}
	r := open()
	var account apiv1.AccountEnvelope
	if status, body := r.do("POST", "/api/v1/social-accounts", `{"platform":"bluesky","credentials":{"service_url":"`+server.URL+
		`","identifier":"me.example.com","app_password":"`+password+`"}}`, &account); status != http.StatusCreated {
		t.Fatalf("%d %s", status, body)
	}
	network.expire()
	r.publishes(account.SocialAccount.ID)
	if n := network.count("server.refreshSession"); n != 1 {
		t.Errorf("%d refreshes", n)
	}
	network.expire()
	r.do("POST", "/api/v1/social-accounts/"+account.SocialAccount.ID+"/verify", "", &account)
	if account.SocialAccount.Status != schedctl.AccountConnected {
		t.Errorf("account is %s", account.SocialAccount.Status)
	}
	log := r.log.String()
	r.end()

	r = open()
	r.publishes(account.SocialAccount.ID)
	r.end()
	log += r.log.String()
	if n := network.count("server.createSession"); n != 1 {
		t.Errorf("logged in %d times with the app password", n)
	}
	for _, word := range []string{password, "access-", "refresh-"} {
		if strings.Contains(log, word) {
			t.Errorf("the log holds %q:\n%s", word, log)
		}
	}
}
