package nostr

import (
	"encoding/binary"
	"encoding/hex"
	"strings"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/schnorr"

	"github.com/schedctl/schedctl/daemon/publish"
)

// keyLength is the length of secret and public keys and of event ids, in bytes.
const keyLength = 32

// signer has the key of an account.
type signer struct {
	secret *btcec.PrivateKey
	public string // in hexadecimal
}

// parseSecret parses the secret key of an account, in bech32. Its errors do not contain
// the key.
func parseSecret(text string) (signer, error) {
	prefix, data, err := decodeBech32(strings.TrimSpace(text))
	switch {
	case err == nil && prefix == "npub":
		return signer{}, publish.Contentf(fieldSecret, "this is a public key, which starts with npub1; use the secret key, which starts with nsec1")
	case err != nil || prefix != "nsec" || len(data) != keyLength:
		return signer{}, publish.Contentf(fieldSecret, "nsec must be a secret key that starts with nsec1 and has 63 characters; copy it again from your Nostr app")
	}
	var scalar btcec.ModNScalar
	if overflow := scalar.SetByteSlice(data); overflow || scalar.IsZero() {
		return signer{}, publish.Contentf(fieldSecret, "nsec is not a valid secret key; copy it again from your Nostr app")
	}
	secret := btcec.PrivKeyFromScalar(&scalar)
	return signer{secret: secret, public: hex.EncodeToString(schnorr.SerializePubKey(secret.PubKey()))}, nil
}

// sign returns the signature of an event id in hexadecimal, according to BIP-340. The
// signature of an id is always the same.
func (s signer) sign(id [keyLength]byte) string {
	signature, err := schnorr.Sign(s.secret, id[:])
	if err != nil {
		return "" // impossible for a hash of 32 bytes and a valid key; relays refuse it
	}
	return hex.EncodeToString(signature.Serialize())
}

// npub returns a public key in bech32.
func npub(public string) string {
	data, _ := hex.DecodeString(public)
	return encodeBech32("npub", data)
}

// The types of the members of a shareable identifier (NIP-19).
const (
	memberSpecial = 0
	memberRelay   = 1
	memberAuthor  = 2
	memberKind    = 3
)

// nevent returns the identifier under which people share an event. The relay may be
// empty.
func nevent(id, author, relay string, kind uint32) string {
	var data []byte
	add := func(member byte, value []byte) {
		if len(value) > 0 && len(value) < 256 {
			data = append(append(data, member, byte(len(value))), value...)
		}
	}
	event, _ := hex.DecodeString(id)
	public, _ := hex.DecodeString(author)
	add(memberSpecial, event)
	add(memberRelay, []byte(relay))
	add(memberAuthor, public)
	add(memberKind, binary.BigEndian.AppendUint32(nil, kind))
	return encodeBech32("nevent", data)
}
