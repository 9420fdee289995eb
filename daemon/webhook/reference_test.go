package webhook_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/signing"
	"github.com/schedctl/schedctl/scripts/installed"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// sentCall is a call as testdata/verify.js reads it.
type sentCall struct {
	Secret  string            `json:"secret"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
}

// with returns a copy with another header.
func (s sentCall) with(name, value string) sentCall {
	s.Headers = maps.Clone(s.Headers)
	s.Headers[name] = value
	return s
}

// verdict is the result of testdata/verify.js for a call.
type verdict struct {
	Accepted bool   `json:"accepted"`
	Error    string `json:"error"`
	Event    struct {
		ID string `json:"id"`
	} `json:"event"`
}

// verify asks the library about calls.
func verify(t *testing.T, library string, calls ...sentCall) (verdicts []verdict) {
	t.Helper()
	input, err := json.Marshal(calls)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", "testdata/verify.js", library)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(input), t.Output()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("verify.js: %v", err)
	}
	if err := json.Unmarshal(out, &verdicts); err != nil || len(verdicts) != len(calls) {
		t.Fatalf("verify.js printed %q: %v", out, err)
	}
	return verdicts
}

// receive starts a server and a dispatcher that calls it over a socket.
func receive(t *testing.T) (r *rig, host string, received <-chan sentCall) {
	t.Helper()
	calls := make(chan sentCall, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			t.Errorf("read a call: %v", err)
		}
		call := sentCall{Headers: map[string]string{}, Body: string(body)}
		for name := range req.Header {
			call.Headers[name] = req.Header.Get(name)
		}
		calls <- call
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(server.Close)
	r = newRig(t, storagetest.NewMemory())
	r.client = outbound.Client(outbound.AllowPrivate)
	r.start()
	t.Cleanup(r.stop)
	return r, strings.TrimPrefix(server.URL, "http://"), calls
}

// The reference library for receivers accepts our calls, and rejects modified and
// replayed ones.
func TestTheReferenceLibraryVerifiesDeliveries(t *testing.T) {
	t.Parallel()
	library := installed.Library(t, "standardwebhooks", "node",
		"the reference library of Standard Webhooks is not installed: run daemon/webhook/install.sh")
	r, host, received := receive(t)
	w := r.hook(host)
	r.edit(w, func(w *schedctl.Webhook) { w.URL = "http://" + host + "/hook" })
	id := r.publish(1)[0]
	plain := <-received
	plain.Secret = secretOne

	r.edit(w, func(w *schedctl.Webhook) {
		w.PreviousSecret, w.PreviousUntil = w.Secret, time.Now().Add(time.Hour)
		w.Secret = r.sealer.Seal([]byte(secretTwo), w.ID)
	})
	rotatedID := r.publish(1)[0]
	rotated := <-received
	withOld, withNew, withOther, tampered := rotated, rotated, plain, plain
	withOld.Secret, withNew.Secret, withOther.Secret = secretOne, secretTwo, secretTwo
	tampered.Body = strings.Replace(plain.Body, "post.published", "post.publishes", 1)

	const mismatch = "WebhookVerificationError: No matching signature found"
	cases := []struct {
		name  string
		call  sentCall
		event string // that is read
		error string
	}{
		{"as it was sent", plain, id, ""},
		{"rotated, with the old secret", withOld, rotatedID, ""},
		{"rotated, with the new secret", withNew, rotatedID, ""},
		{"with another secret", withOther, "", mismatch},
		{"a tampered body", tampered, "", mismatch},
		{"a tampered id", plain.with("Webhook-Id", rotatedID), "", mismatch},
		{"a tampered timestamp", plain.with("Webhook-Timestamp", later(t, plain)), "", mismatch},
		{"a tampered signature", plain.with("Webhook-Signature", plain.Headers["Webhook-Signature"]+"x"), "", mismatch},
		{"signed six minutes ago", old(t, plain), "", "WebhookVerificationError: Message timestamp too old"},
	}
	var calls []sentCall
	for _, c := range cases {
		calls = append(calls, c.call)
	}
	for i, v := range verify(t, library, calls...) {
		want := verdict{Accepted: cases[i].error == "", Error: cases[i].error}
		want.Event.ID = cases[i].event
		if diff := cmp.Diff(want, v); diff != "" {
			t.Errorf("%s (-want +got):\n%s", cases[i].name, diff)
		}
	}
}

// later returns the second after that of a call.
func later(t *testing.T, s sentCall) string {
	t.Helper()
	at, err := strconv.ParseInt(s.Headers["Webhook-Timestamp"], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return strconv.FormatInt(at+1, 10)
}

// old returns the call as it was signed, with the right secret, six minutes ago.
func old(t *testing.T, s sentCall) sentCall {
	t.Helper()
	key, err := signing.ParseSecret(s.Secret)
	if err != nil {
		t.Fatal(err)
	}
	h := http.Header{}
	signing.SetHeader(h, s.Headers["Webhook-Id"], time.Now().Add(-6*time.Minute), []byte(s.Body), key)
	for name := range h {
		s = s.with(name, h.Get(name))
	}
	return s
}
