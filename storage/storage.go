// Package storage says what schedctl asks of a database. It holds the contract
// alone; storage/bolt is the engine on one file, and storage/storagetest has
// the suite that every engine passes.
//
// The engine keeps records and their indexes; it knows no rules. What may
// happen to a post is decided by package schedctl, inside a transaction that
// the caller composes:
//
//	err := store.Update(ctx, func(tx storage.Tx) error {
//		post, err := tx.Post(workspace, id)
//		if err != nil {
//			return err
//		}
//		events, err := post.Cancel(now)
//		if err != nil {
//			return err
//		}
//		return errors.Join(tx.PutPost(post), tx.AddEvents(events...))
//	})
//
// The due index, the list indexes and the published index follow from the posts
// that are put: no caller writes them, so none can forget to.
package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/schedctl/schedctl"
)

// Opening a database fails with one of these, wrapped with the path and advice,
// and then has changed nothing.
var (
	ErrLocked  = errors.New("another process has the database open")
	ErrForeign = errors.New("not a schedctl database")
	ErrCorrupt = errors.New("the database is damaged")
	ErrNewer   = errors.New("the database was written by a newer schedctl")

	// Of servers.
	ErrUnreachable = errors.New("the database cannot be reached")
	ErrReadOnly    = errors.New("the database takes no writes")
	ErrStandby     = fmt.Errorf("%w: the server is a standby", ErrReadOnly)
	ErrBusy        = errors.New("all connections to the database are in use")
	ErrPooler      = errors.New("a pooler gives every transaction another session of the database")
)

// Explain returns what a client or an operator may know of the reason why a
// database does not do what it is asked: a sentence without names and addresses,
// or an empty text.
func Explain(err error) string {
	switch {
	case errors.Is(err, ErrBusy):
		return "all connections of the daemon to its database are in use, or a pooler gives it fewer than it needs"
	case errors.Is(err, ErrStandby):
		return "the server of the database is a standby, which takes no writes; connect the daemon to the primary"
	case errors.Is(err, ErrReadOnly):
		return "the database takes no writes, because default_transaction_read_only is on; the daemon goes on by itself when it is off"
	case errors.Is(err, ErrPooler):
		return "a pooler gives every transaction of the daemon another session of the database; add pool_mode=transaction to the URL of the database"
	case errors.Is(err, ErrUnreachable):
		return "the database cannot be reached; the daemon goes on by itself when it can, and its log says why"
	}
	return ""
}

// ErrClosed is returned by every method of a closed store.
var ErrClosed = errors.New("the store is closed")

// ErrUnknownOutcome is wrapped by the error of an Update or Record that may have
// been committed, or may still be, when the database could not be asked. Any other
// error means that nothing was committed and nothing will be.
var ErrUnknownOutcome = errors.New("it is not known whether the database has stored this")

// ErrBroken is why a daemon ends whose store can write nothing any more until it
// is opened anew. It is the [context.Cause] that its parts end with: what they
// would record is not to be waited for.
var ErrBroken = errors.New("the database can write nothing any more")

