package schedctl

import (
	"crypto/sha256"
	"encoding/binary"
)

// Fingerprint identifies the content of a target: targets have the same fingerprint if
// and only if they have the same parts with the same texts and the same media in the
// same order, and polls with the same options. It is stored, so its computation must
// not change.
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

// Fingerprint returns the fingerprint of what the target publishes. Without further
// parts and a poll it is [FingerprintOf] the text and the media. Otherwise it is the
// first half of the SHA-256 of a prefix, the number of parts, whether the last one is
// the first comment, the fingerprints of the parts, and the options of the poll.
func (p *Post) Fingerprint(t *Target) Fingerprint {
	count, poll := p.PartCount(t), p.PollFor(t)
	if count == 1 && poll == nil {
		return FingerprintOf(p.ContentFor(t), p.MediaFor(t)...)
	}
	buf := []byte("\x00schedctl parts\x00")
	comment := byte(0)
	if p.FirstComment != nil {
		comment = 1
	}
	buf = append(buf, byte(count), comment)
	for i := range count {
		part := p.PartFor(t, i)
		sum := FingerprintOf(part.Content, part.Media...)
		buf = append(buf, sum[:]...)
	}
	if poll != nil {
		for _, option := range poll.Options {
			buf = binary.AppendUvarint(buf, uint64(len(option)))
			buf = append(buf, option...)
		}
	}
	sum := sha256.Sum256(buf)
	return Fingerprint(sum[:16])
}

// SharesContent reports whether the target publishes the text, the media, the thread and
// the poll of its post. Its fingerprint is then that of a target without an override.
func (t *Target) SharesContent() bool {
	return t.Text == "" && t.Media == nil && t.Thread == nil && t.Poll == nil
}

// Occupies reports whether the target's content is published on the account, in whole
// or in part, will be, or may be. A second post with the same content is then a duplicate. Stores derive
// the index of contents from it.
func (t *Target) Occupies() bool {
	switch t.Status {
	case Scheduled, Publishing, Published:
		return true
	}
	if len(t.Done) > 0 {
		return true
	}
	return t.Error != nil && t.Error.Outcome == OutcomeUnknown
}
