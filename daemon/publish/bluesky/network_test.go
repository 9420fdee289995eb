package bluesky_test

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/bluesky"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

const (
	did      = "did:plc:abcdefghijklmnopqrstuvwx"
	password = "abcd-efgh-ijkl-mnop"
	key      = "3mnbxyhbs2k2a"
)

// network is a small personal data server with the account alice.example.com.
type network struct {
	*httptest.Server

	mu       sync.Mutex // mu guards the fields below
	sessions int        // issued so far, for an app password or a refresh token
	calls    []string   // methods of the protocol
	records  map[string]json.RawMessage
	handlers map[string]http.HandlerFunc // replace the default handlers
}

func newNetwork() *network {
	return &network{records: map[string]json.RawMessage{}, handlers: map[string]http.HandlerFunc{}}
}

// start returns a running network and a publisher that uses it.
func start(t *testing.T) (*network, *bluesky.Publisher) {
	t.Helper()
	n := newNetwork()
	n.Server = httptest.NewServer(n)
	t.Cleanup(n.Close)
	return n, bluesky.New(outbound.Client(outbound.AllowPrivate), nil, "test")
}

// on replaces the handler of a method.
func (n *network) on(method string, h http.HandlerFunc) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.handlers[method] = h
}

// refuse makes a method respond with a status and the name of an error.
func (n *network) refuse(method string, status int, name string) {
	n.on(method, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"error":%q,"message":"something about it"}`, name)
	})
}

// take returns the methods called since the last take.
func (n *network) take() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	calls := n.calls
	n.calls = nil
	return calls
}

func (n *network) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	method := strings.TrimPrefix(r.URL.Path, "/xrpc/")
	n.mu.Lock()
	n.calls = append(n.calls, method)
	h := n.handlers[method]
	n.mu.Unlock()
	if h != nil {
		h(w, r)
		return
	}
	switch r.Method + " " + method {
	case "POST com.atproto.server.createSession":
		n.createSession(w, r)
	case "POST com.atproto.server.refreshSession":
		if !strings.HasPrefix(r.Header.Get("Authorization"), "Bearer refresh-") {
			fail(w, 400, "InvalidToken")
			return
		}
		n.giveSession(w)
	case "GET com.atproto.repo.getRecord":
		if r.FormValue("collection") == "app.bsky.feed.post" {
			n.getRecord(w, r)
			return
		}
		io.WriteString(w, `{"uri":"at://x","value":{"displayName":"Alice 🙂\u202e"}}`)
	case "GET com.atproto.identity.resolveHandle":
		if handle := r.FormValue("handle"); !strings.HasPrefix(handle, "bob.") {
			fail(w, 400, "InvalidRequest")
			return
		}
		io.WriteString(w, `{"did":"did:plc:bob"}`)
	case "POST com.atproto.repo.uploadBlob":
		uploadBlob(w, r)
	case "POST com.atproto.repo.putRecord":
		n.putRecord(w, r)
	case "POST com.atproto.repo.applyWrites":
		n.applyWrites(w, r)
	default:
		fail(w, 404, "XRPCNotSupported")
	}
}

func fail(w http.ResponseWriter, status int, name string) {
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"error":%q,"message":"no"}`, name)
}

func (n *network) createSession(w http.ResponseWriter, r *http.Request) {
	var body struct{ Identifier, Password string }
	if json.NewDecoder(r.Body).Decode(&body) != nil || body.Identifier != "alice.example.com" || body.Password != password {
		fail(w, 401, "AuthenticationRequired")
		return
	}
	n.giveSession(w)
}

func (n *network) giveSession(w http.ResponseWriter) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.sessions++
	fmt.Fprintf(w, `{"did":%q,"handle":"alice.example.com","accessJwt":"access-%d-0123456789","refreshJwt":"refresh-%d-0123456789","active":true}`,
		did, n.sessions, n.sessions)
}

func (n *network) putRecord(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Repo, Collection, Rkey string
		Record                 json.RawMessage
		SwapRecord             json.RawMessage
	}
	switch {
	case !strings.HasPrefix(r.Header.Get("Authorization"), "Bearer access-"):
		fail(w, 401, "AuthMissing")
	case json.NewDecoder(r.Body).Decode(&body) != nil || body.Repo != did || body.Collection != "app.bsky.feed.post":
		fail(w, 400, "InvalidRequest")
	default:
		n.mu.Lock()
		defer n.mu.Unlock()
		if n.records[body.Rkey] != nil && string(body.SwapRecord) == "null" {
			fail(w, 400, "InvalidSwap")
			return
		}
		n.records[body.Rkey] = body.Record
		fmt.Fprintf(w, `{"uri":"at://%s/%s/%s","cid":"bafy"}`, did, body.Collection, body.Rkey)
	}
}

func (n *network) getRecord(w http.ResponseWriter, r *http.Request) {
	n.mu.Lock()
	defer n.mu.Unlock()
	stored := n.records[r.FormValue("rkey")]
	if stored == nil || r.FormValue("repo") != did {
		fail(w, 400, "RecordNotFound")
		return
	}
	fmt.Fprintf(w, `{"uri":"at://%s/app.bsky.feed.post/%s","cid":%q,"value":%s}`, did, r.FormValue("rkey"), bluesky.RecordCID(stored), stored)
}

// applyWrites creates all records or none.
func (n *network) applyWrites(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Repo   string
		Writes []struct {
			Type             string `json:"$type"`
			Collection, Rkey string
			Value            json.RawMessage
		}
	}
	if !strings.HasPrefix(r.Header.Get("Authorization"), "Bearer access-") {
		fail(w, 401, "AuthMissing")
		return
	}
	if json.NewDecoder(r.Body).Decode(&body) != nil || body.Repo != did || len(body.Writes) == 0 {
		fail(w, 400, "InvalidRequest")
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	results := []map[string]string{}
	for _, create := range body.Writes {
		if create.Type != "com.atproto.repo.applyWrites#create" || create.Collection != "app.bsky.feed.post" {
			fail(w, 400, "InvalidRequest")
			return
		}
		if n.records[create.Rkey] != nil {
			fail(w, 500, "InternalServerError") // as the official server does
			return
		}
		results = append(results, map[string]string{
			"$type": "com.atproto.repo.applyWrites#createResult", "uri": "at://" + did + "/app.bsky.feed.post/" + create.Rkey, "cid": bluesky.RecordCID(create.Value),
		})
	}
	for _, create := range body.Writes {
		n.records[create.Rkey] = create.Value
	}
	json.NewEncoder(w).Encode(map[string]any{"results": results})
}

// uploadBlob names the bytes as a server does.
func uploadBlob(w http.ResponseWriter, r *http.Request) {
	data, _ := io.ReadAll(r.Body)
	hash := sha256.Sum256(data)
	cid := "b" + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(append([]byte{1, 0x55, 0x12, 0x20}, hash[:]...)))
	fmt.Fprintf(w, `{"blob":{"$type":"blob","ref":{"$link":%q},"mimeType":%q,"size":%d}}`, cid, r.Header.Get("Content-Type"), len(data))
}

func connection(url string) publish.Connection {
	return publish.Connection{Credentials: publish.Credentials{
		"service_url": url, "identifier": "alice.example.com", "app_password": password,
	}}
}

// rkey returns the record key of a putRecord request.
func rkey(_ *http.Request, body []byte) string {
	var call struct{ Rkey string }
	json.Unmarshal(body, &call)
	return call.Rkey
}