// Store is a database. All methods may be called from any goroutine.
//
// Records that go in and come out are the caller's own copies. A record that is
// not there is a [*schedctl.Error] with code NOT_FOUND, and so is an id that no
// schedctl could have made. Any other error means that the database did not do
// what was asked, and nothing of it.
type Store interface {
	// View calls fn with a consistent snapshot and returns what fn returns. The
	// reader is valid until fn returns. fn must not call Update. Reads of many
	// records stop soon after ctx ends.
	View(ctx context.Context, fn func(Reader) error) error

	// Update calls fn in a transaction and returns after its commit is on disk.
	// When fn returns an error, that error is returned and nothing fn wrote
	// exists. Transactions are serial: what fn reads cannot change before its
	// commit.
	//
	// fn runs on another goroutine and may run more than once, also after a
	// first run that reported no error; it must touch nothing but its
	// transaction and variables that it sets anew in every run, must not block
	// and must not call the store. A ctx that ends before fn has begun returns
	// its error and fn never runs; later it changes nothing.
	//
	// A database that is full refuses with a [*FullError], mostly without a call
	// of fn, until there is room again. It finds that out by itself.
	Update(ctx context.Context, fn func(Tx) error) error

	// UpdateFromReserve is Update for what has happened and would be lost: what came of a
	// call to a network or a webhook, a session that a network gave out. An
	// engine keeps room for it, so that it goes on for a while where Update is
	// refused. It is also for what makes room, and for what writes nothing. It is
	// not for what begins something that has to be recorded in its turn: a call
	// that is made while Updates are refused may stay without a record.
	UpdateFromReserve(ctx context.Context, fn func(Tx) error) error

	// Full returns nil, or the [*FullError] that an Update would be refused with
	// now. It never blocks and costs next to nothing.
	Full() error

	// Notify registers the one function that is told of every commit, after it
	// is on disk and before its Update returns, in commit order. It must be
	// called before the first Update, and the function must not block nor call
	// the store.
	Notify(func(Commit))

	// Close waits for the transactions that have begun and releases the
	// database. It may be repeated.
	Close() error
}

// FullError says that there is no room for a transaction: the disk is full, or a
// limit on how large the database may be is reached. Nothing of the transaction
// was done.
type FullError struct {
	Where string // what is full, as an operator knows it: a directory, say
	Err   error  // what the system said
}

// Error says what is full, and what the system said.
func (e *FullError) Error() string { return fmt.Sprintf("no space left in %s: %v", e.Where, e.Err) }

// Unwrap returns what the system said.
func (e *FullError) Unwrap() error { return e.Err }

// IsFull reports whether an error says that there is no room.
func IsFull(err error) bool {
	var full *FullError
	return errors.As(err, &full)
}

// Commit tells what one group of transactions did.
type Commit struct {
	Due      []schedctl.Due // waiting entries that were added to the due index
	Accounts []string       // ids of accounts that were put
	Webhooks []string       // ids of webhooks that were put or deleted
	Events   int            // events that were added
	Took     time.Duration  // how long the engine took to bring the group to disk

	// Elsewhere says that other processes on the same database have done it, a
	// moment ago; Took is zero then. Missed says that they have done more than is
	// known: who keeps in memory what others can change has to read it anew.
	Elsewhere, Missed bool
}

// Copier is implemented by engines that can be copied while they are used.
type Copier interface {
	// Copy writes the whole database as it is at one moment, in the form that
	// the engine opens, and returns how many bytes it wrote. Transactions go on
	// meanwhile.
	Copy(ctx context.Context, w io.Writer) (int64, error)
}

