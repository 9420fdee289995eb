// Package publish defines what schedctl needs from a social network. Each network is
// a package below this one. Package publish/all lists them, and publish/publishtest
// has the conformance suite that each must pass.
//
// A publisher sends one publishing request and reports its outcome truthfully. It
// never retries, sleeps or keeps state between requests: package deliver does, and
// it decides what an error means for the post. Most important is the outcome of a
// failed request: OutcomeNotPublished only if the network cannot have the post,
// otherwise OutcomeUnknown.
package publish

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/schedctl/schedctl"
)

// Publisher is the adapter for one network. Its methods may be called from any
// goroutine.
type Publisher interface {
	// Platform returns the name of the platform, such as "mastodon".
	Platform() string

	// Fields lists the credentials and options that Connect accepts.
	Fields() []Field

	// Connect checks credentials and options and asks the network which account they
	// belong to. It publishes nothing. Errors are an [*Error]: kind content for a
	// missing, malformed or unknown field (Code is the field's name), auth if the
	// network refuses the credentials, network if it cannot be reached.
	Connect(ctx context.Context, c Connection) (Profile, error)

	// Check returns the length of the text as the network counts it, and the
	// reasons why the network would refuse it. It sends no request. It reads only the
	// account's limits and its options, which include the post's overrides. Media are
	// checked against [MediaPublisher].MediaRules by [CheckMedia].
	Check(account schedctl.Account, content Content) Check

	// Publish sends one request that publishes the content of r. The error is an
	// [*Error]. If ctx ends during the request, the outcome is unknown. A publisher that
	// is no [MediaPublisher] is never given media.
	Publish(ctx context.Context, r Request) (schedctl.Receipt, error)
}

// Finder is a publisher that can ask its network whether an earlier request
// published.
type Finder interface {
	// Find looks for the post of a request whose attempt started at since, or at any
	// time if since is zero. If found is false, the network does not have the post and
	// the caller may send it again. An error means that the network could not be
	// asked; with the code [CodeCannotAsk], it never can.
	Find(ctx context.Context, r Request, since time.Time) (receipt schedctl.Receipt, found bool, err error)
}

// PartialFinder is a [Finder] whose network can be asked only for some accounts. For the
// others, a request with an unknown outcome is reported at once, and Find is not called.
type PartialFinder interface {
	Finder

	// CanFind reports whether the network can be asked for the account with these
	// credentials. It sends no request.
	CanFind(c Credentials) bool
}

// ContentFinder is a [Finder] that recognizes a post only by its content. It cannot
// tell two posts with the same content apart. Find skips posts that Request.Taken
// reports. If the request has a Parent, Find returns only a reply to it, so that a reply
// in a different thread is never returned.
type ContentFinder interface {
	Finder

	// MayConfuse reports whether Find may mistake a post with content a for one with
	// content b.
	MayConfuse(a, b string) bool
}

// PromptFinder is a [Finder] whose network recognizes a repeated request by
// Request.Key for some time, even while it still processes the first one. Find can
// therefore be called soon after a request with an unknown outcome. If the post
// appears only after Find did not find it, a repeat with the same key and credentials
// still creates no second post. Without such a repeat, a post that is missing proves
// nothing until no request can still be in progress, a minute later. For other finders
// the caller waits for that minute before it calls Find.
type PromptFinder interface {
	Finder

	// FindAfter returns how long to wait after such a request before the first call of
	// Find.
	FindAfter() time.Duration
}

// Idempotent is a publisher whose network recognizes a repeated request by
// Request.Key, so that a request with an unknown outcome can be repeated.
type Idempotent interface {
	Idempotent(schedctl.Account) bool
}

// Pacer is a publisher with its own interval between overdue posts of one account.
// The default is one second.
type Pacer interface {
	Pacing() time.Duration
}

// Keyer is a publisher whose network requires keys in its own format. The default
// key is the target's id.
type Keyer interface {
	// NewKey returns a key for a target whose first attempt starts now. The key is
	// stored with the attempt and passed to every later request that may repeat it.
	NewKey(now time.Time) string
}

// OccurrenceKeyer is a [Keyer] for the posts of series. They have the same ids in every
// copy of a database, so their keys are the same, too: a network recognizes a post that a
// copy of the database publishes again.
type OccurrenceKeyer interface {
	// KeyFor returns the key of a target that is published at a time. The same arguments
	// always give the same key, and other targets have other keys.
	KeyFor(targetID string, at time.Time) string
}

// Refresher is a publisher whose network issues sessions that expire. A request then
// fails with [CodeSessionExpired] and is repeated with the credentials that Refresh
// returns.
type Refresher interface {
	// Refresh returns the credentials with a new session. An error of kind auth means
	// that the network refuses the account permanently.
	Refresh(ctx context.Context, c Credentials) (Credentials, error)
}

