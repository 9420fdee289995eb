package nostr

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"time"

	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// The kinds of events.
const (
	kindProfile = 0
	kindNote    = 1
	kindRelay   = 22242 // authenticates a client to a relay (NIP-42)
	kindBlob    = 24242 // authorizes a request to a Blossom server
)

// event is a signed event (NIP-01).
type event struct {
	ID        string     `json:"id"`
	PubKey    string     `json:"pubkey"`
	CreatedAt int64      `json:"created_at"`
	Kind      int        `json:"kind"`
	Tags      [][]string `json:"tags"`
	Content   string     `json:"content"`
	Signature string     `json:"sig"`
}

// newEvent returns a signed event. The same arguments always give the same event.
func newEvent(s signer, kind int, at time.Time, tags [][]string, content string) event {
	if tags == nil {
		tags = [][]string{}
	}
	e := event{PubKey: s.public, CreatedAt: at.Unix(), Kind: kind, Tags: tags, Content: content}
	id := sha256.Sum256(e.serialize())
	e.ID, e.Signature = hex.EncodeToString(id[:]), s.sign(id)
	return e
}

// serialize returns the bytes whose hash is the id of the event.
func (e event) serialize() []byte {
	var b bytes.Buffer
	b.WriteString(`[0,"` + e.PubKey + `",` + strconv.FormatInt(e.CreatedAt, 10) + "," + strconv.Itoa(e.Kind) + ",[")
	for i, tag := range e.Tags {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('[')
		for j, item := range tag {
			if j > 0 {
				b.WriteByte(',')
			}
			writeString(&b, item)
		}
		b.WriteByte(']')
	}
	b.WriteString("],")
	writeString(&b, e.Content)
	b.WriteByte(']')
	return b.Bytes()
}

// shortEscapes are the characters that NIP-01 escapes with a letter.
var shortEscapes = map[byte]string{
	'\n': `\n`, '"': `\"`, '\\': `\\`, '\r': `\r`, '\t': `\t`, '\b': `\b`, '\f': `\f`,
}

// writeString writes a string as NIP-01 says: it escapes seven characters and leaves all
// others as they are. Other control characters are escaped as JSON requires, which is
// also what relays compute.
func writeString(b *bytes.Buffer, text string) {
	const digits = "0123456789abcdef"
	b.WriteByte('"')
	for _, c := range []byte(text) {
		switch short, escaped := shortEscapes[c]; {
		case escaped:
			b.WriteString(short)
		case c < ' ':
			b.WriteString(`\u00` + string(digits[c>>4]) + string(digits[c&15]))
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
}

// message returns a message to a relay.
func message(label string, values ...any) []byte {
	return outbound.EncodeJSON(append([]any{label}, values...))
}
