package schedctl

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Limits of sources.
const (
	MaxSources        = 100 // of a workspace
	MaxAgentSources   = 5   // of a key of an agent
	MaxSourcesKept    = 10  // times as many with those that were removed in the last [SourceKept]
	MaxSourceTake     = 10  // items of the first fetch
	MaxSourceWords    = 50  // entries of each list of a filter
	MaxSourceParams   = 10  // parameters added to links
	MaxSourcePerDay   = 50
	MaxSourceDelay    = 24 * time.Hour
	MaxSourceItems    = 10_000 // known items of a source
	MaxSourceWarnings = 20

	MinSourceInterval     = 5 * time.Minute
	MaxSourceInterval     = 24 * time.Hour
	DefaultSourceInterval = 30 * time.Minute
	DefaultSourceDelay    = 10 * time.Minute // except for drafts
	DefaultSourcePerDay   = 5                // except for drafts
	DraftSourcePerDay     = 20

	// SourceKept is how long the items of a removed source are known for its URL.
	SourceKept = 90 * 24 * time.Hour

	// DefaultSourceTemplate is the template of sources that have none.
	DefaultSourceTemplate = "{{fit .Title}}\n\n{{.Link}}"
)

// SourceKind says where the items of a source come from.
type SourceKind string

// The kinds of sources.
const (
	SourceFeed    SourceKind = "feed"    // schedctl fetches them from a URL
	SourceWebhook SourceKind = "webhook" // another program sends them
)

// SourceMode says what becomes of an item.
type SourceMode string

// The modes of sources, from the least to the most.
const (
	SourceDraft    SourceMode = "draft"     // a draft
	SourceSubmit   SourceMode = "submit"    // a draft that waits for an approval
	SourceNextSlot SourceMode = "next-slot" // a post in the next free slot of a queue
	SourceNow      SourceMode = "now"       // a post that is published at once
)

// SourceModes lists the modes, from the least to the most.
func SourceModes() []SourceMode {
	return []SourceMode{SourceDraft, SourceSubmit, SourceNextSlot, SourceNow}
}

// Publishes reports whether posts of the mode are published without a person.
func (m SourceMode) Publishes() bool { return m == SourceNextSlot || m == SourceNow }

// SourceState says whether a source makes posts.
type SourceState string

// The states of sources.
const (
	SourceActive  SourceState = "active"
	SourcePaused  SourceState = "paused"  // by a person
	SourceHeld    SourceState = "held"    // until a person decides
	SourceError   SourceState = "error"   // its feed cannot be read; it is tried again, unless the feed is gone
	SourceRemoved SourceState = "removed" // kept for its items alone, and not listed
)

// SourceStates lists the states that clients see.
func SourceStates() []SourceState {
	return []SourceState{SourceActive, SourcePaused, SourceHeld, SourceError}
}

// The codes of faults that hold a source, or that stop it.
const (
	SourceFlood     = "flood"      // more new items than usual
	SourceOwnerGone = "owner_gone" // the key of the source is gone, or may do less
	SourceMoved     = "moved"      // the feed was moved to another domain
	SourceGone      = "gone"       // the server says that the feed is gone for good
)

// SourceFault says why a source is held or failing.
type SourceFault struct {
	Code    string
	Message string
	Since   time.Time
}

// SourceFilter selects items. Each field selects all items if it is empty.
type SourceFilter struct {
	Include     []string // whole words, case folded; one of them is in the title or text
	Exclude     []string // as Include; none of them is
	Categories  []string
	Authors     []string
	TitleRegex  string // RE2
	Prereleases bool   // also versions such as v1.2.0-rc.1
}

// SourceOverride is what a source does differently for an account.
type SourceOverride struct {
	AccountID string
	Template  string
}

// SourceLink says how links of items are changed.
type SourceLink struct {
	Strip  bool              // without the parameters that track readers
	Params map[string]string // added; values are templates
}

// SourceImage says where the picture of a post comes from.
type SourceImage string

// The pictures of sources.
const (
	ImageItem SourceImage = "item" // the item itself
	ImagePage SourceImage = "page" // the item, or else its page
	ImageNone SourceImage = "none"
)

// SourceIdentity says by what a source knows an item again.
type SourceIdentity string

// The identities of sources.
const (
	IdentityAuto SourceIdentity = "auto"
	IdentityGUID SourceIdentity = "guid"
	IdentityLink SourceIdentity = "link"
)

// Source makes posts of items that come from elsewhere: of a feed, or of another program.
type Source struct {
	ID          string
	WorkspaceID string
	KeyID       string // the API key that the source acts for
	Name        string // unique in the workspace; 1–80 characters
	SourceSettings

	State   SourceState
	Fault   *SourceFault // of held sources and those with errors
	Managed *Managed     // the collection of files that the source belongs to, or nil

	Credentials    []byte    // sealed: how its URL is read; nil for none
	Secret         []byte    // sealed: signs what is sent to a webhook source
	PreviousSecret []byte    // sealed; also accepted until PreviousUntil; may be nil
	PreviousUntil  time.Time // or zero

	SourceProgress

	Inherits  []string // removed sources of the same URL, whose items this one knows
	CreatedAt time.Time
	UpdatedAt time.Time
	RemovedAt time.Time // zero unless State is [SourceRemoved]
	Version   int64     // 1 when created, +1 with every change by a person
}

