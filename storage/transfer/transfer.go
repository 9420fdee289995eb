package transfer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/schedctl/schedctl/storage"
)

// Afterwards says what becomes of the two databases.
type Afterwards int

// What can become of them.
const (
	// UseCopy lets daemons use the copy, and no more the database that was copied.
	UseCopy Afterwards = iota

	// UseSource lets daemons go on with the database that was copied, and not use
	// the copy.
	UseSource
)

// Phase is a part of the work.
type Phase string

// The phases, in order.
const (
	Reading   Phase = "reading"
	Copying   Phase = "copying"
	Verifying Phase = "verifying"
)

// Options say how to copy.
type Options struct {
	From, To string // the names of the databases, without passwords
	After    Afterwards

	Batch int // how many records are read, and written in one transaction, at once; 0 for 500

	Host, Version string // of this program, for those who look at the nodes of a database
	Now           func() time.Time

	// Progress is told how many records a phase is done with, and of how many; these
	// are 0 while nobody knows. It is called once at the beginning of each phase. nil
	// is for nobody.
	Progress func(phase Phase, done, all int)

	// Place is called when the copy is complete and verified, and before any daemon
	// may use it. It returns the copy as it is to be used from then on.
	Place func(context.Context, storage.Store) (storage.Store, error)
}

// Report tells what was copied.
type Report struct {
	Tallies []Tally `json:"records"`
	Records int     `json:"copied"`  // in this run
	Resumed bool    `json:"resumed"` // an earlier run had begun
}

// The reasons for which a copy does not begin. They are wrapped with the name of the
// database that they are about.
var (
	ErrNotEmpty = errors.New("the database is not empty")
	ErrStale    = errors.New("the unfinished copy in it is of another database, or of this one as it was before a daemon used it again")
)

// MismatchError says that a copy is not what was copied.
type MismatchError struct{ Differences []Difference }

// Error names what differs.
func (e *MismatchError) Error() string {
	text := "the copy differs from what was copied:"
	for i, d := range e.Differences {
		if i > 0 {
			text += ","
		}
		text += fmt.Sprintf(" %d %s of %d", d.Copy.Count, d.Source.Kind, d.Source.Count)
		if d.Copy.Count == d.Source.Count {
			text += " with another content"
		}
	}
	return text
}

// progressKey is the note of a copy that says how far it is.
const progressKey = "transfer progress"

// progress is how far a copy is. It changes in the transactions of what is copied.
type progress struct {
	copyPosition
	Records int `json:"records"` // that were copied
}

// Run copies everything from one database into another, reads both completely and
// compares them. What was interrupted goes on when it is called again. Both stores
// have to be open, and no daemon may use either one: on databases that have nodes
// that is a [*BusyError].
//
// A database that must not be copied, because it was moved for example, is a
// [*RefusedError]. A copy that differs is a [*MismatchError], and then no daemon may
// use it.
//
// Deliveries of webhooks that were deleted, which nobody can see any more and
// housekeeping is about to remove, are not copied.
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
	id       string // of the copy
	resumed  bool
	progress progress
	source   *survey
	sorted   bool // the copy has the outbox in order of ids, which it was not in
}

func (r *run) run(ctx context.Context) (report Report, err error) {
	if err := r.survey(ctx); err != nil {
		return report, fmt.Errorf("read %s: %w", r.From, err)
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
	return Report{Tallies: r.source.list(), Records: r.progress.Records - before, Resumed: r.resumed}, nil
}

// survey counts what there is to copy.
func (r *run) survey(ctx context.Context) (err error) {
	r.source = newSurvey(walker{r.Batch})
	if r.source.outbox, err = newOutbox(ctx, r.from); err != nil {
		return err
	}
	return r.source.countAll(ctx, r.from, r.counter(Reading, 0, 0))
}

// counter tells of the progress of a phase.
func (r *run) counter(phase Phase, done, all int) func(records int) {
	r.Progress(phase, done, all)
	return func(records int) {
		done += records
		r.Progress(phase, done, all)
	}
}

// copy writes what was not written yet.
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

// put writes records, and that they are there, in one transaction.
func (r *run) put(ctx context.Context, k *kind, records []any, next progress) error {
	text, err := json.Marshal(next)
	if err != nil {
		return err
	}
	return r.to.Update(ctx, func(tx storage.Tx) error {
		into, ok := tx.(storage.Importer)
		if !ok {
			return fmt.Errorf("nothing can be copied into a database of this kind (%T)", r.to)
		}
		if err := k.put(into, records); err != nil {
			return err
		}
		return into.PutMetadata(progressKey, text)
	})
}

// verify reads the copy and compares it with what was read before it was made.
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
