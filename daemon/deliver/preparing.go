package deliver

import (
	"context"
	"errors"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
)

// An attempt whose files are not prepared is claimed as preparing. A second transaction,
// right before the request that publishes, ends that, and checks that the post is still
// wanted:
//
//	claim, preparing ─▶ convert, upload, stage ─▶ store that the request follows ─▶ publish ─▶ record
//
// An attempt that is still preparing has published nothing. If its daemon ends, it is
// retried at once. An attempt whose files were prepared before its claim, or that has none,
// needs no second transaction.

const (
	// maxInterrupted is how often in a row, over at least interruptedTime, a daemon may end
	// while it prepares a part with files. After that, the files may be what ends the
	// daemon. An operator who restarts it a few times ends no post.
	maxInterrupted  = 5
	interruptedTime = 10 * time.Minute

	// wantedInterval is how often a running preparation checks whether its post is still
	// wanted. Other nodes and other processes may have canceled it.
	wantedInterval = time.Second

	// codeInterrupted is the code of an attempt whose daemon ended during the preparation.
	codeInterrupted = "preparation_interrupted"
)

var (
	errAttemptMoved = errors.New("the attempt has ended, or another node has adopted it")
	errUnwanted     = errors.New("the post was canceled or changed while its files were prepared")
)

// unwantedError is the error of an attempt whose post was canceled before its request.
func unwantedError() *publish.Error {
	e := stoppedError()
	e.Message = "the post was canceled before its files were ready"
	return e
}

// isPrepared reports whether everything of a call that is not published yet is prepared, so
// that its request can be sent at once.
func (d *Deliverer) isPrepared(c *publisherCall) bool {
	if c.staged() || c.showsCardImage() {
		return false
	}
	for _, part := range c.mediaCalls(c.part.Index == 0) {
		if job := d.media.existing(part); job == nil || !job.isReady(d, part) {
			return false
		}
	}
	return true
}

// isReady reports whether all steps of a preparation are done. It is false while the
// preparation runs.
func (j *mediaJob) isReady(d *Deliverer, c *publisherCall) bool {
	select {
	case <-j.turn:
	default:
		return false
	}
	defer j.unlock()
	rules, failure := mediaRules(c)
	if failure != nil || !sameMedia(j.media, c.part.Media) || !d.sameLogin(j.account, c.account) {
		return false
	}
	_, uploads := c.publisher.(publish.Uploader)
	for i := range j.files {
		f := &j.files[i]
		if f.fitted == nil || uploads && !(f.uploaded(rules) && f.upload.Ready) {
			return false
		}
	}
	return true
}

// startRequest stores that the request that publishes follows, with the id of the staged
// post if there is one. Only after that may the request be sent. It does nothing if that is
// stored already.
func (d *Deliverer) startRequest(ctx context.Context, c *publisherCall, stage string) *publish.Error {
	if c.attempt.Stage == stage && !c.attempt.Preparing() {
		return nil
	}
	err := d.cfg.Store.Update(ctx, func(tx storage.Tx) error {
		post, err := tx.Post(c.attempt.WorkspaceID, c.attempt.PostID)
		if notFound(err) {
			return errUnwanted
		}
		if err != nil {
			return err
		}
		if t := post.Target(c.attempt.TargetID); t == nil || progress(t) != schedctl.Publishing {
			return errUnwanted
		}
		a, err := storedAttempt(tx, c.attempt)
		if err != nil {
			return err
		}
		if a.Outcome != schedctl.OutcomeRunning || a.Owner != c.attempt.Owner {
			return errAttemptMoved
		}
		a.Stage = stage
		a.EndPreparing()
		return tx.PutAttempt(a)
	})
	switch {
	case errors.Is(err, errUnwanted):
		return unwantedError()
	case err != nil:
		e := stoppedError()
		e.Message, e.Err = "the daemon could not store that it publishes the post now; it will retry", err
		return e
	}
	c.attempt.Stage = stage
	c.attempt.EndPreparing()
	return nil
}

// whileWanted returns a context for the preparation of a call. It ends with ctx, and once
// the post is canceled, deleted, or changed so that it needs no preparation or other files.
// stop must be called after the preparation.
func (d *Deliverer) whileWanted(ctx context.Context, c *publisherCall) (preparing context.Context, stop func()) {
	preparing, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for sleepFor(preparing, wantedInterval) {
			if wanted, err := d.wants(preparing, c); err == nil && !wanted {
				cancel(errUnwanted)
			}
		}
	}()
	return preparing, func() {
		cancel(nil)
		<-done
	}
}

// wants reports whether the stored post still needs the files of a call.
func (d *Deliverer) wants(ctx context.Context, c *publisherCall) (wanted bool, err error) {
	err = d.cfg.Store.View(ctx, func(r storage.Reader) error {
		post, err := r.Post(c.attempt.WorkspaceID, c.attempt.PostID)
		if err != nil {
			return err
		}
		t := post.Target(c.attempt.TargetID)
		wanted = t != nil && isSoon(t)
		for _, part := range append([]schedctl.TargetPart{c.part}, c.later...) {
			wanted = wanted && part.Index < post.PartCount(t) && sameMedia(post.PartFor(t, part.Index).Media, part.Media)
		}
		return nil
	})
	if notFound(err) {
		return false, nil
	}
	return wanted, err
}

// isSoon reports whether a target is being published, or is due so soon that it may be
// prepared.
func isSoon(t *schedctl.Target) bool {
	return progress(t) == schedctl.Publishing || t.Status == schedctl.Scheduled && t.PublishAt.Before(time.Now().Add(videoLead))
}

// neverSent reports whether an attempt certainly sent no request to publish.
func (c *publisherCall) neverSent() bool {
	return c.attempt.Preparing() || c.staged() && c.attempt.Stage == ""
}

// settleNeverSent settles an attempt whose daemon ended before the request: it is retried at
// once, unless that has happened too often.
func (d *Deliverer) settleNeverSent(ctx context.Context, u *unresolvedAttempt, c *publisherCall, f facts) (*attemptEnd, *unresolvedAttempt) {
	attempts, err := storage.Read(ctx, d.cfg.Store.View, func(r storage.Reader) ([]schedctl.Attempt, error) { return r.Attempts(c.attempt.TargetID) })
	if err != nil && !notFound(err) {
		return nil, d.retryRead(u, err)
	}
	interrupted, since := 1, c.attempt.StartedAt
	for i := len(attempts) - 1; i >= 0; i-- {
		a := &attempts[i]
		if a.Number >= c.attempt.Number {
			continue
		}
		if a.Part != c.attempt.Part || a.Error == nil || a.Error.Code != codeInterrupted {
			break
		}
		interrupted++
		since = a.StartedAt
	}
	e := stoppedError()
	e.Code, e.Message = codeInterrupted, "the daemon ended while it prepared the files of the post; it will retry"
	if interrupted >= maxInterrupted && time.Since(since) >= interruptedTime && (c.hasMedia() || c.showsCardImage()) {
		e = publish.MediaError("preparation_failed", "the daemon ended %d times while it prepared the files of the post; replace them, or retry", interrupted)
		e.Outcome = schedctl.OutcomeNotPublished
	}
	return d.applyPolicy(c, e, f)
}

// orStopped returns the failure, or that of a preparation whose context has ended, which may
// have caused it.
func orStopped(ctx context.Context, failure *publish.Error) *publish.Error {
	switch {
	case failure == nil || ctx.Err() == nil:
		return failure
	case errors.Is(context.Cause(ctx), errUnwanted):
		return unwantedError()
	}
	return stoppedError()
}