// SourceSettings are what clients set of a source.
type SourceSettings struct {
	Kind          SourceKind
	URL           string        // of feeds
	Interval      time.Duration // between two fetches
	Template      string
	AccountIDs    []string // in the order of the client
	Overrides     []SourceOverride
	QueueID       string // of [SourceNextSlot]; may be empty
	Mode          SourceMode
	Filter        SourceFilter
	Delay         time.Duration // from the first sight of an item to its post
	MaxPerDay     int
	Image         SourceImage
	ImageRequired bool // an item whose picture cannot be used makes no post
	Link          SourceLink
	Identity      SourceIdentity
	Labels        []string
	Language      string // BCP 47; may be empty
}

// SourceProgress is what the daemon knows from its fetches.
type SourceProgress struct {
	ETag          string
	LastModified  string
	LastFetchAt   time.Time
	LastSuccessAt time.Time
	NextFetchAt   time.Time // zero for never
	WakeAt        time.Time // when the daemon works on the source next: the next fetch, or an item that is due; zero for never
	ClaimedUntil  time.Time // a node works on the source until then at most
	Failures      int       // since the last success
	FailingSince  time.Time // the first failure since the last success
	MovedTo       string    // where the last fetches were redirected for good
	MovedTimes    int
	BaselineAt    time.Time // of the first successful fetch
	BodyHash      string    // of the last document, in hexadecimal
	BodyAt        time.Time // when the last document that differed was read; items with this SeenAt are in the feed
	PrunedAt      time.Time // when old items were removed last
	Take          int       // items that the first fetch makes
	NewestAt      time.Time // the latest date of an item
	ByLink        bool      // guids of the feed repeated, so its items are known by link
	Warnings      []string  // about the feed
	Made          []time.Time
	Pictures      []string // the addresses of pictures seen last; a repeated one is no picture of an item
}

// Clone returns a copy that shares nothing with s.
func (s *Source) Clone() Source {
	c := *s
	c.AccountIDs, c.Overrides, c.Labels = slices.Clone(s.AccountIDs), slices.Clone(s.Overrides), slices.Clone(s.Labels)
	f := &c.Filter
	f.Include, f.Exclude, f.Categories, f.Authors = slices.Clone(f.Include), slices.Clone(f.Exclude), slices.Clone(f.Categories), slices.Clone(f.Authors)
	c.Link.Params, c.Managed = maps.Clone(s.Link.Params), s.Managed.clone()
	if s.Fault != nil {
		c.Fault = new(*s.Fault)
	}
	c.Credentials, c.Secret, c.PreviousSecret = slices.Clone(s.Credentials), slices.Clone(s.Secret), slices.Clone(s.PreviousSecret)
	c.Warnings, c.Made, c.Pictures, c.Inherits = slices.Clone(s.Warnings), slices.Clone(s.Made), slices.Clone(s.Pictures), slices.Clone(s.Inherits)
	return c
}

// SetDefaults sets the fields that a new source has if its client did not set them.
func (s *SourceSettings) SetDefaults() {
	s.Kind, s.Mode, s.Image, s.Identity = cmp.Or(s.Kind, SourceFeed), cmp.Or(s.Mode, SourceDraft), cmp.Or(s.Image, ImageItem), cmp.Or(s.Identity, IdentityAuto)
	s.Interval, s.Template = cmp.Or(s.Interval, DefaultSourceInterval), cmp.Or(s.Template, DefaultSourceTemplate)
	if s.MaxPerDay == 0 {
		s.MaxPerDay = DefaultSourcePerDay
		if s.Mode == SourceDraft {
			s.MaxPerDay = DraftSourcePerDay
		}
	}
}

