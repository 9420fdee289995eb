package main

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
)

// hostileNetwork is a fake of a Bluesky server, a fake of the Mastodon API, and a site
// whose pages have pictures that are expensive to decode.
type hostileNetwork struct {
	server, statuses *httptest.Server
	pictures         [][]byte

	mu        sync.Mutex // mu guards what follows
	published map[string]time.Time
	records   map[string]json.RawMessage
	changed   chan struct{} // closed when a post is published
}

func newHostileNetwork(size int) *hostileNetwork {
	n := &hostileNetwork{published: map[string]time.Time{}, records: map[string]json.RawMessage{}, changed: make(chan struct{})}
	for _, w := range mediatest.WorstFiles() {
		if strings.HasPrefix(w.MIMEType, "image/") && w.MIMEType != "image/gif" {
			n.pictures = append(n.pictures, w.Make(size))
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /page/{n}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<title>A page</title><meta property="og:image" content="/picture/%s">`, r.PathValue("n"))
	})
	mux.HandleFunc("GET /picture/{n}", func(w http.ResponseWriter, r *http.Request) {
		i, _ := strconv.Atoi(r.PathValue("n"))
		w.Write(n.pictures[max(i, 0)%len(n.pictures)])
	})
	mux.HandleFunc("/xrpc/com.atproto.server.createSession", giveSession)
	mux.HandleFunc("/xrpc/com.atproto.server.refreshSession", giveSession)
	mux.HandleFunc("POST /xrpc/com.atproto.repo.uploadBlob", storeBlob)
	mux.HandleFunc("POST /xrpc/com.atproto.repo.putRecord", n.putRecord)
	mux.HandleFunc("GET /xrpc/com.atproto.repo.getRecord", n.getRecord)
	n.server = httptest.NewServer(mux)
	fake := newMastodonFake(nil, func(string) bool { return false })
	fake.immediate = true
	n.statuses = httptest.NewServer(fake.handler())
	return n
}

func (n *hostileNetwork) stop() {
	n.server.Close()
	n.statuses.Close()
}

// page returns the address of a page. Each has another one.
func (n *hostileNetwork) page(number int) string {
	return fmt.Sprintf("%s/page/%d", n.server.URL, number)
}

// bluesky returns the account of a user.
func (n *hostileNetwork) bluesky(user string) apiv1.AddAccount {
	return apiv1.AddAccount{
		Platform: "bluesky", Name: user + " cards", Options: map[string]any{"pacing": "0s"},
		Credentials: map[string]string{"service_url": n.server.URL, "identifier": user + ".example.com", "app_password": "abcd-efgh-ijkl-mnop"},
	}
}

// mastodon returns the account of a user.
func (n *hostileNetwork) mastodon(user string) apiv1.AddAccount {
	a := mastodonAccount(user)(n.statuses.URL, 0)
	a.Name, a.Options = user+" statuses", map[string]any{"pacing": "0s"}
	return a
}

// await waits up to two minutes for a post, and returns when it was published.
func (n *hostileNetwork) await(ctx context.Context, text string) (time.Time, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	for {
		n.mu.Lock()
		at, found := n.published[text]
		changed := n.changed
		n.mu.Unlock()
		if found {
			return at, nil
		}
		select {
		case <-ctx.Done():
			return time.Time{}, fmt.Errorf("the post %q was not published: %w", text, ctx.Err())
		case <-changed:
		}
	}
}

// giveSession logs in the user of an identifier, or of a token.
func giveSession(w http.ResponseWriter, r *http.Request) {
	var body struct{ Identifier string }
	json.NewDecoder(r.Body).Decode(&body) // a request to refresh a session has no body
	user, _, _ := strings.Cut(body.Identifier, ".")
	if user == "" {
		user = strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer refresh-")
	}
	did := "did:plc:" + strings.Repeat(string(user[0]), 24)
	respondJSON(w, http.StatusOK, map[string]any{
		"did": did, "handle": user + ".example.com", "accessJwt": "access-" + user, "refreshJwt": "refresh-" + user, "active": true,
	})
}

// storeBlob confirms the bytes of a file without keeping them.
func storeBlob(w http.ResponseWriter, r *http.Request) {
	hash := sha256.New()
	size, err := io.Copy(hash, r.Body)
	if err != nil {
		panic(http.ErrAbortHandler) // the daemon was killed
	}
	cid := "b" + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(hash.Sum([]byte{1, 0x55, 0x12, 0x20})))
	respondJSON(w, http.StatusOK, map[string]any{"blob": map[string]any{
		"$type": "blob", "ref": map[string]string{"$link": cid}, "mimeType": r.Header.Get("Content-Type"), "size": size,
	}})
}

func (n *hostileNetwork) putRecord(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Repo, Collection, Rkey string
		Record                 json.RawMessage
	}
	var record struct{ Text string }
	if json.NewDecoder(r.Body).Decode(&body) != nil || json.Unmarshal(body.Record, &record) != nil {
		panic(http.ErrAbortHandler)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.records[body.Repo+body.Rkey] = body.Record
	if _, again := n.published[record.Text]; !again {
		n.published[record.Text] = time.Now()
	}
	close(n.changed)
	n.changed = make(chan struct{})
	respondJSON(w, http.StatusOK, map[string]string{"uri": fmt.Sprintf("at://%s/%s/%s", body.Repo, body.Collection, body.Rkey), "cid": "bafy"})
}

func (n *hostileNetwork) getRecord(w http.ResponseWriter, r *http.Request) {
	n.mu.Lock()
	defer n.mu.Unlock()
	record := n.records[r.FormValue("repo")+r.FormValue("rkey")]
	if record == nil {
		respondJSON(w, http.StatusBadRequest, map[string]string{"error": "RecordNotFound", "message": "no"})
		return
	}
	respondJSON(w, http.StatusOK, map[string]any{"uri": "at://" + r.FormValue("repo") + "/" + pdsPosts + "/" + r.FormValue("rkey"), "cid": "bafy", "value": record})
}
