package deliver

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage/failpoint"
)

// publisherCall is an attempt with everything that its publisher needs, as of the start
// of the attempt.
type publisherCall struct {
	queue            *queue // belongs to the dispatcher
	attempt          schedctl.Attempt
	part             schedctl.TargetPart      // the first part that the attempt publishes
	later            []schedctl.TargetPart    // the parts after it
	whole            bool                     // one request publishes part and later
	firstKey         string                   // the key of part 0; set if whole
	done             []schedctl.PublishedPart // the parts before it
	extras           publish.Extras
	cardImage        *publish.File // the picture of the link card; set right before the request
	stageBound       bool          // an earlier request may have published the staged post of the attempt
	options          schedctl.Options
	byAgent          bool // an agent wrote something of the post
	labelHeld        bool // when the call was made; see the function
	publishAt        time.Time
	queuedAt         time.Time // see schedctl.Target.QueuedAt
	lateSince        time.Time // see schedctl.Target.LateSince
	account          schedctl.Account
	publisher        publish.Publisher
	tries            int                 // see facts
	earlierUncertain bool                // an earlier attempt may have published
	spacing          time.Duration       // to leave before the account's next overdue target
	used, learned    publish.Credentials // of the call that published; learned is stored with its end
}

// learn keeps a credential that the publisher has found out.
func (c *publisherCall) learn(name, value string) {
	if c.learned == nil {
		c.learned = publish.Credentials{}
	}
	c.learned[name] = value
}

// newCall returns the call of an attempt. See [publisherCall.readFirstKey].
func (d *Deliverer) newCall(q *queue, a schedctl.Attempt, p *schedctl.Post, t *schedctl.Target, account *schedctl.Account) *publisherCall {
	c := &publisherCall{
		queue: q, attempt: a, options: account.OptionsFor(t.Options), publishAt: t.PublishAt, queuedAt: t.QueuedAt(), lateSince: t.LateSince(),
		account: *account, publisher: d.cfg.Publishers[account.Platform], tries: t.Tries() - t.Unreached, stageBound: a.Stage != "", byAgent: p.ByAgent,
		labelHeld: labelHeld(p, t, account, time.Now()),
	}
	c.setParts(p, t)
	return c
}

// makeCall makes the call and returns its end, or the attempt if it is unresolved.
func (d *Deliverer) makeCall(ctx context.Context, c *publisherCall) (*attemptEnd, *unresolvedAttempt) {
	receipt, failure := d.publish(ctx, c)
	if failure == nil {
		return published(c, receipt), nil
	}
	if failure.Outcome != schedctl.OutcomeNotPublished {
		c.attempt.EndPreparing() // the network is asked, whatever the attempt did before
	}
	_, findable := d.finder(c)
	end, unresolved := d.applyPolicy(c, failure, facts{repeatable: repeatable(c.publisher, c.account), findable: findable})
	if unresolved != nil {
		now := time.Now()
		unresolved.overBy, unresolved.finalBy = now.Add(unresolved.askIn), now.Add(firstAsk)
		d.recordUnresolved(ctx, unresolved)
	}
	return end, unresolved
}

// applyPolicy applies the policy to a call that failed.
func (d *Deliverer) applyPolicy(c *publisherCall, e *publish.Error, f facts) (*attemptEnd, *unresolvedAttempt) {
	f.now, f.spread = time.Now().UTC().Round(0), 2*rand.Float64()-1
	// The clock may have been set back since the target was queued.
	f.queuedAt, f.midThread, f.startsThread = earlierOf(c.queuedAt, f.now), c.midThread(), c.startsThread()
	f.tries, f.earlierUncertain, f.disrupted = c.tries, c.earlierUncertain, c.account.DisruptedSince
	f.lateAt = c.lateSince.Add(d.cfg.MaxLateness)
	f.tooLate = f.now.After(f.lateAt)
	decided := policy(e, f)
	if decided.askIn > 0 && f.asks == 0 && !f.elapsed {
		decided.askIn = firstAskDelay(c, decided.askIn)
	}
	d.logFailure(c, e, decided)
	if decided.askIn > 0 {
		return nil, &unresolvedAttempt{call: c, err: e, asks: f.asks, replies: f.replies, askIn: decided.askIn}
	}
	return &attemptEnd{call: c, decision: decided}, nil
}

func (d *Deliverer) logFailure(c *publisherCall, e *publish.Error, decided policyDecision) {
	a := c.attempt
	args := []any{
		"post", a.PostID, "target", a.TargetID, "account", a.AccountID, "attempt", a.ID,
		"kind", e.Kind, "code", e.Code, "http_status", e.HTTPStatus, "outcome", decided.outcome,
	}
	if !decided.result.RetryAt.IsZero() {
		args = append(args, "retry_at", laterOf(decided.result.RetryAt, decided.result.AskAt))
	}
	if decided.askIn > 0 {
		args = append(args, "ask_in", decided.askIn)
	}
	d.log.Warn("attempt did not publish", append(args, "error", logCause(e))...)
}

// logCause returns the error that is logged for a failure. It is never nil.
func logCause(e *publish.Error) error {
	if e.Err != nil {
		return e.Err
	}
	return e
}

