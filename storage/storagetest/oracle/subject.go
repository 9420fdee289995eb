package oracle

import "time"

// Subject is what a script is played on: an engine with the rules of package schedctl,
// or a daemon behind its API. Its methods are called sequentially.
type Subject interface {
	// World returns the state before the first step.
	World() World

	// Now returns the subject's time.
	Now() time.Time

	// Do executes one request.
	Do(Request) Response

	// Account changes an account as its owner does, and returns the error code of a
	// refusal.
	Account(op AccountOp, id string) (code string)

	// Mood sets how the network of an account responds from now on.
	Mood(accountID string, m Mood)

	// Pass lets time pass, with everything that becomes due.
	Pass(time.Duration)

	// Restart stops the daemon cleanly, and restarts it after the given time.
	Restart(down time.Duration)

	// Settle waits until the daemon has no work that is due. It returns the exchanges
	// with networks since its last call.
	Settle() []Exchange

	// Look returns the whole visible state.
	Look() State
}

// World is the state before the first step: two workspaces with connected accounts, and
// API keys.
type World struct {
	Accounts []Account
	Keys     []Key
	Assets   []Asset // none if the subject does not support media
	Full     bool    // the subject also supports preconditions and validation

	// SlotEvery is the distance between the slots of the queue of all accounts, which
	// start SlotOffset after the Unix epoch. It is 0 if the subject does not support queues.
	// The offset makes the times of slots differ from the other times of most scripts.
	SlotEvery, SlotOffset time.Duration
}

// Account is an account as clients see it.
type Account struct {
	ID, Workspace string
	Status        string
	PausedUntil   time.Time
	Idempotent    bool // its network recognizes repeated calls
	Whole         bool // its network takes a thread with its first comment in one call
}

// Asset is a media asset that is ready, and that never changes.
type Asset struct{ ID, Workspace string }

// Key is an API key.
type Key struct {
	Name, Workspace string
	Scopes          []string
	Accounts        []string // accounts that it is limited to; none for all
}

// Request is one client request. Post is the id of its post.
type Request struct {
	Op   Op
	Key  int // index in the world's keys
	Post string

	Content *string
	Media   *[]string // ids of assets
	Changes
	Accounts *[]string
	At       time.Time // publish_at, unless one of the next three is set
	Now      bool      // publish_at "now"
	Null     bool      // publish_at null
	NextSlot bool      // publish_at "next-slot"
	Targets  []string
	Force    bool

	Match string // If-Match; empty for none
	Once  string // Idempotency-Key; empty for none

	Query  Query
	Cursor string
}

// Op is the operation of a request.
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

// AccountOp is an owner's operation on an account.
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

// Response is the response to a request.
type Response struct {
	Code     string // error code of a refusal, else empty
	Status   int    // HTTP status; 0 for subjects without HTTP
	ETag     string
	Replayed bool
	Body     string // exact body; empty for subjects without HTTP

	Post     *Post
	Posts    []Post        // of a list
	Next     string        // of a list: the cursor of the next page
	Timeline *PostTimeline // of a timeline
	Allowed  bool          // of a validation
}

// Post is a post as clients see it.
type Post struct {
	ID, Workspace, Content, Status string
	Media                          []string // ids of assets
	Extras
	PublishAt            time.Time // zero for null, also below
	Targets              []Target
	Version              int64
	CreatedAt, UpdatedAt time.Time
}

// Target is a target as clients see it.
type Target struct {
	ID, Account, Status                   string
	PublishAt, NextAttemptAt, PublishedAt time.Time
	Attempts                              int
	Error                                 Fault // the zero value for null
	Parts                                 []PartState
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
	Parts                                  int // published parts of a target with several
}

// PostTimeline is a post's timeline: the types of its events, and the attempts of each
// target, in target order.
type PostTimeline struct {
	Events   []string
	Attempts [][]Attempt
}

// Attempt is one call to a network as shown in a timeline.
type Attempt struct {
	Number     int
	Start, End time.Time
	Outcome    string
}

// Exchange is the start or end of a call to a network.
type Exchange struct {
	At      time.Time
	Target  string
	Content string   // at the start of a call
	Media   []string // likewise; ids of assets
	Sent    Sent     // likewise
	Result  *Result
}

// Result is the result of a call.
type Result struct {
	Published     bool
	Has           bool      // the network has the post, whatever it responded
	Kind, Outcome string    // of a call that did not report success
	RetryAt       time.Time // retry time given by the network, or zero

	// Of a call that reported success: the network's ids of the parts, and a code if the
	// network changed them. With the code reply, replies have lost their parent.
	IDs      []string
	Degraded string
}

// Due is an entry of the due index.
type Due struct {
	At     time.Time
	Target string
}

// State is everything that can be observed of a subject.
type State struct {
	Posts    []Post  // of both workspaces
	Due      []Due   // in index order
	Events   []Event // since the last Look, in order
	Accounts []Account
	Uses     []Use // of the world's assets, in any order

	Publications []Publication // some ids of networks
	Twins        []Twins       // of some targets
}

// Publication is the network's id of a part, with the targets that the store knows for
// it.
type Publication struct {
	ID      string
	Targets []string
}

// Twins are the posts that bring an account what a target publishes.
type Twins struct {
	Target string
	Posts  []string
}

// Use is a post that uses an asset.
type Use struct{ Asset, Post string }