// Reader reads one snapshot. See [Exporter] for what copies of a database need beside.
type Reader interface {
	// Post returns a post of the workspace.
	Post(workspaceID, id string) (schedctl.Post, error)

	// PostByExternalID returns the post of the workspace that has the external id.
	PostByExternalID(workspaceID, externalID string) (schedctl.Post, error)

	// Posts returns one page of a workspace's posts. Its cost depends on the
	// size of the page and its Offset, and not on how many posts there are. With
	// Search, with Labels, with an account and a collection, or with publish bounds
	// under a sort by creation, it reads at most ScanLimit posts and about ScanBytes of their contents. It ends after about
	// PageBytes of text. A page may thus be short and still have a Next. It
	// returns the error of a context that ends meanwhile.
	Posts(PostQuery) (PostPage, error)

	// Route says whose a target is.
	Route(targetID string) (Route, error)

	// Due calls fn for every entry of the due index from the given one on
	// (inclusive), by time and then target, until fn returns false.
	Due(from schedctl.Due, fn func(schedctl.Due) bool) error

	// Attempts returns the attempts of a target, the first one first.
	Attempts(targetID string) ([]schedctl.Attempt, error)

	// LatestAttempts returns the latest attempts of each of the targets, at most
	// limit of a target, in order of target and number. Its cost does not depend
	// on how many others there are.
	LatestAttempts(targetIDs []string, limit int) ([]schedctl.Attempt, error)

	// RunningAttempts returns all attempts without an end, the oldest first.
	RunningAttempts() ([]schedctl.Attempt, error)

	// PublishedAs returns for each of some posts of networks the ids of the targets
	// that are published as it, in order: targets of all accounts that have the
	// identity now. A post with an empty id or an empty login is of no target. Of
	// transactions that ask about the same post, one waits for the end of the other.
	PublishedAs([]PlatformPost) ([][]string, error)

	// SameContent returns the ids of posts by which the account has a content, in
	// order of their times. See [schedctl.Target.Occupies]. Its cost depends on the
	// number of posts that it returns, and not on how many others there are.
	SameContent(ContentQuery) ([]string, error)

	// PublishedTargets returns up to limit publications of an account, the
	// newest first, beginning after the given one; the zero value begins at the
	// newest.
	PublishedTargets(accountID string, after PublishedTarget, limit int) ([]PublishedTarget, error)

	// Account returns an account of the workspace.
	Account(workspaceID, id string) (schedctl.Account, error)

	// Accounts returns the accounts of a workspace in order of creation,
	// disconnected ones included.
	Accounts(workspaceID string) ([]schedctl.Account, error)

	// Feed returns the account of platform "feed", not disconnected, with this
	// name, of whatever workspace: feed names are unique in the database.
	Feed(name string) (schedctl.Account, error)

	// IdempotencyRecord returns the stored answer to a request. Without one, and after
	// [Shared.Refuse] for the same request, the error is a [*RefusedError], which
	// has the code NOT_FOUND too.
	IdempotencyRecord(IdempotencyScope) (IdempotencyRecord, error)

	// AccountsOf returns the accounts of all workspaces that have one of the
	// identities, disconnected ones included, in order of their ids. Unlike what else
	// a transaction reads, they can change before its commit.
	AccountsOf(identities []schedctl.Identity) ([]schedctl.Account, error)

	// Workspace returns a workspace, Workspaces all of them in order of creation.
	Workspace(id string) (schedctl.Workspace, error)
	Workspaces() ([]schedctl.Workspace, error)

	// KeyByHash returns the API key whose secret has this SHA-256, revoked and
	// expired ones included.
	KeyByHash(hash [32]byte) (schedctl.APIKey, error)

	// Keys returns the API keys of a workspace in order of creation.
	Keys(workspaceID string) ([]schedctl.APIKey, error)

	// Events returns up to limit events in the order of the outbox, beginning
	// after the given one; an empty id begins at the oldest kept. No event ever
	// comes before one that was returned already. It is the order of ids as far as
	// those are made in the transactions of one process; of several processes the
	// ids can be out of order by what their clocks differ: who has to compare places
	// in the outbox asks Later.
	Events(afterID string, limit int) ([]schedctl.Event, error)

	// Event returns an event, and LastEvent the id of the youngest one, empty when
	// there is none.
	Event(id string) (schedctl.Event, error)
	LastEvent() (string, error)

	// Later returns that one of two ids behind which Events begins later, and the
	// first one when there is no difference. Neither has to be of an event that is
	// there; empty ids are before all.
	Later(a, b string) (string, error)

	// PostEvents returns the latest events about a post in order of their ids,
	// at most limit of them; also those of a post that was deleted. Its cost
	// does not depend on how many others there are. Which events are the latest is
	// known up to those that were added by one transaction.
	PostEvents(postID string, limit int) ([]schedctl.Event, error)

	// Webhook returns a webhook of the workspace, Webhooks all of them in order
	// of creation.
	Webhook(workspaceID, id string) (schedctl.Webhook, error)
	Webhooks(workspaceID string) ([]schedctl.Webhook, error)

	// Delivery returns a delivery of the webhook.
	Delivery(webhookID, id string) (schedctl.Delivery, error)

	// Deliveries returns up to limit deliveries of a webhook, the youngest first,
	// beginning after the given id; an empty id begins at the youngest.
	Deliveries(webhookID, afterID string, limit int) ([]schedctl.Delivery, error)

	// PendingDeliveries returns up to limit pending deliveries of a webhook in
	// order of their next attempts.
	PendingDeliveries(webhookID string, limit int) ([]schedctl.Delivery, error)

	// Audit returns up to limit audit entries of a workspace, the youngest first,
	// beginning after the given id; an empty id begins at the youngest.
	Audit(workspaceID, afterID string, limit int) ([]schedctl.AuditEntry, error)

	// Metadata returns what is noted of the database itself under a name, nil when
	// nothing is.
	Metadata(name string) ([]byte, error)
}