// CodeCannotAsk is the code of an error of a [Finder] that can never determine
// whether the post was published.
const CodeCannotAsk = "cannot_ask"

// CodeWindowFull is the code of an [*Error] of kind rate_limited, with a RetryAt: the
// network accepts no more posts in the current period. The attempt does not count as a try.
const CodeWindowFull = "window_full"

// CodeSessionExpired is the code of an [*Error] of kind auth and outcome
// not_published. Call [Refresher].Refresh, then repeat the request.
const CodeSessionExpired = "session_expired"

// Codes of an [*Error] about files. All have the outcome not_published, except that
// [CodeUnreadable] has the outcome unknown if a part of the request was sent.
const (
	// CodeUploadLost means that the network no longer has an upload that the request
	// refers to. Call [Uploader].Upload again, then repeat the request.
	CodeUploadLost = "upload_lost"

	// CodeFileTooLarge means that a file has more bytes than the network takes, which
	// may be in MaxBytes of the error. A smaller variant may be accepted.
	CodeFileTooLarge = "file_too_large"

	// CodeUploadRefused means that a host for uploads which is not that of the API refused a
	// file. Its address or token may have ended, so the target is tried again with new ones.
	CodeUploadRefused = "upload_refused"

	// CodeVideoLimit means that the network takes no more videos from the account until
	// RetryAt. Posts without a video are published. The attempt does not count as a try.
	CodeVideoLimit = "daily_videos"

	// CodeUnreadable means that the daemon cannot read the bytes of a file.
	CodeUnreadable = "media_unreadable"
)

// Field describes one credential or option.
type Field struct {
	Name     string
	Secret   bool
	Required bool
	Option   bool   // an option, not a credential
	Post     bool   // an option that a post may override
	App      bool   // a credential of a developer app, which several accounts can use
	Seldom   bool   // only for test servers and proxies, or set by a login; prompts leave it out
	Once     bool   // a credential that Connect exchanges for others; it is never stored
	Help     string // a short description for users

	// Tidy returns the part of a value that the field wants, such as the handle of the address
	// of a profile, or the value. It is nil if there is no such part. See [Field.Clean].
	Tidy func(value string) string

	// Check returns why a value cannot be right, before any request. The error names the
	// field and is fit for users; it does not contain the value of a secret. Check never
	// gets an empty value. It is nil if every value may be right.
	Check func(value string) error
}

// Connection is the input of [Publisher].Connect.
type Connection struct {
	Name        string // chosen by the user; may be empty
	Credentials Credentials
	Options     schedctl.Options
}

// Profile is the account that a network reports.
type Profile struct {
	Username    string
	DisplayName string
	URL         string
	Limits      schedctl.Limits
	Expiry      Expiry // of the credentials

	// Warnings say what the network does not let these credentials do although they can
	// publish, and what to do about it. Connect returns all of them each time.
	Warnings []string

	// Identity distinguishes the account from all others of the platform, by ids of
	// the network that do not change: a user and a room, or the channel of a webhook.
	// A reconnected account must have the same identity. It is empty if URL and
	// Username suffice.
	Identity string

	// Credentials replace those that were given, because they also hold a session. Nil
	// if there is nothing to add.
	Credentials Credentials
}

// Check is the result of [Publisher].Check, without asking the network.
type Check struct {
	Length   int      // as the network counts it, in Unit
	Limit    int      // 0 for none
	Unit     string   // "characters", "graphemes" or "bytes"
	Problems []*Error // why the network would refuse it: kind content; Code is too_long, empty or the name of an option
	Warnings []string // hints for the author
}

// Measured returns the check of a content with the given length. It has a problem if
// the length exceeds the limit; a limit of 0 means none.
func Measured(length, limit int, unit string) Check {
	c := Check{Length: length, Limit: limit, Unit: unit}
	if limit > 0 && length > limit {
		c.Problems = append(c.Problems, Contentf("too_long", "the post has %d %s and the network allows %d; shorten it", length, unit, limit))
	}
	return c
}

// MeasuredMessage is [Measured] for a message that must contain media or more than white
// space.
// The limit is that of the account, or else most. options is a problem of the account's
// options, or nil.
func MeasuredMessage(a schedctl.Account, content Content, length, most int, unit string, options *Error) Check {
	c := Measured(length, cmp.Or(a.Limits.MaxCharacters, most), unit)
	if content.Empty() {
		c.Problems = append(c.Problems, Contentf("empty", "the post is empty; a message needs text or media"))
	}
	if options != nil {
		c.Problems = append(c.Problems, options)
	}
	return c
}

// Err returns the first problem, or nil.
func (c Check) Err() error {
	if len(c.Problems) == 0 {
		return nil
	}
	return c.Problems[0]
}

// Content is what one part of a post shows on one account.
type Content struct {
	Text  string
	Media []Media
	Kind  schedctl.PartKind // empty means [schedctl.PartPost]
	Extras
}

