package bluesky

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/fxamacker/cbor/v2"
)

// A content identifier of version 1 is the codec and the SHA-256 of some bytes
// (https://atproto.com/specs/data-model#link-and-cid-formats).
const (
	codecRaw     = 0x55 // the bytes of a blob
	codecDAGCBOR = 0x71 // a record
)

// base32Lower is the encoding of multibase with the prefix b.
var base32Lower = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

func newCID(codec byte, sum [32]byte) string {
	return "b" + base32Lower.EncodeToString(append([]byte{0x01, codec, 0x12, 0x20}, sum[:]...))
}

// cidOf returns the content identifier of raw bytes with this SHA-256.
func cidOf(sha256 [32]byte) string { return newCID(codecRaw, sha256) }

// recordCID returns the content identifier that a server gives a record.
func recordCID(r record) (string, error) {
	encoded, err := encodeRecord(r)
	if err != nil {
		return "", err
	}
	return newCID(codecDAGCBOR, sha256.Sum256(encoded)), nil
}

// dagCBOR is the canonical encoding of RFC 7049, which DAG-CBOR requires: keys are
// sorted by length first.
var dagCBOR = sync.OnceValues(func() (cbor.EncMode, error) { return cbor.CanonicalEncOptions().EncMode() })

// encodeRecord returns the record as DAG-CBOR
// (https://ipld.io/specs/codecs/dag-cbor/spec/).
func encodeRecord(r record) ([]byte, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if value, err = dataModel(value); err != nil {
		return nil, err
	}
	mode, err := dagCBOR()
	if err != nil {
		return nil, err
	}
	return mode.Marshal(value)
}

// cidTag is the tag of a content identifier in DAG-CBOR.
const cidTag = 42

// dataModel converts JSON to the data model of the AT protocol: integers, and links in
// place of objects with the member $link.
func dataModel(value any) (any, error) {
	var err error
	switch value := value.(type) {
	case json.Number:
		return value.Int64()
	case []any:
		for i := range value {
			if value[i], err = dataModel(value[i]); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		if cid, isLink := value["$link"].(string); isLink && len(value) == 1 {
			return linkTag(cid)
		}
		for name := range value {
			if value[name], err = dataModel(value[name]); err != nil {
				return nil, err
			}
		}
	}
	return value, nil
}

// linkTag returns a content identifier as DAG-CBOR encodes it.
func linkTag(cid string) (any, error) {
	text, isBase32 := strings.CutPrefix(cid, "b")
	raw, err := base32Lower.DecodeString(text)
	if !isBase32 || err != nil {
		return nil, fmt.Errorf("content identifier %.100q: not in base 32", cid)
	}
	return cbor.Tag{Number: cidTag, Content: append([]byte{0}, raw...)}, nil
}
