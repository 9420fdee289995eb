package webhook_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish/signing"
)

// wantSigned checks that a call has exactly the signatures of these secrets.
func wantSigned(t testing.TB, c call, secrets ...string) {
	t.Helper()
	want := http.Header{}
	keys := make([]signing.Key, len(secrets))
	for i, secret := range secrets {
		keys[i], _ = signing.ParseSecret(secret)
	}
	signing.SetHeader(want, c.event(), c.at, []byte(c.body), keys...)
	if got := c.header.Get("webhook-signature"); got != want.Get("webhook-signature") {
		t.Errorf("signature %q of the call at %v, want %q", got, c.at, want.Get("webhook-signature"))
	}
}

func TestARotationOverlaps(t *testing.T) {
	bubble(t, func(r *rig) {
		w := r.hook("a.example")
		r.endpoints.at("a.example").then(status(200), slow(time.Second, status(500)))
		r.start()
		r.publish(1)
		synctest.Wait()
		r.publish(1) // the call is under way when the secret changes, and is retried
		synctest.Wait()
		rotated := time.Now()
		r.edit(w, func(w *schedctl.Webhook) {
			w.PreviousSecret, w.PreviousUntil = w.Secret, schedctl.Millis(rotated.Add(24*time.Hour))
			w.Secret = r.sealer.Seal([]byte(secretTwo), w.ID)
		})
		after(24*time.Hour - time.Millisecond)
		r.publish(1)
		after(time.Millisecond)
		r.publish(1)
		synctest.Wait()
		calls := r.endpoints.at("a.example").all()
		if len(calls) != 5 {
			t.Fatalf("%d calls, want 5", len(calls))
		}
		wantSigned(t, calls[0], secretOne)
		wantSigned(t, calls[1], secretOne)
		wantSigned(t, calls[2], secretTwo, secretOne)
		wantSigned(t, calls[3], secretTwo, secretOne)
		wantSigned(t, calls[4], secretTwo)
	})
}

func TestASecretThatCannotBeReadFails(t *testing.T) {
	for name, spoil := range map[string]func(*rig, *schedctl.Webhook){
		"of another webhook":   func(r *rig, w *schedctl.Webhook) { w.Secret = r.sealer.Seal([]byte(secretOne), "wh_other") },
		"not sealed":           func(_ *rig, w *schedctl.Webhook) { w.Secret = []byte(secretOne) },
		"none":                 func(_ *rig, w *schedctl.Webhook) { w.Secret = nil },
		"not a signing secret": func(r *rig, w *schedctl.Webhook) { w.Secret = r.sealer.Seal([]byte("whsec_k3y"), w.ID) },
		"the one before": func(_ *rig, w *schedctl.Webhook) {
			w.PreviousSecret, w.PreviousUntil = []byte("k3y"), time.Now().Add(time.Minute)
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				w := r.hook("a.example")
				good := w.Secret
				r.edit(w, func(w *schedctl.Webhook) { spoil(r, w) })
				r.start()
				r.publish(1)
				synctest.Wait()
				d := r.delivery(w)
				if d.Status != schedctl.DeliveryPending || d.Attempt != 1 || !strings.Contains(d.Error, "the secret of the webhook cannot be read") {
					t.Errorf("delivery %+v", d)
				}
				if n := len(r.endpoints.at("a.example").all()); n > 0 {
					t.Errorf("%d calls without a signature", n)
				}
				r.edit(w, func(w *schedctl.Webhook) { w.Secret, w.PreviousSecret = good, nil })
				after(time.Minute)
				if d := r.delivery(w); d.Status != schedctl.DeliveryDelivered || d.Attempt != 2 {
					t.Errorf("with a good secret: %+v", d)
				}
			})
		})
	}
}

func TestAURLThatCannotBeUsedFails(t *testing.T) {
	bubble(t, func(r *rig) {
		w := r.hook("a.example")
		r.edit(w, func(w *schedctl.Webhook) { w.URL = "https://a b/k3y" })
		r.start()
		r.publish(1)
		synctest.Wait()
		if d := r.delivery(w); d.Attempt != 1 || !strings.Contains(d.Error, "the URL of the webhook cannot be used") || strings.Contains(d.Error, "k3y") {
			t.Errorf("delivery %+v", d)
		}
	})
}

