package usecase

import (
	"context"
	"errors"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/connect"
	"github.com/schedctl/schedctl/daemon/media"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/slots"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/blob"
)

// Service decides about requests for which it has to know networks and files.
type Service struct {
	Publishers publish.Registry
	Connector  *connect.Connector // asks networks about accounts
	Limits     media.Limits
	FetchCard  FetchCard
	Blobs      BlobStats // finds out whether files still exist; nil to assume it

	MaxLateness time.Duration // how late a target may still be published
	NoResults   bool          // the daemon reads no results
}

// BlobStats describes blobs, without reading them. See [blob.Store].
type BlobStats interface {
	Stat(context.Context, blob.Key) (blob.Info, error)
}

// View calls a function with a snapshot.
type View func(func(storage.Reader) error) error

// Decision decides about one request for a post or a series. A change is decided twice: on
// a snapshot, where texts are measured, and in the transaction that stores the result.
// Measuring can take long for many accounts, and a transaction blocks other writers. Both
// are repeated if the transaction finds that something has changed; see [Again].
//
// Accounts with equal settings share a measurement. A Decision belongs to one goroutine.
type Decision struct {
	service *Service
	request *Request
	view    View           // of a snapshot, or of the transaction
	r       storage.Reader // what view reads; nil if it reads a new snapshot each time
	tx      storage.Tx     // nil outside of the transaction

	measured map[checkKey]publish.Check
	lengths  map[string]int // code points, by text
	further  bool           // the texts are those of a variant after the first one
	effort   int            // for variants and parts after the first one; see maxEffort
	merged   mergedOptions

	assets  []schedctl.MediaAsset // that were read
	queueID string                // of the slot that the post takes; chosen on the snapshot
	names   seriesNames           // of the workspace

	cards      map[string]schedctl.LinkPreview // fetched ones, by their link
	cardWanted string                          // the link whose card is to be fetched next; empty for none
	cardPublic bool                            // from public addresses only
}

// Decide returns a Decision about a request. A new post reads snapshots with view, and only
// if it needs one. For a change, call [Decision.On] and [Decision.In].
func (s *Service) Decide(c *Request, view View) *Decision {
	return &Decision{service: s, request: c, view: view, measured: map[checkKey]publish.Check{}, lengths: map[string]int{}}
}

// On makes d decide on a snapshot.
func (d *Decision) On(r storage.Reader) {
	d.r, d.tx, d.assets = r, nil, nil
	d.view = func(fn func(storage.Reader) error) error { return fn(r) }
}

// In makes d decide in a transaction, and store the result.
func (d *Decision) In(tx storage.Tx) {
	d.On(tx)
	d.tx = tx
}

// errUnmeasured means that a transaction needs the check of a text that was not measured
// on the snapshot before, because the post or an account has changed.
var errUnmeasured = errors.New("a text was not measured before the transaction")

// Again reports whether err means that something has changed between the snapshot and the
// transaction, so that both have to be repeated.
func Again(err error) bool {
	return errors.Is(err, errUnmeasured) || errors.Is(err, slots.ErrQueueGone) || errors.Is(err, storage.ErrPolicyChanged)
}
