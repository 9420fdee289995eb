package schedctl

import (
	"crypto/rand"
	"crypto/sha256"
	"math/big"
	"slices"
	"strings"
	"time"
)

// Limits of shares.
const (
	MaxShares       = 1000 // running ones of a workspace
	MaxSharePosts   = 100
	MaxShareDays    = 90
	ShareDays       = 7                   // unless the client says otherwise
	ShareRetention  = 30 * 24 * time.Hour // after the end of a share, until it is deleted
	shareTokenChars = 43
	SharePath       = "/s/" // of a share's page, before its token
)

// ShareKind says what the page of a share shows.
type ShareKind string

// The kinds of shares.
const (
	ShareReview   ShareKind = "review"   // posts that wait for an approval
	ShareCalendar ShareKind = "calendar" // posts by their time
)

// ShareRight says what a person may do at the address of a share. Each right includes the
// ones before it.
type ShareRight string

// The rights of shares.
const (
	ShareView    ShareRight = "view"
	ShareComment ShareRight = "comment"
	ShareDecide  ShareRight = "decide"
)

// ShareRights returns all rights, from the least to the most.
func ShareRights() []ShareRight { return []ShareRight{ShareView, ShareComment, ShareDecide} }

// Allows reports whether a share with the right r may do what needs the right other.
func (r ShareRight) Allows(other ShareRight) bool {
	rights := ShareRights()
	return slices.Contains(rights, other) && slices.Index(rights, r) >= slices.Index(rights, other)
}

// Share is an address at which a person sees posts of a workspace in a browser, without an
// API key. The token in the address is shown once. Only its SHA-256 is stored.
type Share struct {
	ID          string
	WorkspaceID string
	Kind        ShareKind
	Name        string // of the person; 1–80 characters
	Can         ShareRight
	Hash        [32]byte // SHA-256 of the token

	// PostIDs are the posts that the share covers, sorted. If it is empty, Filter selects
	// them.
	PostIDs []string
	Filter  ShareFilter

	// KeyID is the API key that made the share. The share does not do more than this key
	// may, and it ends with the key.
	KeyID      string
	ExpiresAt  time.Time
	CreatedAt  time.Time
	RevokedAt  time.Time // zero unless it was revoked
	LastUsedAt time.Time // zero before the first use
	Uses       int64     // how often the address was opened; may be up to a minute late
}

// ShareFilter selects the posts of a share that names none. Each field selects all posts if
// it is empty.
type ShareFilter struct {
	AccountIDs []string // sorted; posts with one of these accounts
	Labels     []string // posts with one of these labels
	Approval   ApprovalState
}

// Clone returns a copy that shares nothing with s.
func (s *Share) Clone() Share {
	c := *s
	c.PostIDs = slices.Clone(s.PostIDs)
	c.Filter.AccountIDs, c.Filter.Labels = slices.Clone(s.Filter.AccountIDs), slices.Clone(s.Filter.Labels)
	return c
}

// Running reports whether the share was not revoked and has not expired. Its key may have.
func (s *Share) Running(now time.Time) bool {
	return s.RevokedAt.IsZero() && now.Before(s.ExpiresAt)
}

// EndedBefore reports whether the share has ended before t, by itself or because it was
// revoked.
func (s *Share) EndedBefore(t time.Time) bool {
	return s.ExpiresAt.Before(t) || !s.RevokedAt.IsZero() && s.RevokedAt.Before(t)
}

// Covers reports whether the share is about the post. A review share that names no posts
// covers those that wait for an approval, unless its filter has another state.
func (s *Share) Covers(p *Post) bool {
	switch {
	case p.WorkspaceID != s.WorkspaceID:
		return false
	case len(s.PostIDs) > 0:
		return slices.Contains(s.PostIDs, p.ID)
	}
	f, approval := &s.Filter, s.Filter.Approval
	if approval == "" && s.Kind == ShareReview {
		approval = ApprovalPending
	}
	ofAccount := func(t Target) bool { return slices.Contains(f.AccountIDs, t.AccountID) }
	labeled := func(label string) bool { return slices.Contains(f.Labels, label) }
	return (approval == "" || p.Approval != nil && p.Approval.State == approval) &&
		(len(f.AccountIDs) == 0 || slices.ContainsFunc(p.Targets, ofAccount)) &&
		(len(f.Labels) == 0 || slices.ContainsFunc(p.Labels, labeled))
}

// CoversSeries reports whether the share is about the series: as [Share.Covers] about its
// template, unless the series has ended. Calendars and shares that name posts cover none.
func (s *Share) CoversSeries(one *Series) bool {
	template := one.Template
	template.WorkspaceID = one.WorkspaceID
	return s.Kind == ShareReview && len(s.PostIDs) == 0 && one.State != SeriesEnded && s.Covers(&template)
}