// Tx reads and writes in one transaction; it sees its own writes.
type Tx interface {
	Reader

	// PutPost creates or replaces a post and brings every index in line with
	// it. A put under an existing id keeps workspace and creation time. An external
	// id that another post of the workspace has is EXTERNAL_ID_EXISTS; see
	// [ExternalIDExists].
	PutPost(schedctl.Post) error

	// DeletePost removes a post, its index entries and the attempts of its
	// targets.
	DeletePost(workspaceID, id string) error

	// PutAttempt creates or replaces an attempt, by target and number.
	PutAttempt(schedctl.Attempt) error

	// PutAccount creates or replaces an account. A name that another account of
	// the workspace has (a feed: another feed of the database), disconnected
	// ones apart, is VALIDATION_FAILED on field "name".
	PutAccount(schedctl.Account) error

	// PutWorkspace creates or replaces a workspace.
	PutWorkspace(schedctl.Workspace) error

	// PutKey creates or replaces an API key. Its hash never changes.
	PutKey(schedctl.APIKey) error

	// PutIdempotencyRecord stores the answer to a request.
	PutIdempotencyRecord(IdempotencyScope, IdempotencyRecord) error

	// AddEvents appends to the outbox. The ids must be new.
	AddEvents(...schedctl.Event) error

	// OutboxEnd returns an id behind which Events begins with what is committed from
	// now on, and with what the transaction adds from now on. It may begin with what
	// was committed a moment before. No event has this id.
	OutboxEnd() (string, error)

	// PutWebhook creates or replaces a webhook. An id that a webhook of another
	// workspace has is NOT_FOUND.
	PutWebhook(schedctl.Webhook) error

	// DeleteWebhook removes a webhook. Its deliveries stay until Prune removes
	// them, and none of them is pending any more: those that were are read as
	// failed. It costs the same however many there are.
	DeleteWebhook(workspaceID, id string) error

	// PutDelivery creates or replaces a delivery. A webhook that is not there is
	// NOT_FOUND.
	PutDelivery(schedctl.Delivery) error

	// AddAudit appends to the audit log. The id must be new.
	AddAudit(schedctl.AuditEntry) error

	// PutMetadata notes something of the database itself under a name, of at most
	// MaxNote bytes; nil removes it. It is for what a daemon needs to know before it
	// uses a database.
	PutMetadata(name string, value []byte) error

	// Prune removes at most limit records that are older than they are kept, and
	// deliveries of webhooks that are gone, and returns how many it removed.
	Prune(before Retention, limit int) (int, error)
}

// MaxMetadata is the most bytes that a note has.
const MaxMetadata = 4096

// Retention says of what age records are past keeping: those from before these
// times. A zero time keeps all.
type Retention struct {
	IdempotencyRecords, Events, Deliveries, Audit time.Time

	// Now is what time it is, or zero. Records that are dated later were made
	// while the clock was ahead: they stay, and those that follow do not stay for
	// them.
	Now time.Time
}

// InFuture reports whether a time is later than what time it is.
func (r *Retention) InFuture(t time.Time) bool { return !r.Now.IsZero() && t.After(r.Now) }
