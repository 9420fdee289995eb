package feed

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// Identity says by what items are known again.
type Identity string

// The identities.
const (
	Auto   Identity = "auto" // by guid or link; by link alone if guids repeat
	ByGUID Identity = "guid" // by guid; items without a guid by link
	ByLink Identity = "link" // by link; items without a link by guid
)

// Keys are the keys of one item: each has a letter for its kind and 32 hexadecimal digits of
// a SHA-256, or is empty. An item with the GUID or the link of a known one is that one.
type Keys struct {
	GUID string // starts with g
	Link string // starts with l; of the canonical link
	Hash string // starts with h; of title and text without case and spaces
}

// List returns the keys that are not empty: guid, link and hash.
func (k Keys) List() []string {
	var list []string
	for _, key := range []string{k.GUID, k.Link, k.Hash} {
		if key != "" {
			list = append(list, key)
		}
	}
	return list
}

// Keys returns the keys of each item. repeated reports that different items of the feed have
// the same guid; with [Auto] guids are no keys then. The caller stores this, and uses [ByLink]
// in later fetches.
//
// Neither a link that several items share nor the page of the feed is a key. A hash that
// several items share is not a key either, unless an item has nothing else.
func (f *Feed) Keys(by Identity) (keys []Keys, repeated bool) {
	keys = make([]Keys, len(f.Items))
	links, hashes := map[string]int{}, map[string]int{}
	guids := map[string]Keys{} // of the first item with the guid
	own := []string{canonical(f.Link), canonical(f.Self)}
	for i, item := range f.Items {
		link := canonical(item.Link)
		if slices.Contains(own, link) {
			link = ""
		}
		k := Keys{GUID: key("g", item.GUID), Link: key("l", link), Hash: key("h", normalized(item.Title, item.Summary))}
		keys[i] = k
		links[k.Link]++
		hashes[k.Hash]++
		first, seen := guids[k.GUID]
		if k.GUID != "" && seen && (first.Link != k.Link || k.Link == "" && first.Hash != k.Hash) {
			repeated = true
		}
		if !seen {
			guids[k.GUID] = k
		}
	}
	for i := range keys {
		k := &keys[i]
		if links[k.Link] > 1 {
			k.Link = ""
		}
		switch {
		case by == ByGUID && k.GUID != "":
			k.Link = ""
		case by == ByLink && k.Link != "", by != ByGUID && repeated:
			k.GUID = ""
		}
		if hashes[k.Hash] > 1 && k.GUID+k.Link != "" {
			k.Hash = ""
		}
	}
	return keys, repeated
}

// key returns the key of a value, or an empty string for an empty value.
func key(kind, value string) string {
	if value == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(kind + "\x00" + value))
	return kind + hex.EncodeToString(sum[:16])
}

// normalized returns a title and a text without case and spaces, or an empty string if both
// are empty.
func normalized(title, text string) string {
	fold := func(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), "")) }
	if title, text = fold(title), fold(text); title+text == "" {
		return ""
	}
	return title + "\x00" + text
}