// publish makes the call and returns the receipt of the network. Files are prepared
// first, as far as that has not been done yet.
func (d *Deliverer) publish(ctx context.Context, c *publisherCall) (schedctl.Receipt, *publish.Error) {
	if failure := c.unsupported(); failure != nil {
		return schedctl.Receipt{}, failure
	}
	if failure := d.windowFull(ctx, c); failure != nil {
		return schedctl.Receipt{}, failure
	}
	if !c.prepares() {
		return d.publishFiles(ctx, c, nil)
	}
	preparing, stop := d.whileWanted(d.preparing, c)
	defer stop()
	release, failure := d.prepareCard(preparing, c)
	if failure != nil {
		return schedctl.Receipt{}, orStopped(preparing, failure)
	}
	defer release()
	receipt, failure := d.publishMedia(ctx, preparing, c)
	if failure != nil && failure.Code == codeStopped {
		failure = orStopped(preparing, failure)
	}
	return receipt, failure
}

// publishFiles makes the call with files that are prepared: those of each part that the
// request publishes, or nil.
func (d *Deliverer) publishFiles(ctx context.Context, c *publisherCall, files [][]publish.File) (receipt schedctl.Receipt, failure *publish.Error) {
	timeout := callTimeout
	if _, uploaded := c.publisher.(publish.Uploader); !uploaded {
		timeout = publish.RequestTime(publish.Total(slices.Concat(files...)))
	}
	failure = d.callPublisher(ctx, c, timeout, func(ctx context.Context, r publish.Request) (err error) {
		setFiles(&r, files)
		c.used, c.learned = r.Credentials, nil
		r.Learn = c.learn
		if !d.coord.mayCall(c.attempt.Owner) {
			return publish.LeaseLapsed()
		}
		if receipt, err = c.publisher.Publish(d.coord.withLeaseGuard(ctx, c.attempt.Owner), r); err != nil {
			return err
		}
		return failpoint.Hit(failpoint.DeliverCalled)
	})
	if failure != nil {
		return schedctl.Receipt{}, failure
	}
	return receipt, nil
}

// request decrypts the account's credentials and returns the request for the publisher.
func (d *Deliverer) request(c *publisherCall) (publish.Request, *publish.Error) {
	credentials, err := d.credentials(c.account)
	if err != nil {
		return publish.Request{}, &publish.Error{
			Kind: schedctl.KindAuth, Code: "credentials_unreadable", Outcome: schedctl.OutcomeNotPublished, Err: err,
			Message: "the account's stored credentials cannot be decrypted; restore secret.key from your backup, or reconnect the account",
		}
	}
	return publish.Request{
		TargetID: c.attempt.TargetID, PostID: c.attempt.PostID, Content: c.part.Content, Extras: c.extras, CardImage: c.cardImage, PublishAt: c.publishAt,
		Attempt: c.attempt.Number, Key: c.attempt.Key, Stage: c.attempt.Stage, Account: c.accountWithOptions(), Credentials: credentials,
		Part: c.part.Index, Kind: c.part.Kind, Root: c.receipt(0), Parent: c.receipt(c.part.Index - 1), Rest: c.requestRest(),
	}, nil
}

func (d *Deliverer) credentials(a schedctl.Account) (publish.Credentials, error) {
	return publish.OpenCredentials(d.cfg.Sealer.Open, a)
}

// sameLogin reports whether two versions of an account have the same credentials. It
// ignores sessions, which may have been refreshed in between.
func (d *Deliverer) sameLogin(a, b schedctl.Account) bool {
	if bytes.Equal(a.Credentials, b.Credentials) {
		return true
	}
	refresher, ok := d.cfg.Publishers[a.Platform].(publish.Refresher)
	if !ok {
		return false
	}
	before, err := d.credentials(a)
	after, err2 := d.credentials(b)
	if err != nil || err2 != nil {
		return false
	}
	// Credentials that are not listed are part of the session.
	for _, f := range refresher.(publish.Publisher).Fields() {
		if before[f.Name] != after[f.Name] {
			return false
		}
	}
	return true
}

// catchPanic calls fn and returns a panic as an error with the outcome unknown.
func (d *Deliverer) catchPanic(c *publisherCall, fn func() error) (err error) {
	defer func() {
		thrown := recover()
		if thrown == nil {
			return
		}
		// Values other than runtime errors may contain the post.
		cause := fmt.Errorf("panic with a %T", thrown)
		if fault, ok := thrown.(runtime.Error); ok {
			cause = fault
		}
		d.log.Error("publisher panicked", "platform", c.account.Platform, "post", c.attempt.PostID, "target", c.attempt.TargetID,
			"account", c.attempt.AccountID, "attempt", c.attempt.ID, "error", cause, "stack", string(debug.Stack()))
		err = &publish.Error{
			Kind: schedctl.KindUnknown, Code: "panic", Outcome: schedctl.OutcomeUnknown, Err: cause,
			Message: "schedctl had an internal error during the call; check whether the account has the post",
		}
	}()
	return fn()
}
