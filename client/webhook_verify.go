package client

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/schedctl/schedctl/client/apiv1"
)

// ErrSignature is the error of [VerifyWebhook] for a request that the daemon did not
// sign with the secret, or that is too old.
var ErrSignature = errors.New("the webhook is not signed with this secret")

// webhookTolerance is how far the time of a signature may be from now. It bounds how
// long a recorded request can be replayed.
const webhookTolerance = 5 * time.Minute

// VerifyWebhook returns the event that a request to a webhook carries, if the secret
// of the webhook signed it within five minutes of now. Otherwise the error is
// [ErrSignature]. Header and body are those of the request, the body unchanged.
//
// One event can arrive several times: its ID is the same each time.
func VerifyWebhook(secret string, header http.Header, body []byte, now time.Time) (apiv1.Event, error) {
	encoded, isSecret := strings.CutPrefix(secret, "whsec_")
	key, err := base64.StdEncoding.DecodeString(encoded)
	if !isSecret || err != nil || len(key) == 0 {
		return apiv1.Event{}, errors.New("the secret of a webhook must be whsec_ and base64")
	}
	id, sent := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(sent, 10, 64)
	if err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > webhookTolerance {
		return apiv1.Event{}, fmt.Errorf("%w at this time", ErrSignature)
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + sent + "."))
	mac.Write(body)
	want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, signature := range strings.Fields(header.Get("webhook-signature")) {
		if hmac.Equal([]byte(signature), []byte(want)) {
			return readWebhook(body)
		}
	}
	return apiv1.Event{}, ErrSignature
}

func readWebhook(body []byte) (e apiv1.Event, err error) {
	if err := json.Unmarshal(body, &e); err != nil {
		return e, fmt.Errorf("read the event of a webhook: %w", err)
	}
	return e, nil
}
