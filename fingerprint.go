package schedctl

import "crypto/sha256"

// Fingerprint identifies the content of a target: targets have the same fingerprint if
// and only if they have the same text and the same media in the same order. It is
// stored, so its computation must not change.
type Fingerprint [16]byte

// FingerprintOf returns the fingerprint of a text with media: the first half of the
// SHA-256 of the text, followed by a NUL and the hashes of the media if there are any.
// Alt texts do not count.
func FingerprintOf(content string, media ...PostMedia) Fingerprint {
	buf := []byte(content)
	for i, m := range media {
		if i == 0 {
			buf = append(buf, 0)
		}
		buf = append(buf, m.SHA256[:]...)
	}
	sum := sha256.Sum256(buf)
	return Fingerprint(sum[:16])
}

// Fingerprint returns the fingerprint of the published content: that of the target, or
// else that of the post.
func (p *Post) Fingerprint(t *Target) Fingerprint {
	return FingerprintOf(p.ContentFor(t), p.MediaFor(t)...)
}

// Occupies reports whether the target's content is published on the account, will be,
// or may be. A second post with the same content is then a duplicate. Stores derive
// the index of contents from it.
func (t *Target) Occupies() bool {
	switch t.Status {
	case Scheduled, Publishing, Published:
		return true
	}
	return t.Error != nil && t.Error.Outcome == OutcomeUnknown
}
