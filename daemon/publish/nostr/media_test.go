package nostr_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/nostr"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// blossom is a media server, as BUD-02 documents it.
type blossom struct {
	status    int    // refuses with it, if it is not 0
	reason    string // of the refusal
	extension string // of addresses
	wrong     bool   // reports another hash

	mu    sync.Mutex // mu guards blobs
	blobs map[string][]byte
}

func (b *blossom) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	data, err := io.ReadAll(r.Body)
	proof, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(r.Header.Get("Authorization"), "Nostr "))
	var e publishtest.RelayEvent
	sum := sha256.Sum256(data)
	hash := hex.EncodeToString(sum[:])
	switch {
	case b.status != 0:
		w.Header().Set("X-Reason", b.reason)
		w.WriteHeader(b.status)
		return
	case err != nil || r.Method != http.MethodPut || r.URL.Path != "/upload" || json.Unmarshal(proof, &e) != nil || e.Kind != 24242 ||
		!nostr.Verify(e.PubKey, e.ID, e.Signature) || !cmp.Equal(e.Tags[1], []string{"x", hash}):
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.blobs == nil {
		b.blobs = map[string][]byte{}
	}
	b.blobs[hash] = data
	if b.wrong {
		hash = strings.Repeat("0", 64)
	}
	fmt.Fprintf(w, `{"url":"https://blossom.example.org/%s%s","sha256":%q,"size":%d,"type":%q,"uploaded":1780412345}`, hash, b.extension, hash, len(data), r.Header.Get("Content-Type"))
}

func TestFiles(t *testing.T) {
	t.Parallel()
	for _, extension := range []string{"", ".png"} {
		media := &blossom{extension: extension}
		server := httptest.NewServer(media)
		t.Cleanup(server.Close)
		relay := &publishtest.FakeRelay{}
		p, r := newPublisher(t), request(serve(t, relay))
		r.Account.Options["media_server"] = server.URL
		file := publishtest.TestFile("image/png", 1)
		u, err := p.Upload(t.Context(), r, file)
		if err != nil || !u.Ready {
			t.Fatal(u, err)
		}
		hash := hex.EncodeToString(file.SHA256[:])
		link := "https://blossom.example.org/" + hash + ".png"
		if file.Upload = u; u.ID != link || int64(len(media.blobs[hash])) != file.Size {
			t.Errorf("uploaded as %q", u.ID)
		}
		r.Files = []publish.File{file}
		for _, text := range []string{content, ""} {
			if r.Content = text; text == "" {
				r.Key = key[:16] + "9"
			}
			if _, err := p.Publish(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}
		events := relay.Events()
		if events[0].Content != content+"\n\n"+link || events[1].Content != link {
			t.Errorf("contents %q and %q", events[0].Content, events[1].Content)
		}
		want := []string{"imeta", "url " + link, "m image/png", "x " + hash, "dim 640x480", "alt Alt text of file 1"}
		if diff := cmp.Diff(want, events[0].Tags[0]); diff != "" {
			t.Errorf("tag (-want +got):\n%s", diff)
		}
	}
}

func TestRefusedUploads(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		media *blossom
		kind  schedctl.ErrorKind
		code  string
		says  string
	}{
		{&blossom{status: 401, reason: "not a member"}, schedctl.KindMedia, publish.CodeUploadRefused, "not a member"},
		{&blossom{status: 402}, schedctl.KindMedia, "", "media server refused"},
		{&blossom{status: 403, reason: "pubkey not allowed"}, schedctl.KindMedia, publish.CodeUploadRefused, "pubkey not allowed"},
		{&blossom{status: 403}, schedctl.KindPlatform, publish.CodeBlockedOnTheWay, "firewall"},
		{&blossom{status: 413}, schedctl.KindMedia, publish.CodeFileTooLarge, "smaller file"},
		{&blossom{status: 415, reason: "no PNG"}, schedctl.KindMedia, "", "no PNG"},
		{&blossom{status: 429}, schedctl.KindRateLimited, "", "fewer requests"},
		{&blossom{status: 500}, schedctl.KindPlatform, "", "HTTP 500"},
		{&blossom{wrong: true}, schedctl.KindPlatform, "", "did not confirm"},
	} {
		server := httptest.NewServer(tt.media)
		t.Cleanup(server.Close)
		p, r := newPublisher(t), request("wss://relay.example.org")
		r.Account.Options["media_server"] = server.URL
		_, err := p.Upload(t.Context(), r, publishtest.TestFile("image/png", 1))
		if e := publish.AsError(err); err == nil || e.Kind != tt.kind || e.Code != tt.code || e.Outcome != notPublished || !strings.Contains(e.Message, tt.says) {
			t.Errorf("%d: got %+v", tt.media.status, e)
		}
	}
	p, r := newPublisher(t), request("wss://relay.example.org")
	if _, err := p.Upload(t.Context(), r, publishtest.TestFile("image/png", 1)); publish.AsError(err).Kind != schedctl.KindMedia {
		t.Errorf("an account without a media server: %v", err)
	}
	r.Account.Options["media_server"] = "https://blossom.example.org"
	r.Files = []publish.File{publishtest.TestFile("image/png", 1)}
	if _, err := p.Publish(t.Context(), r); publish.AsError(err).Code != publish.CodeUploadLost {
		t.Errorf("a file that is not uploaded: %v", err)
	}
}
