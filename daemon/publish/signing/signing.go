// Package signing signs request bodies according to Standard Webhooks
// (https://www.standardwebhooks.com). Receivers can verify them with the libraries
// of that standard.
package signing

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Prefix is the start of every secret.
const Prefix = "whsec_"

// ErrSecret means that a string is not a valid secret.
var ErrSecret = errors.New("the secret must be " + Prefix + " followed by the base64 of 24 to 64 bytes")

// newSecretSize is the number of random bytes in a new secret.
const newSecretSize = 32

// NewSecret returns a new random secret.
func NewSecret() string {
	key := make([]byte, newSecretSize)
	rand.Read(key)
	return Prefix + base64.StdEncoding.EncodeToString(key)
}

// Key signs bodies. It may be used from any goroutine.
type Key []byte

// ParseSecret returns the key of a secret, or [ErrSecret].
func ParseSecret(secret string) (Key, error) {
	encoded, ok := strings.CutPrefix(secret, Prefix)
	key, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if !ok || err != nil || len(key) < 24 || len(key) > 64 || strings.ContainsAny(encoded, "\r\n") {
		return nil, ErrSecret
	}
	return key, nil
}

// Sign returns the signature of a body sent at a given time: "v1," and the base64 of
// an HMAC-SHA256. The id identifies the message: it is the same for each retry and
// contains no period.
func (k Key) Sign(id string, at time.Time, body []byte) string {
	mac := hmac.New(sha256.New, k)
	mac.Write([]byte(id + "." + timestamp(at) + "."))
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// SetHeader sets the three headers of a signed request. With several keys, as after
// a rotation, it sets several signatures.
func SetHeader(h http.Header, id string, at time.Time, body []byte, keys ...Key) {
	signatures := make([]string, len(keys))
	for i, k := range keys {
		signatures[i] = k.Sign(id, at, body)
	}
	h.Set("webhook-id", id)
	h.Set("webhook-timestamp", timestamp(at))
	h.Set("webhook-signature", strings.Join(signatures, " "))
}

func timestamp(at time.Time) string { return strconv.FormatInt(at.Unix(), 10) }
