package nostr

import (
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/btcsuite/btcd/btcec/v2/schnorr"

	"github.com/schedctl/schedctl"
)

// Encode and Decode are the functions for bech32.
var (
	Encode = encodeBech32
	Decode = decodeBech32
	Nevent = nevent
	Npub   = npub
	Prefix = prefix
	Limit  = parseLimit
	Name   = profileName
)

// Public returns the public key of a secret key.
func Public(nsec string) (string, error) {
	s, err := parseSecret(nsec)
	return s.public, err
}

// SignNote returns the JSON, the serialization and the signature of a note.
func SignNote(nsec string, at time.Time, tags [][]string, content string) (id, serialized, signature string) {
	s, _ := parseSecret(nsec)
	e := newEvent(s, kindNote, at, tags, content)
	return e.ID, string(e.serialize()), e.Signature
}

// SignEvent returns the JSON of a signed event.
func SignEvent(nsec string, kind int, at time.Time, tags [][]string, content string) []byte {
	s, _ := parseSecret(nsec)
	body, _ := json.Marshal(newEvent(s, kind, at, tags, content))
	return body
}

// CountEvents counts the events in JSON about a note, and reports whether a relay has the note
// and whether its author deleted it.
func CountEvents(id, author string, text []byte) (m schedctl.Metrics, has, deleted bool) {
	var list []event
	_ = json.Unmarshal(text, &list)
	t := newTally([]string{id}, author)
	t.add(list)
	return t.metrics(id), t.has[id], t.deleted[id]
}

// Verify reports whether a signature of an id is valid.
func Verify(public, id, signature string) bool {
	key, _ := hex.DecodeString(public)
	hash, _ := hex.DecodeString(id)
	text, _ := hex.DecodeString(signature)
	parsedKey, err := schnorr.ParsePubKey(key)
	if err != nil {
		return false
	}
	parsed, err := schnorr.ParseSignature(text)
	return err == nil && parsed.Verify(hash, parsedKey)
}

// Received is a parsed message of a relay.
type Received = received

// ParseMessage parses a message of a relay.
func ParseMessage(text []byte) (m Received, label, id, message string, accepted, malformed bool) {
	m = parseMessage(text)
	return m, m.label, m.id, m.text, m.accepted, m.malformed
}

// ParseKey returns what a key fixes.
var ParseKey = parseKey
