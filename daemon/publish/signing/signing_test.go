package signing_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl/daemon/publish/signing"
)

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// The values are the example of the standard's own documentation.
func TestSignMatchesTheStandard(t *testing.T) {
	t.Parallel()
	key, err := signing.ParseSecret(secret)
	if err != nil {
		t.Fatal(err)
	}
	got := key.Sign("msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 999), []byte(`{"test": 2432232314}`))
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestSetHeaderSignsWithEachKey(t *testing.T) {
	t.Parallel()
	at, body := time.Unix(1614265330, 0), []byte("x")
	one, two := signing.Key(strings.Repeat("1", 24)), signing.Key(strings.Repeat("2", 24))
	h := http.Header{}
	signing.SetHeader(h, "pt_1", at, body, one, two)
	if h.Get("webhook-id") != "pt_1" || h.Get("webhook-timestamp") != "1614265330" {
		t.Errorf("got %v", h)
	}
	if want := one.Sign("pt_1", at, body) + " " + two.Sign("pt_1", at, body); h.Get("webhook-signature") != want {
		t.Errorf("got %s, want %s", h.Get("webhook-signature"), want)
	}
}

func TestParseSecret(t *testing.T) {
	t.Parallel()
	bytes := func(n int) string { return signing.Prefix + base64.StdEncoding.EncodeToString(make([]byte, n)) }
	for text, ok := range map[string]bool{
		secret:                  true,
		bytes(24):               true,
		bytes(64):               true,
		bytes(23):               false,
		bytes(65):               false,
		strings.ToUpper(secret): false,
		strings.TrimPrefix(secret, signing.Prefix): false,
		secret + "\n":                    false,
		secret[:20] + "\n" + secret[20:]: false,
		secret + "!":                     false,
		"":                               false,
	} {
		if _, err := signing.ParseSecret(text); (err == nil) != ok {
			t.Errorf("%q: got error %v, want it accepted: %v", text, err, ok)
		} else if err != nil && strings.Contains(err.Error(), "MfKQ9r8") {
			t.Errorf("the error holds the secret: %v", err)
		}
	}
}

func TestNewSecret(t *testing.T) {
	t.Parallel()
	one, two := signing.NewSecret(), signing.NewSecret()
	if one == two {
		t.Errorf("the same secret twice: %s", one)
	}
	for _, secret := range []string{one, two} {
		if key, err := signing.ParseSecret(secret); err != nil || len(key) != 32 {
			t.Errorf("%s: a key of %d bytes, %v", secret, len(key), err)
		}
	}
}
