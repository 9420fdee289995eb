package nostr

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// eventID matches the id of an event and a public key.
var eventID = pattern.Lazy(`^[0-9a-f]{64}$`)

// hashtag matches a hashtag, with the character before it.
var hashtag = pattern.Lazy(`(?:^|[\s(])#([\p{L}\p{N}_]{1,100})`)

// noteOf returns the event of a request. The same key and content always give the same
// event: nothing else in it depends on the account's relays or options.
func noteOf(s signer, r publish.Request) (event, error) {
	created, number, ok := parseKey(r.Key)
	if !ok {
		return event{}, &publish.Error{
			Kind: schedctl.KindUnknown, Code: "key", Outcome: schedctl.OutcomeNotPublished,
			Message: "the key of this attempt is not valid for Nostr; schedule the post again",
		}
	}
	var tags [][]string
	if r.Part > 0 {
		tags = replyTags(s, r)
	}
	content := strings.ToValidUTF8(r.Content, "\uFFFD")
	for _, name := range hashtags(content) {
		tags = append(tags, []string{"t", name})
	}
	for _, f := range r.Files {
		link := f.Upload.ID
		if !strings.HasPrefix(link, "http") {
			return event{}, uploadLost()
		}
		content = strings.TrimPrefix(content+"\n", "\n") + "\n" + link
		tags = append(tags, describe(f))
	}
	if r.ContentWarning != "" {
		tags = append(tags, []string{"content-warning", strings.ToValidUTF8(r.ContentWarning, "\uFFFD")}) // NIP-36
	}
	if language, _, _ := strings.Cut(strings.ToLower(r.Language), "-"); len(language) == 2 {
		tags = append(tags, []string{"L", "ISO-639-1"}, []string{"l", language, "ISO-639-1"}) // NIP-32
	}
	// Without this, two posts with the same text in the same second would be one event.
	// Relays read the tag as proof of work with the difficulty 0 (NIP-13).
	tags = append(tags, []string{"nonce", number, "0"})
	return newEvent(s, kindNote, created, tags, strings.TrimPrefix(content, "\n")), nil
}

// replyTags returns the tags of a reply (NIP-10). The relay at which an app finds the
// parent comes from the parent's receipt.
func replyTags(s signer, r publish.Request) [][]string {
	root := []string{"e", r.Root.ID, r.Root.Ref, "root", s.public}
	if r.Parent.ID == r.Root.ID {
		return [][]string{root, {"p", s.public}}
	}
	return [][]string{root, {"e", r.Parent.ID, r.Parent.Ref, "reply", s.public}, {"p", s.public}}
}

// hashtags returns the hashtags of a text in lower case, each once.
func hashtags(text string) (names []string) {
	for _, match := range hashtag().FindAllStringSubmatch(text, 50) {
		name := strings.ToLower(match[1])
		if strings.Trim(name, "0123456789_") != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// describe returns the tag of a file (NIP-92).
func describe(f publish.File) []string {
	tag := []string{"imeta", "url " + f.Upload.ID, "m " + f.MIMEType, "x " + hex.EncodeToString(f.SHA256[:])}
	if f.Width > 0 && f.Height > 0 {
		tag = append(tag, fmt.Sprintf("dim %dx%d", f.Width, f.Height))
	}
	if alt := strings.Join(strings.Fields(strings.ToValidUTF8(f.AltText, "\uFFFD")), " "); alt != "" {
		tag = append(tag, "alt "+alt)
	}
	return tag
}