// endless is a body that does not end; each read takes a while.
type endless struct {
	text  string
	every time.Duration
}

func (e endless) Read(p []byte) (int, error) {
	time.Sleep(e.every)
	return copy(p, e.text), nil
}

// halting is a body that ends in an error, or hangs until the call is given up.
type halting struct {
	io.Reader
	end func() error
}

func (h halting) Read(p []byte) (int, error) {
	if n, err := h.Reader.Read(p); err == nil {
		return n, nil
	}
	return 0, h.end()
}

func TestAnswersAreBounded(t *testing.T) {
	const limit = schedctl.MaxDeliveryResponse
	for name, tt := range map[string]struct {
		body func() io.Reader
		want string
		took time.Duration
	}{
		"none":                {func() io.Reader { return strings.NewReader("") }, "", 0},
		"as long as is kept":  {func() io.Reader { return strings.NewReader(strings.Repeat("x", limit)) }, strings.Repeat("x", limit), 0},
		"longer":              {func() io.Reader { return strings.NewReader(strings.Repeat("x", limit+1)) }, strings.Repeat("x", limit), 0},
		"without end":         {func() io.Reader { return endless{text: "x"} }, strings.Repeat("x", limit), 0},
		"a character at 2048": {func() io.Reader { return strings.NewReader(strings.Repeat("x", limit-1) + "€€") }, strings.Repeat("x", limit-1), 0},
		"not UTF-8":           {func() io.Reader { return strings.NewReader("a\xffb") }, "a\uFFFDb", 0},
		"much not UTF-8":      {func() io.Reader { return strings.NewReader(strings.Repeat("\xffa", limit)) }, strings.Repeat("\uFFFDa", limit/4), 0},
		"broken off": {func() io.Reader {
			return halting{strings.NewReader("half"), func() error { return io.ErrUnexpectedEOF }}
		}, "half", 0},
		"too slow": {func() io.Reader {
			return halting{strings.NewReader("half"), func() error { time.Sleep(10 * time.Second); return io.ErrUnexpectedEOF }}
		}, "half", 10 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				w := r.hook("a.example")
				r.endpoints.at("a.example").then(streamed(http.StatusOK, tt.body))
				r.start()
				r.publish(1)
				after(11 * time.Second)
				d := r.delivery(w)
				if d.Status != schedctl.DeliveryDelivered || d.HTTPStatus != 200 || d.Duration != tt.took {
					t.Errorf("delivery %s, HTTP %d, took %v", d.Status, d.HTTPStatus, d.Duration)
				}
				if d.Response != tt.want || len(d.Response) > limit || !utf8.ValidString(d.Response) {
					t.Errorf("kept %d bytes %.40q, want %d", len(d.Response), d.Response, len(tt.want))
				}
			})
		})
	}
}

// Stored responses must not repeat the URL, which may be a secret.
func TestAnswersAreKeptWithoutTheAddress(t *testing.T) {
	const segment, value = "T0123456789ABCDEFGH", "k3yk3yk3y"
	bubble(t, func(r *rig) {
		w := r.hook("a.example")
		r.edit(w, func(w *schedctl.Webhook) {
			w.URL = r.sealer.SealText("https://a.example/hooks/"+segment+"?token="+value, w.ID)
		})
		said := "no hooks at https://a.example/hooks/" + segment + "?token=" + value + " for " + value + ": " +
			strings.Repeat("x", schedctl.MaxDeliveryResponse-100) + segment
		r.endpoints.at("a.example").then(streamed(http.StatusOK, func() io.Reader { return strings.NewReader(said) }))
		r.start()
		r.publish(1)
		after(time.Second)
		got := r.delivery(w).Response
		if !strings.HasPrefix(got, "no hooks at https://a.example[hidden] for [hidden]: xxx") || strings.ContainsAny(got, "0123456789") {
			t.Errorf("kept %.100q…%q", got, got[len(got)-50:])
		}
	})
}
