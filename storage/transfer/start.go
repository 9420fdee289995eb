package transfer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// start checks the marks of both databases and marks them.
func (r *run) start(ctx context.Context) error {
	leaving, err := readMark(ctx, r.from)
	if err != nil {
		return fmt.Errorf("read %s: %w", r.From, err)
	}
	arriving, err := readMark(ctx, r.to)
	if err != nil {
		return fmt.Errorf("read %s: %w", r.To, err)
	}
	if err := r.present.waitForOthers(ctx, leaving.Node, arriving.Node); err != nil {
		return err
	}
	if err := r.checkMarks(ctx, leaving, arriving); err != nil {
		return err
	}
	now := schedctl.Millis(r.Now())
	if !r.resumed {
		r.id = schedctl.NewULID(now).String()
		leaving = Mark{Role: Leaving, At: now}
		arriving = Mark{Role: Arriving, At: now}
	}
	leaving.Copy, leaving.Peer, leaving.Node = r.id, r.To, r.present.node.ID
	arriving.Copy, arriving.Peer, arriving.Node = r.id, r.From, r.present.node.ID
	if err := r.mark(ctx, leaving, arriving); err != nil {
		return err
	}
	// A daemon that started in the meantime has not seen the marks, but is visible as a
	// node now.
	if err := r.present.waitForOthers(ctx); err != nil {
		return errors.Join(err, r.unmark(ctx))
	}
	return nil
}

// checkMarks decides whether a copy may start or resume.
func (r *run) checkMarks(ctx context.Context, leaving, arriving Mark) error {
	same := arriving.Role == Arriving && leaving.Copy == arriving.Copy
	switch {
	case same && (leaving.Role == Leaving || leaving.Role == Moved):
		r.id, r.resumed = arriving.Copy, true
		return r.readProgress(ctx)
	case leaving.Role != "" && leaving.Role != Leaving:
		return fmt.Errorf("%s: %w", r.From, &RefusedError{leaving})
	case arriving.Role == Arriving:
		return fmt.Errorf("%s: %w", r.To, ErrStale)
	}
	empty, err := isEmpty(ctx, r.to)
	if err == nil && !empty {
		err = fmt.Errorf("%s: %w", r.To, ErrNotEmpty)
	}
	return err
}

// readProgress reads the progress of an interrupted copy.
func (r *run) readProgress(ctx context.Context) error {
	return r.to.View(ctx, func(v storage.Reader) error {
		text, err := v.Metadata(progressKey)
		if err != nil || text == nil {
			return err
		}
		if err := json.Unmarshal(text, &r.progress); err != nil {
			return fmt.Errorf("read the progress of the copy: %w", err)
		}
		return nil
	})
}

// isEmpty reports whether a database has no records.
func isEmpty(ctx context.Context, store storage.Store) (bool, error) {
	errFound := errors.New("the database has a record")
	err := walker{limit: 1}.all(ctx, store, copyPosition{}, func(*kind, []any, copyPosition) error { return errFound })
	if errors.Is(err, errFound) {
		return false, nil
	}
	return err == nil, err
}

// mark marks both databases, the source first: its mark alone does no harm.
func (r *run) mark(ctx context.Context, leaving, arriving Mark) error {
	if err := r.from.Update(ctx, leaving.put); err != nil {
		return fmt.Errorf("mark %s: %w", r.From, err)
	}
	if err := r.to.Update(ctx, arriving.put); err != nil {
		return fmt.Errorf("mark %s: %w", r.To, err)
	}
	return nil
}

// unmark removes the marks of a copy that has not started. A resumed copy keeps them.
func (r *run) unmark(ctx context.Context) error {
	if r.resumed {
		return nil
	}
	return errors.Join(r.to.Update(ctx, unmark), r.from.Update(ctx, unmark))
}
