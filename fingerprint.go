package schedctl

import "crypto/sha256"

// Fingerprint stands for what a target publishes. Targets with the same content
// have the same fingerprint, and others have another one. It is the first half of
// the content's SHA-256, and is stored: what it is made of must not change.
type Fingerprint [16]byte

// FingerprintOf returns the fingerprint of a text.
func FingerprintOf(content string) Fingerprint {
	sum := sha256.Sum256([]byte(content))
	return Fingerprint(sum[:16])
}

// Fingerprint returns the fingerprint of what the target publishes: its own
// content, or that of the post.
func (p *Post) Fingerprint(t *Target) Fingerprint { return FingerprintOf(p.ContentFor(t)) }

// Occupies reports whether the account has the target's content, will have it, or
// may have it without anyone knowing. Another post with the same content is then
// a duplicate. Stores keep their index of contents by it.
func (t *Target) Occupies() bool {
	switch t.Status {
	case Scheduled, Publishing, Published:
		return true
	}
	return t.Error != nil && t.Error.Outcome == OutcomeUnknown
}
