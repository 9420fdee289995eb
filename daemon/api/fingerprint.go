package api

import (
	"crypto/sha256"

	"github.com/schedctl/schedctl/storage"
)

// fingerprintPart is how many bytes of a fingerprint are of the body; the rest is
// of the API key. 16 bytes of a SHA-256 are more than anybody can find twice.
const fingerprintPart = sha256.Size / 2

// fingerprintRequest stores the fingerprints of a body and of the API key. Only the same
// API key may get the stored response. body is the SHA-256 of the raw body.
func (c *request) fingerprintRequest(body [sha256.Size]byte) {
	if !c.repeatable() {
		return
	}
	key := sha256.Sum256([]byte(c.key.ID))
	copy(c.fingerprint[:fingerprintPart], body[:])
	copy(c.fingerprint[fingerprintPart:], key[:])
}

// sameAPIKey reports whether the API key of the request made the request that a
// response is stored for. Responses of earlier versions, whose fingerprints are of
// the body alone, are for keys that see everything in the workspace.
func (c *request) sameAPIKey(stored *storage.IdempotencyRecord) bool {
	same := [fingerprintPart]byte(stored.Fingerprint[fingerprintPart:]) == [fingerprintPart]byte(c.fingerprint[fingerprintPart:])
	return same || !c.limited() && stored.Fingerprint == sha256.Sum256(c.body)
}

// sameBody reports whether the request has the body that a response is stored for.
func (c *request) sameBody(stored *storage.IdempotencyRecord) bool {
	return [fingerprintPart]byte(stored.Fingerprint[:]) == [fingerprintPart]byte(c.fingerprint[:])
}