// NewShare is a share as a request describes it.
type NewShare struct {
	Kind      ShareKind
	Name      string
	Can       ShareRight // empty for [ShareView]
	PostIDs   []string
	Filter    ShareFilter
	ExpiresAt time.Time // zero for [ShareDays] from now
	Seed      [32]byte  // of the token, secret; zero for a random one
}

// Make returns a share of the key, and its token. The share ends with the key at the latest.
// It does not check whether posts and accounts exist. Errors: [ValidationFailed].
func (n NewShare) Make(key *APIKey, now time.Time) (s Share, token string, err error) {
	now = Millis(now)
	if n.Can == "" {
		n.Can = ShareView
	}
	if n.ExpiresAt.IsZero() {
		n.ExpiresAt = now.AddDate(0, 0, ShareDays)
	}
	if err := n.check(now); err != nil {
		return s, "", err
	}
	labels, err := sortLabels(n.Filter.Labels)
	if err != nil {
		return s, "", err
	}
	if !key.ExpiresAt.IsZero() && key.ExpiresAt.Before(n.ExpiresAt) {
		n.ExpiresAt = key.ExpiresAt
	}
	s = Share{
		ID: NewID(SharePrefix, now), WorkspaceID: key.WorkspaceID, Kind: n.Kind, Name: n.Name, Can: n.Can,
		PostIDs: sortedIDs(n.PostIDs), Filter: ShareFilter{AccountIDs: sortedIDs(n.Filter.AccountIDs), Labels: labels, Approval: n.Filter.Approval},
		KeyID: key.ID, ExpiresAt: Millis(n.ExpiresAt), CreatedAt: now,
	}
	if n.Seed == ([32]byte{}) {
		rand.Read(n.Seed[:])
	}
	token, s.Hash = ShareToken(n.Seed)
	return s, token, nil
}

// sortedIDs returns ids in their stored form: sorted, without duplicates, nil for none.
func sortedIDs(ids []string) []string { return slices.Compact(slices.Sorted(slices.Values(ids))) }

func (n *NewShare) check(now time.Time) error {
	if err := CheckAccountName(n.Name); err != nil {
		return err
	}
	f := &n.Filter
	filtered := len(f.AccountIDs) > 0 || len(f.Labels) > 0 || f.Approval != ""
	switch {
	case n.Kind != ShareReview && n.Kind != ShareCalendar:
		return Errorf(ValidationFailed, "kind", "%q is not a kind of share; use review or calendar", n.Kind)
	case !slices.Contains(ShareRights(), n.Can):
		return Errorf(ValidationFailed, "can", "%q is not a right; use view, comment or decide", n.Can)
	case n.Can == ShareDecide && n.Kind == ShareCalendar:
		return Errorf(ValidationFailed, "can", "a calendar cannot decide; share a review, or use view or comment")
	case len(n.PostIDs) > 0 && n.Kind == ShareCalendar:
		return Errorf(ValidationFailed, "post_ids", "a calendar cannot name posts; select them with filter")
	case len(n.PostIDs) > 0 && filtered:
		return Errorf(ValidationFailed, "filter", "post_ids and filter exclude each other; leave out one of them")
	case len(n.PostIDs) > MaxSharePosts:
		return Errorf(ValidationFailed, "post_ids", "post_ids has %d entries; the limit is %d", len(n.PostIDs), MaxSharePosts)
	case f.Approval != "" && !slices.Contains(ApprovalStates(), f.Approval):
		return Errorf(ValidationFailed, "filter.approval", "%q is not a state of an approval", f.Approval)
	case !n.ExpiresAt.After(now):
		return Errorf(ValidationFailed, "expires_at", "expires_at (--expires) has passed; use a time in the future")
	case n.ExpiresAt.After(now.AddDate(0, 0, MaxShareDays)):
		return Errorf(ValidationFailed, "expires_at", "expires_at (--expires) is more than %d days ahead; use an earlier time", MaxShareDays)
	}
	return nil
}

// ShareToken returns the token of a share, 43 characters of base62, and the hash to be stored.
// The same seed gives the same token.
func ShareToken(seed [32]byte) (token string, hash [32]byte) {
	token = encodeBase62(new(big.Int).SetBytes(seed[:]), shareTokenChars)
	return token, sha256.Sum256([]byte(token))
}

// HashShareToken returns the hash by which the store finds a token. It reports false for a
// text that cannot be a token.
func HashShareToken(token string) (hash [32]byte, ok bool) {
	notBase62 := func(c rune) bool { return !strings.ContainsRune(base62, c) }
	if len(token) != shareTokenChars || strings.ContainsFunc(token, notBase62) {
		return hash, false
	}
	return sha256.Sum256([]byte(token)), true
}
