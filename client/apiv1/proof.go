package apiv1

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
)

// A client that found a daemon by its announcement, a file that only its user can
// read, sends ChallengeHeader with GET /healthz before it sends an API key. The
// response has ProofHeader with the proof of the challenge: see [Announced.Proof].
const (
	ChallengeHeader = "Schedctl-Challenge"
	ProofHeader     = "Schedctl-Proof"
)

// Limits of a challenge, in characters.
const (
	MinChallenge = 16
	MaxChallenge = 128
)

// Announced is where a daemon says it is, with a secret that it made at its start
// and that proves it.
type Announced struct{ URL, Secret string }

// Proof returns what only the daemon of the announcement responds to a challenge:
// an HMAC of the URL and the challenge.
func (a Announced) Proof(challenge string) string {
	mac := hmac.New(sha256.New, []byte(a.Secret))
	mac.Write([]byte("schedctl daemon 1\x00" + a.URL + "\x00" + challenge))
	return hex.EncodeToString(mac.Sum(nil))
}

// Proves reports, in constant time, whether a proof is that of the challenge. An
// announcement without a secret proves nothing.
func (a Announced) Proves(challenge, proof string) bool {
	return a.Secret != "" && hmac.Equal([]byte(a.Proof(challenge)), []byte(proof))
}
