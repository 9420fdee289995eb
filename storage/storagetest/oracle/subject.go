package oracle

import "time"

// Subject is what a script is played on: an engine with the rules of package
// schedctl, or a daemon behind its API. Its methods are called one after the
// other.
type Subject interface {
	// World returns what is there before the first step.
	World() World

	// Now returns the subject's time.
	Now() time.Time

	// Do answers one request.
	Do(Request) Response

	// Account changes an account as its owner does, and reports the code of a
	// refusal.
	Account(op AccountOp, id string) (code string)

	// Mood sets how the network of an account answers from now on.
	Mood(accountID string, m Mood)

	// Pass lets time go by, and all happen that is due meanwhile.
	Pass(time.Duration)

	// Restart ends the daemon in order, and starts it again after the time.
	Restart(down time.Duration)

	// Settle returns when nothing is left to happen at this moment, with what
	// has been exchanged with networks since it was last called.
	Settle() []Exchange

	// Look returns all that can be seen.
	Look() State
}

// World is what there is before the first step: two workspaces, their accounts,
// all of them connected, and API keys.
type World struct {
	Accounts []Account
	Keys     []Key
	Full     bool // the subject also has preconditions and validation
}

// Account is one account as it can be seen.
type Account struct {
	ID, Workspace string
	Status        string
	PausedUntil   time.Time
	Idempotent    bool // its network recognises a repeated call
}

// Key is an API key.
type Key struct {
	Name, Workspace string
	Scopes          []string
	Accounts        []string // that it is limited to; none for all
}

// Request is one call of a client. Post names the one that the call is about.
type Request struct {
	Op   Op
	Key  int // index in the world's keys
	Post string

	Content  *string
	Accounts *[]string
	At       time.Time // publish_at; or one of the next two
	Now      bool      // publish_at "now"
	Null     bool      // publish_at null
	Targets  []string
	Force    bool

	Match string // If-Match; empty for none
	Once  string // Idempotency-Key; empty for none

	Query  Query
	Cursor string
}

// Op is what a request asks for.
type Op string

// The operations.
const (
	Create   Op = "create"
	Edit     Op = "edit"
	Schedule Op = "schedule"
	Publish  Op = "publish-now"
	Cancel   Op = "cancel"

	Unschedule Op = "unschedule"

	Retry    Op = "retry"
	Delete   Op = "delete"
	Get      Op = "get"
	Timeline Op = "timeline"
	List     Op = "list"
	Validate Op = "validate"
)

// AccountOp is what an owner does with an account.
type AccountOp string

// The operations on accounts.
const (
	Disconnect AccountOp = "disconnect"
	Reconnect  AccountOp = "reconnect"
	Verify     AccountOp = "verify"
)

// Query selects posts, as the parameters of GET /posts do.
type Query struct {
	Statuses      []string
	Account       string
	After, Before time.Time
	Text          string
	Sort          string // empty for "-created_at"
	Limit, Offset int
}

// Response is the answer to a request.
type Response struct {
	Code     string // of a refusal, else empty
	Status   int    // HTTP; 0 where there is none
	ETag     string
	Replayed bool
	Body     string // byte for byte; empty where there is none

	Post     *Post
	Posts    []Post        // of a list
	Next     string        // of a list: the cursor of the next page
	Timeline *PostTimeline // of a timeline
	Allowed  bool          // of a validation
}

// Post is a post as it can be seen.
type Post struct {
	ID, Workspace, Content, Status string
	PublishAt                      time.Time // zero for null, here and below
	Targets                        []Target
	Version                        int64
	CreatedAt, UpdatedAt           time.Time
}

// Target is a target as it can be seen.
type Target struct {
	ID, Account, Status                   string
	PublishAt, NextAttemptAt, PublishedAt time.Time
	Attempts                              int
	Error                                 Fault // the zero value for null
}

// Fault is the error of a target.
type Fault struct {
	Kind, Outcome string
	Retryable     bool
}

// Event is an event of the outbox.
type Event struct {
	Type, Workspace, Post, Target, Account string
	Status                                 string
	At                                     time.Time
	Error                                  Fault
}

// PostTimeline is a post's timeline: the types of its events, and the attempts of each
// target, in the order of the post's targets.
type PostTimeline struct {
	Events   []string
	Attempts [][]Attempt
}

// Attempt is one call to a network as a timeline shows it.
type Attempt struct {
	Number     int
	Start, End time.Time
	Outcome    string
}

// Exchange is a call to a network that began, or ended.
type Exchange struct {
	At      time.Time
	Target  string
	Content string // of a call that began
	Result  *Result
}

// Result is how a call ended.
type Result struct {
	Published     bool
	Has           bool      // the network has the post, whatever it says
	Kind, Outcome string    // of a call that was not told to have published
	RetryAt       time.Time // when the network said to return, or zero
}

// Due is an entry of the due index.
type Due struct {
	At     time.Time
	Target string
}

// State is all that can be seen of a subject.
type State struct {
	Posts    []Post  // of both workspaces
	Due      []Due   // in the order of the index
	Events   []Event // since the last look, in order
	Accounts []Account
}
