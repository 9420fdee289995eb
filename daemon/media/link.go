package media

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// Capability is what a token in a URL allows without an API key: one action on one
// asset, until a time.
type Capability struct {
	Action      Action
	WorkspaceID string
	AssetID     string
	KeyID       string // the API key that asked for the URL; empty for the daemon itself
	Platform    string // with ActionVariant: whose limits the file fits, or [Thumbnail]; at most 16 bytes
	Expires     time.Time
}

// Action is what a token allows.
type Action byte

// The actions.
const (
	ActionUpload   Action = 1 // PUT of the bytes of an announced upload
	ActionDownload Action = 2 // GET of the bytes
	ActionVariant  Action = 3 // GET of the file as a platform takes it
	ActionLink     Action = 4 // PUT of the bytes of an upload link
)

// Thumbnail is the platform of an [ActionVariant] that is a small picture for the pages of
// shares. No network has this name.
const Thumbnail = "thumbnail"

// thumbnailSide is the longest side of a thumbnail in pixels: twice what a page shows.
const thumbnailSide = 240

// ThumbnailRules are what a thumbnail keeps to.
func ThumbnailRules() publish.ClassRules {
	return publish.ClassRules{
		Types: []string{"image/jpeg", "image/png"}, MaxBytes: 200_000, MaxPNG: 40_000, MaxWidth: thumbnailSide, MaxHeight: thumbnailSide,
	}
}

// Signer makes and checks the tokens of URLs. All daemons of a database have the same
// key, so that each accepts the tokens of the others. It may be used from any goroutine.
type Signer struct{ key [32]byte }

// SigningPurpose is the purpose for which the key of a [Signer] is derived from the
// secret of the daemon.
const SigningPurpose = "media URLs"

// NewSigner returns a signer.
func NewSigner(key [32]byte) *Signer { return &Signer{key} }

// A token is base64url of: action (1 byte) · expiry (8, Unix seconds) · workspace, asset
// and key (16 each, their ULIDs; or the platform, instead of a key) · HMAC-SHA256 (32).
const (
	tokenBody = 1 + 8 + 3*16
	tokenLen  = tokenBody + sha256.Size
)

// Sign returns a token for the capability.
func (s *Signer) Sign(c Capability) string {
	raw := make([]byte, 0, tokenLen)
	raw = append(raw, byte(c.Action))
	raw = binary.BigEndian.AppendUint64(raw, uint64(c.Expires.Unix()))
	for _, id := range []struct {
		prefix schedctl.Prefix
		id     string
	}{{schedctl.WorkspacePrefix, c.WorkspaceID}, {schedctl.MediaPrefix, c.AssetID}, {schedctl.KeyPrefix, c.KeyID}} {
		u, _ := schedctl.ParseID(id.prefix, id.id) // zero for the daemon itself
		raw = append(raw, u[:]...)
	}
	if c.Action == ActionVariant {
		copy(raw[41:57], c.Platform)
	}
	return base64.RawURLEncoding.EncodeToString(append(raw, s.mac(raw)...))
}

// Verify returns the capability of a token. Errors: UPLOAD_URL_INVALID for a token that
// is damaged, has expired, or was not signed with the key.
func (s *Signer) Verify(token string, action Action, now time.Time) (Capability, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil || len(raw) != tokenLen || !hmac.Equal(raw[tokenBody:], s.mac(raw[:tokenBody])) || Action(raw[0]) != action {
		return Capability{}, errBadURL
	}
	c := Capability{
		Action: action, Expires: time.Unix(int64(binary.BigEndian.Uint64(raw[1:])), 0).UTC(),
		WorkspaceID: schedctl.ULID(raw[9:25]).ID(schedctl.WorkspacePrefix), AssetID: schedctl.ULID(raw[25:41]).ID(schedctl.MediaPrefix),
	}
	if action == ActionVariant {
		c.Platform = strings.TrimRight(string(raw[41:57]), "\x00")
	} else if key := schedctl.ULID(raw[41:57]); key != (schedctl.ULID{}) {
		c.KeyID = key.ID(schedctl.KeyPrefix)
	}
	if !now.Before(c.Expires) {
		return Capability{}, errExpiredURL
	}
	return c, nil
}

var (
	errBadURL     = schedctl.Errorf(schedctl.UploadURLInvalid, "", "this URL is not valid; use it exactly as the daemon returned it")
	errExpiredURL = schedctl.Errorf(schedctl.UploadURLInvalid, "", "this URL has expired; ask for a new one")
)

func (s *Signer) mac(body []byte) []byte {
	h := hmac.New(sha256.New, s.key[:])
	h.Write(body)
	return h.Sum(nil)
}
