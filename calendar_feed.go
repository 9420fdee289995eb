package schedctl

import (
	"crypto/sha256"
	"slices"
	"time"
)

// MaxCalendarFeeds is how many calendar feeds a workspace can have.
const MaxCalendarFeeds = 50

// CalendarFeed is an address at which calendar programs read the posts of a workspace
// without a further login. The token in the address is shown once. Only its SHA-256 is
// stored.
type CalendarFeed struct {
	ID          string
	WorkspaceID string
	Name        string   // unique in the workspace; 1–80 characters
	AccountIDs  []string // sorted; only posts with one of these accounts; empty for all
	TitlesOnly  bool     // the feed has the first words of each post, and no more of its text
	Hash        [32]byte // SHA-256 of the token

	// KeyID is the API key that made the feed. The feed ends when the key is revoked or
	// expires, at ExpiresAt.
	KeyID     string
	ExpiresAt time.Time // zero for never
	CreatedAt time.Time
}

// Clone returns a copy that shares nothing with f.
func (f *CalendarFeed) Clone() CalendarFeed {
	c := *f
	c.AccountIDs = slices.Clone(f.AccountIDs)
	return c
}

// feedTokenPrefix is the start of the tokens of calendar feeds. Like the secrets of API
// keys, they end in a checksum.
const feedTokenPrefix = "sctlcal_"

// NewFeedToken returns the token of a new calendar feed, to be shown once, and the hash
// to be stored.
func NewFeedToken() (token string, hash [32]byte) {
	token = newSecret(feedTokenPrefix)
	return token, sha256.Sum256([]byte(token))
}

// HashFeedToken returns the hash by which the store finds a token. It reports false for
// a text that is not a valid token.
func HashFeedToken(token string) (hash [32]byte, ok bool) { return hashSecret(feedTokenPrefix, token) }
