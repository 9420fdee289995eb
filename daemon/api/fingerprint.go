package api

import (
	"crypto/sha256"

	"github.com/schedctl/schedctl/storage"
)

// fingerprintPart is the number of bytes for the body. The rest of a fingerprint is
// for the API key. 16 bytes of a SHA-256 are enough to rule out collisions.
const fingerprintPart = sha256.Size / 2

// fingerprintRequest stores the fingerprints of a body and of the API key. Only the same
// API key may get the stored response. body is the SHA-256 of the raw body.
func (c *request) fingerprintRequest(body [sha256.Size]byte) {
	if !c.repeatable() {
		return
	}
	key := sha256.Sum256([]byte(c.Key.ID))
	copy(c.fingerprint[:fingerprintPart], body[:])
	copy(c.fingerprint[fingerprintPart:], key[:])
}

// sameAPIKey reports whether the stored response belongs to a request with the same
// API key. Earlier versions stored the fingerprint of the body alone. Their
// responses are returned only to keys that see everything in the workspace.
func (c *request) sameAPIKey(stored *storage.IdempotencyRecord) bool {
	same := [fingerprintPart]byte(stored.Fingerprint[fingerprintPart:]) == [fingerprintPart]byte(c.fingerprint[fingerprintPart:])
	return same || !c.Limited() && stored.Fingerprint == sha256.Sum256(c.body)
}

// sameBody reports whether the stored response belongs to a request with the same
// body.
func (c *request) sameBody(stored *storage.IdempotencyRecord) bool {
	return [fingerprintPart]byte(stored.Fingerprint[:]) == [fingerprintPart]byte(c.fingerprint[:])
}
