package transfer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/blob"
)

// Afterwards says which database daemons may use after the copy.
type Afterwards int

// The choices.
const (
	// UseCopy allows daemons to use the copy, and no longer the source.
	UseCopy Afterwards = iota

	// UseSource lets daemons continue with the source. The copy must not be used.
	UseSource
)

// Phase is a phase of a copy.
type Phase string

// The phases, in order.
const (
	Reading      Phase = "reading"
	CopyingFiles Phase = "copying files" // only if the database has media
	Copying      Phase = "copying"
	Verifying    Phase = "verifying"
)

// Options are the options of [Run].
type Options struct {
	From, To string // the names of the databases, without passwords
	After    Afterwards

	Batch int // records per read and per transaction; 0 for 500

	Host, Version string // of this program, shown to those who list the nodes of a database
	Now           func() time.Time

	// Blobs, if set, opens the blob stores of the source and the copy. It is called only
	// if the source has media assets. If both are the same store, the blobs are checked
	// and not copied. The caller closes them after Run.
	Blobs func(context.Context) (from, to blob.Store, err error)

	// SkipLost copies a database although blobs of its assets are missing or damaged.
	// Otherwise Run returns a [*LostError].
	SkipLost bool

	// Progress, if set, is called with the number of records (or files) that a phase has processed
	// and their total, which is 0 while unknown. It is also called once at the start of
	// each phase.
	Progress func(phase Phase, done, all int)

	// Place, if set, is called when the copy is complete and verified, before any
	// daemon may use it. It returns the store to use as the copy from then on.
	Place func(context.Context, storage.Store) (storage.Store, error)
}

// Report describes what was copied.
type Report struct {
	Tallies []Tally `json:"records"`
	Records int     `json:"copied"`  // copied in this run
	Resumed bool    `json:"resumed"` // an earlier run had started the copy
	Media   Media   `json:"media"`
}

// Reasons for which a copy cannot start. Errors wrap them with the name of the database.
var (
	ErrNotEmpty = errors.New("the database is not empty")
	ErrStale    = errors.New("it holds an unfinished copy, made from a different database or before a daemon used this database again")
)

// MismatchError means that the copy differs from its source.
type MismatchError struct{ Differences []Difference }

// Error lists the differences.
func (e *MismatchError) Error() string {
	text := "the copy differs from its source:"
	for i, d := range e.Differences {
		if i > 0 {
			text += ","
		}
		text += fmt.Sprintf(" %d %s of %d", d.Copy.Count, d.Source.Kind, d.Source.Count)
		if d.Copy.Count == d.Source.Count {
			text += " with different content"
		}
	}
	return text
}

// progressKey is the metadata key of a copy's progress.
const progressKey = "transfer progress"

// progress is the progress of a copy. It is stored in the transactions that copy the
// records.
type progress struct {
	copyPosition
	Records int `json:"records"` // copied so far
}

// Run copies everything from one database to another, then reads both completely and
// compares them. A second call resumes an interrupted copy. Both stores must be open,
// and no daemon may use either: databases with nodes return a [*BusyError] then.
//
// A source that must not be copied, for example because it was moved, is reported as a
// [*RefusedError]. A copy that differs is reported as a [*MismatchError]; no daemon may
// use it.
//
// Deliveries of deleted webhooks are not copied: they are invisible to clients and
// about to be pruned.
func Run(ctx context.Context, from, to storage.Store, o Options) (Report, error) {
	if o.Batch == 0 {
		o.Batch = 500
	}
	if o.Progress == nil {
		o.Progress = func(Phase, int, int) {}
	}
	r := &run{Options: o, from: from, to: to}
	present, err := join(ctx, &o, from, to)
	if err != nil {
		return Report{}, err
	}
	defer present.leave(ctx)
	r.present = present
	if err := r.start(ctx); err != nil {
		return Report{}, err
	}
	return r.run(ctx)
}

// run is one run of a copy.
type run struct {
	Options
	from, to storage.Store
	present  *membership
	id       string // id of the copy
	resumed  bool
	progress progress
	source   *survey
	media    Media
	sorted   bool // the copy orders events by id although the source does not
}

func (r *run) run(ctx context.Context) (report Report, err error) {
	if err := r.survey(ctx); err != nil {
		return report, fmt.Errorf("read %s: %w", r.From, err)
	}
	if err := r.copyBlobs(ctx); err != nil {
		return report, fmt.Errorf("copy the media files: %w", err)
	}
	before := r.progress.Records
	if err := r.copy(ctx); err != nil {
		return report, fmt.Errorf("copy to %s: %w", r.To, err)
	}
	if err := r.verify(ctx); err != nil {
		return report, fmt.Errorf("verify %s: %w", r.To, err)
	}
	if r.Place != nil {
		if r.to, err = r.Place(ctx, r.to); err != nil {
			return report, err
		}
	}
	if err := r.finish(ctx); err != nil {
		return report, err
	}
	return Report{Tallies: r.source.list(), Records: r.progress.Records - before, Resumed: r.resumed, Media: r.media}, nil
}

// survey counts the records of the source.
func (r *run) survey(ctx context.Context) (err error) {
	r.source = newSurvey(walker{r.Batch})
	if r.source.outbox, err = newOutbox(ctx, r.from); err != nil {
		return err
	}
	return r.source.countAll(ctx, r.from, r.counter(Reading, 0, 0))
}

// counter returns a function that reports the progress of a phase.
func (r *run) counter(phase Phase, done, all int) func(records int) {
	r.Progress(phase, done, all)
	return func(records int) {
		done += records
		r.Progress(phase, done, all)
	}
}

// copy copies the records that were not copied yet.
func (r *run) copy(ctx context.Context) error {
	count := r.counter(Copying, r.progress.Records, r.source.records())
	asked := false
	return walker{r.Batch}.all(ctx, r.from, r.progress.copyPosition, func(k *kind, records []any, behind copyPosition) (err error) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if k.name == kindWebhooks {
			if !asked {
				if r.sorted, err = r.source.outbox.sorted(ctx, r.to); err != nil {
					return err
				}
				asked = true
			}
			records = r.source.outbox.translated(records, r.sorted)
		}
		next := progress{behind, r.progress.Records + len(records)}
		if err := r.put(ctx, k, records, next); err != nil {
			return err
		}
		r.progress = next
		count(len(records))
		return nil
	})
}

// put writes records and the new progress in one transaction.
func (r *run) put(ctx context.Context, k *kind, records []any, next progress) error {
	text, err := json.Marshal(next)
	if err != nil {
		return err
	}
	return r.to.Update(ctx, func(tx storage.Tx) error {
		into, ok := tx.(storage.Importer)
		if !ok {
			return fmt.Errorf("cannot copy to a database of this type (%T)", r.to)
		}
		if err := k.put(into, records); err != nil {
			return err
		}
		return into.PutMetadata(progressKey, text)
	})
}

// verify reads the copy and compares it with the tallies of the source.
func (r *run) verify(ctx context.Context) (err error) {
	if r.sorted, err = r.source.outbox.sorted(ctx, r.to); err != nil {
		return err
	}
	if err := r.source.expectWebhooks(ctx, r.from, r.sorted); err != nil {
		return err
	}
	found := newSurvey(walker{r.Batch})
	if err := found.countAll(ctx, r.to, r.counter(Verifying, 0, r.source.records())); err != nil {
		return err
	}
	if differences := r.source.differences(found, r.sorted); len(differences) > 0 {
		return &MismatchError{differences}
	}
	return nil
}