// Extras are what a post shows besides text and media. The poll and the preview belong
// to part 0.
type Extras struct {
	Poll    *schedctl.Poll
	Preview schedctl.LinkPreview

	// Presentation applies to all parts. Its empty fields leave the decision to the
	// options of the account.
	schedctl.Presentation
}

// Text returns a content without media.
func Text(text string) Content { return Content{Text: text} }

// Request is one post to publish to one account, or one part of it.
type Request struct {
	TargetID  string
	PostID    string
	Content   string
	Files     []File // the media, in order
	CardImage *File  // the picture of the link card in Preview, for a [CardPublisher]; nil if it has none
	Extras
	PublishAt   time.Time
	Attempt     int              // 1 for the first; 0 in calls of an [Uploader] before it
	Key         string           // the same for every attempt of the target; empty while Attempt is 0
	Stage       string           // the staged post, in calls of Publish and Find of a [Stager]
	Account     schedctl.Account // without credentials; its options are those of the post
	Credentials Credentials

	// Part is the index of the part to publish, and Kind is its kind. For an index above
	// 0, Parent is the receipt of the part that it replies to, and Root that of part 0.
	Part   int
	Kind   schedctl.PartKind
	Root   *schedctl.Receipt
	Parent *schedctl.Receipt

	// Rest are the parts after this one, if the rules of the account have Whole.
	Rest []RequestPart

	// Learn stores a credential that no person gives, for later requests of the account: what
	// Publish has found out about the network. The caller stores it only if Publish succeeds,
	// and it may be lost. It is nil if credentials are not stored.
	Learn func(name, value string)

	// Taken reports whether the post with this network id belongs to another target, or
	// to another part of this one. Only Find uses it; it is nil elsewhere.
	Taken func(platformPostID string) (bool, error)
}

// IsTaken reports what Taken reports. Without Taken, no post is taken.
func (r *Request) IsTaken(platformPostID string) (bool, error) {
	if r.Taken == nil {
		return false, nil
	}
	return r.Taken(platformPostID)
}

// Learned stores a credential as [Request.Learn] does, if something is stored.
func (r *Request) Learned(name, value string) {
	if r.Learn != nil && r.Credentials[name] != value {
		r.Learn(name, value)
	}
}

// Texts returns the text of the request and the alt texts of its files.
func (r *Request) Texts() []string {
	texts := []string{r.Content}
	for _, f := range r.Files {
		texts = append(texts, f.AltText)
	}
	return texts
}

// Error says why a network did not publish, or that it may have published.
type Error struct {
	Kind       schedctl.ErrorKind
	Code       string           // the network's own code, or schedctl's; may be empty
	Message    string           // for users; contains no content and no credentials
	Words      string           // what the network said, as in Message; empty if it said nothing
	HTTPStatus int              // 0 if there was no HTTP response
	Outcome    schedctl.Outcome // not_published or unknown
	RetryAt    time.Time        // when the network allows a retry, or zero
	MaxBytes   int64            // with [CodeFileTooLarge]: how many bytes the network takes, or 0
	Err        error            // the cause, for the log
}

// Error returns the kind and the message.
func (e *Error) Error() string { return string(e.Kind) + ": " + e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// AsError returns err as an [*Error]. Any other error is a bug in the publisher; it
// becomes an error with an unknown outcome.
func AsError(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return &Error{Kind: schedctl.KindUnknown, Message: "the publisher returned no usable result", Outcome: schedctl.OutcomeUnknown, Err: err}
}

// NotPublished returns err with the outcome not_published, for requests that do not
// publish.
func NotPublished(err error) error {
	e := *AsError(err)
	e.Outcome = schedctl.OutcomeNotPublished
	return &e
}

// UnknownOutcome returns err with the outcome unknown, as a [Finder] must, or nil.
func UnknownOutcome(err error) error {
	if err == nil {
		return nil
	}
	e := *AsError(err)
	e.Outcome = schedctl.OutcomeUnknown
	return &e
}

// Doubtful returns the error of a [Finder] that has found several posts that may be the
// one, or nil for less than two.
func Doubtful(matches int, message string) error {
	if matches < 2 {
		return nil
	}
	return &Error{Kind: schedctl.KindUnknown, Code: "doubtful", Outcome: schedctl.OutcomeUnknown, Message: message}
}

// CannotAsk returns the error of a [Finder] that can never determine whether the post was
// published.
func CannotAsk(why string) error {
	return &Error{Kind: schedctl.KindPlatform, Code: CodeCannotAsk, Message: why, Outcome: schedctl.OutcomeUnknown}
}

// Registry maps platform names to publishers.
type Registry map[string]Publisher

// NewRegistry returns a registry of the given publishers.
func NewRegistry(publishers ...Publisher) Registry {
	r := make(Registry, len(publishers))
	for _, p := range publishers {
		r[p.Platform()] = p
	}
	return r
}