// Check returns nil if the fields are valid, else an error with the code [ValidationFailed]
// or [InvalidSocialAccounts]. It reads neither the template nor the URL, and knows no accounts.
func (s *Source) Check() error {
	if err := CheckAccountName(s.Name); err != nil {
		return err
	}
	labels, err := sortLabels(s.Labels)
	if err != nil {
		return err
	}
	s.Labels = labels
	in := func(field string, ok bool, format string, args ...any) error {
		if ok {
			return nil
		}
		return Errorf(ValidationFailed, field, format, args...)
	}
	if n := len(s.AccountIDs); n == 0 || n > MaxAccounts {
		return Errorf(InvalidSocialAccounts, "social_account_ids", "a source makes posts for 1 to %d accounts; this one has %d", MaxAccounts, n)
	}
	return cmp.Or(
		in("kind", s.Kind == SourceFeed || s.Kind == SourceWebhook, "%q is not a kind of source; use feed or webhook", s.Kind),
		in("url", (s.URL != "") == (s.Kind == SourceFeed), "a source of kind feed has a url (the address of a feed), and one of kind webhook has none"),
		in("mode", slices.Contains(SourceModes(), s.Mode), "%q is not a mode; use draft, submit, next-slot or now", s.Mode),
		in("queue_id", s.QueueID == "" || s.Mode == SourceNextSlot, "a source has a queue only in the mode next-slot; leave out queue_id (--queue)"),
		in("interval", s.Interval >= MinSourceInterval && s.Interval <= MaxSourceInterval, "interval (--every) is between 5m and 24h"),
		in("delay", s.Delay >= 0 && s.Delay <= MaxSourceDelay, "delay (--delay) is between 0s and 24h"),
		in("max_per_day", s.MaxPerDay >= 1 && s.MaxPerDay <= MaxSourcePerDay, "max_per_day (--max-per-day) is between 1 and %d", MaxSourcePerDay),
		in("image", slices.Contains([]SourceImage{ImageItem, ImagePage, ImageNone}, s.Image), "%q is not a place of pictures; use item, page or none", s.Image),
		in("image_required", !s.ImageRequired || s.Image != ImageNone, "image_required (--image-required) needs an image of item or page (--image)"),
		in("identity", slices.Contains([]SourceIdentity{IdentityAuto, IdentityGUID, IdentityLink}, s.Identity), "%q is not an identity; use auto, guid or link", s.Identity),
		in("overrides", s.overridesFit(), "each entry of overrides has another account of the source"),
	)
}

// overridesFit reports whether each override is of another account of the source.
func (s *SourceSettings) overridesFit() bool {
	for i, o := range s.Overrides {
		same := func(other SourceOverride) bool { return other.AccountID == o.AccountID }
		if !slices.Contains(s.AccountIDs, o.AccountID) || slices.ContainsFunc(s.Overrides[:i], same) {
			return false
		}
	}
	return true
}

// SameFeed reports whether two sources would make the same posts: whether they have the same
// URL and the same accounts.
func (s *Source) SameFeed(o *Source) bool {
	return s.Kind == SourceFeed && o.Kind == SourceFeed && s.URL == o.URL &&
		slices.Equal(sortedIDs(slices.Clone(s.AccountIDs)), sortedIDs(slices.Clone(o.AccountIDs)))
}

// Hold stops the source until a person decides.
func (s *Source) Hold(code, message string, now time.Time) {
	s.State, s.Fault = SourceHeld, &SourceFault{Code: code, Message: message, Since: Millis(now)}
}

// TakeUp makes the source active, and lets the daemon look at it at once.
func (s *Source) TakeUp(now time.Time) {
	s.State, s.Fault, s.FailingSince, s.Failures = SourceActive, nil, time.Time{}, 0
	if s.Kind == SourceFeed {
		s.NextFetchAt = Millis(now)
	}
	s.WakeAt = Millis(now)
}

// StartOver makes the next fetch like the first one: what is in the feed then makes no posts.
func (s *SourceProgress) StartOver() {
	s.BaselineAt, s.Take, s.ETag, s.LastModified, s.BodyHash, s.ClaimedUntil = time.Time{}, 0, "", "", "", time.Time{}
}

// Sleeps removes the times at which the daemon works on the source.
func (s *Source) Sleeps() { s.NextFetchAt, s.WakeAt = time.Time{}, time.Time{} }

// Remove keeps the source for its items alone.
func (s *Source) Remove(now time.Time) {
	s.State, s.Fault, s.RemovedAt = SourceRemoved, nil, Millis(now)
	s.Credentials, s.Secret, s.PreviousSecret, s.Managed = nil, nil, nil, nil
	s.Sleeps()
	s.WakeAt = s.RemovedAt.Add(SourceKept)
}

// MadeSince returns how many posts the source made after a time.
func (s *SourceProgress) MadeSince(t time.Time) (n int) {
	for _, at := range s.Made {
		if at.After(t) {
			n++
		}
	}
	return n
}

// AddMade stores that the source made a post. It forgets those of more than a day ago.
func (s *SourceProgress) AddMade(now time.Time) {
	s.Made = append(slices.DeleteFunc(s.Made, func(at time.Time) bool { return now.Sub(at) >= 24*time.Hour }), Millis(now))
}

// SourceExternalID returns the external id of the post of an item. round is 1 for the first
// post, and counts those that a person asked for after a change.
func SourceExternalID(sourceID, key string, round int) string {
	id := SourceCollection + "/" + sourceID + "/" + key
	if round > 1 {
		id += "/" + strconv.Itoa(round)
	}
	return id
}

// IsSourceExternalID reports whether an external id is one of a source.
func IsSourceExternalID(id string) bool { return strings.HasPrefix(id, SourceCollection+"/") }
