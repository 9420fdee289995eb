// Package publish says what schedctl asks of a social network. Each network is
// a package below this one; publish/all lists them, and publish/publishtest has
// the suite that each of them passes.
//
// A publisher makes one call and tells the truth about it. It never retries,
// sleeps or remembers: that is package deliver's, which also decides what an
// error means for the post. What a publisher must get right is the outcome of a
// call that failed: OutcomeNotPublished only when the network cannot have the
// post, else OutcomeUnknown.
package publish

import (
	"context"
	"errors"
	"time"

	"github.com/schedctl/schedctl"
)

// Publisher is one network. Its methods may be called from any goroutine.
type Publisher interface {
	// Platform returns the name that accounts carry, such as "mastodon".
	Platform() string

	// Fields lists the credentials and options that Connect takes.
	Fields() []Field

	// Connect checks credentials and options and asks the network who they are
	// for. It publishes nothing. Errors are an [*Error]: kind content for a
	// missing, malformed or unknown field (Code is then the field's name), auth
	// when the network refuses the credentials, network when it is out of reach.
	Connect(ctx context.Context, c Connection) (Profile, error)

	// Check tells, without a call, how long the network counts the content to be
	// and whether the network takes it. Of the account it looks at the limits and
	// at the options, which are those of the post: the account's own, with what
	// the post overrides.
	Check(account schedctl.Account, content string) Check

	// Publish makes one call that publishes the request's content. The error is
	// an [*Error]. A ctx that ends during the call is an unknown outcome.
	Publish(ctx context.Context, r Request) (schedctl.Receipt, error)
}

// Finder is a publisher that can ask its network whether an earlier call
// published.
type Finder interface {
	// Find looks for the post of a request whose attempt began at since, or at any
	// time when that is zero. When it is not there, found is false: the caller may send it again. An error means
	// that the network could not be asked; with [CodeCannotAsk], that it never can.
	Find(ctx context.Context, r Request, since time.Time) (receipt schedctl.Receipt, found bool, err error)
}

// ContentFinder is a [Finder] that recognizes a post by its content alone: of two
// posts with the same content it cannot tell whose is whose. Find passes over those
// that Request.Taken reports.
type ContentFinder interface {
	Finder

	// MayConfuse reports whether Find may take the post of one content for that of
	// the other.
	MayConfuse(a, b string) bool
}

// PromptFinder is a [Finder] whose network recognizes a repeated call by
// Request.Key for a while, even if the first call is still at work. So the network
// can be asked soon after a call with an unknown outcome: should the post turn up
// after it was not found, sending it again with the same key and the same
// credentials still makes no second one. Of others it is waited for a minute, until
// no call can be at work any more.
type PromptFinder interface {
	Finder

	// FindAfter returns how long after such a call Find may first be called.
	FindAfter() time.Duration
}

// Idempotent is a publisher whose network recognises a repeated call by
// Request.Key, so that a call with an unknown outcome can be repeated.
type Idempotent interface {
	Idempotent(schedctl.Account) bool
}

// Pacer is a publisher with its own space between overdue posts of one account;
// others are given one second.
type Pacer interface {
	Pacing() time.Duration
}

// Keyer is a publisher whose network takes keys of a form of its own. Others are
// given the id of the target.
type Keyer interface {
	// NewKey returns a key for a target whose first attempt begins now. It is
	// stored with the attempt, and every later call that may repeat it is given
	// the same one.
	NewKey(now time.Time) string
}

// Refresher is a publisher whose network gives out sessions that expire. Its
// calls end with [CodeSessionExpired] then, and are made again with what Refresh
// returns.
type Refresher interface {
	// Refresh returns the credentials with a new session. An error of kind auth
	// means that the network refuses the account for good.
	Refresh(ctx context.Context, c Credentials) (Credentials, error)
}

// CodeCannotAsk is the code of an error of a [Finder] that will not be able to
// tell, however often it is asked.
const CodeCannotAsk = "cannot_ask"

// CodeSessionExpired is the code of an [*Error] of kind auth and outcome
// not_published that a [Refresher] may cure.
const CodeSessionExpired = "session_expired"

// Field describes one credential or option.
type Field struct {
	Name     string
	Secret   bool
	Required bool
	Option   bool   // an option, not a credential
	Post     bool   // an option that a post may override
	Help     string // a few words for people
}

// Credentials are what an account is connected with, by field name.
type Credentials map[string]string

// Connection is what an account shall be connected with.
type Connection struct {
	Name        string // chosen by the user; may be empty
	Credentials Credentials
	Options     schedctl.Options
}

// Profile is who a network says an account is.
type Profile struct {
	Username    string
	DisplayName string
	URL         string
	Limits      schedctl.Limits

	// Identity tells who posts, and where to, from all others of the platform, in
	// words of the network that do not change: a user and a room, or the channel of
	// a webhook. An account keeps its identity when it is connected again. Empty
	// where URL and Username say enough.
	Identity string

	// Credentials are to be stored instead of those that were given, because they
	// hold a session as well; nil when there is nothing to add.
	Credentials Credentials
}

// Check is what is known of a content without asking the network.
type Check struct {
	Length   int      // as the network counts it, in Unit
	Limit    int      // 0 for none
	Unit     string   // "characters", "graphemes" or "bytes"
	Problems []*Error // why it will be refused: kind content; Code is too_long, empty or the name of an option
	Warnings []string // what the author may want to know
}

// Measured returns the check of a content of the given length, with a problem
// when it is longer than the limit.
func Measured(length, limit int, unit string) Check {
	c := Check{Length: length, Limit: limit, Unit: unit}
	if limit > 0 && length > limit {
		c.Problems = append(c.Problems, Contentf("too_long", "the post has %d %s and the network takes %d; shorten it", length, unit, limit))
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

// Request is one post for one account.
type Request struct {
	TargetID    string
	PostID      string
	Content     string
	PublishAt   time.Time
	Attempt     int              // 1 for the first
	Key         string           // the same for every attempt of the target
	Account     schedctl.Account // without credentials; its options are those of the post
	Credentials Credentials

	// Taken reports whether a post, by the id that the network gives it, belongs to
	// another target. It is for Find, and nil elsewhere.
	Taken func(platformPostID string) (bool, error)
}

// Error says why a network did not publish, or that it may have.
type Error struct {
	Kind       schedctl.ErrorKind
	Code       string           // the network's own code, or ours; may be empty
	Message    string           // for people; without content and credentials
	HTTPStatus int              // 0 when there was no HTTP answer
	Outcome    schedctl.Outcome // not_published or unknown
	RetryAt    time.Time        // when the network said to return, or zero
	Err        error            // the cause, for the log
}

// Error returns the kind and the message.
func (e *Error) Error() string { return string(e.Kind) + ": " + e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// AsError returns err as an [*Error]. Anything else that a publisher returned
// is a fault of its own with an unknown outcome.
func AsError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Kind: schedctl.KindUnknown, Message: "the publisher ended without a usable answer", Outcome: schedctl.OutcomeUnknown, Err: err}
}

// Registry finds a publisher by its platform.
type Registry map[string]Publisher

// NewRegistry returns a registry of the given publishers.
func NewRegistry(publishers ...Publisher) Registry {
	r := make(Registry, len(publishers))
	for _, p := range publishers {
		r[p.Platform()] = p
	}
	return r
}
