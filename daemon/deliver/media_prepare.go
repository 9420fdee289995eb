package deliver

import (
	"context"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

const (
	// imageLead and videoLead are how long before its time the preparation of a post
	// starts.
	imageLead = 2 * time.Minute
	videoLead = 15 * time.Minute

	// prepareInterval is how often the preparer looks for posts to prepare.
	prepareInterval = 10 * time.Second

	// refreshInterval is how often a prepared target is checked for stale uploads.
	refreshInterval = 30 * time.Second

	// maxPreparing is how many targets are prepared at the same time.
	maxPreparing = 4

	// maxUpcoming is how many entries of the due index are read each time.
	maxUpcoming = 10_000

	// maxUpcomingRead is how many posts are read in one view of the store.
	maxUpcomingRead = 256

	// maxPrepareBackoff is the longest time between two tries to prepare a target.
	maxPrepareBackoff = 2 * time.Minute
)

// preparer prepares the files of posts that are due soon. It belongs to one goroutine;
// the preparations run on their own.
type preparer struct {
	d        *Deliverer
	upcoming map[schedctl.ULID]*upcomingTarget
	slots    chan struct{}
	running  sync.WaitGroup

	staging         bool  // an account whose network has stages was seen
	accountsVersion int64 // of the accounts that were searched for one

	mu     sync.Mutex           // mu guards paused, and the results in upcoming targets
	paused map[string]time.Time // accounts whose network asked for fewer requests
}

// upcomingTarget is a target that is due soon.
type upcomingTarget struct {
	at      int64          // when it is due, in Unix milliseconds
	call    *publisherCall // nil without media
	startAt time.Time

	running  bool
	tryAt    time.Time
	failures int
}

// startPreparing starts the preparer, if posts can have media. end ends all preparations.
// wait waits for them afterwards, and releases all files.
func (d *Deliverer) startPreparing(ctx context.Context) (end, wait func()) {
	preparing, cancel := context.WithCancel(ctx)
	d.preparing = preparing
	p := &preparer{
		d: d, upcoming: map[schedctl.ULID]*upcomingTarget{}, slots: make(chan struct{}, maxPreparing), paused: map[string]time.Time{},
	}
	var loop sync.WaitGroup
	if d.cfg.Media != nil || d.hasStagers() {
		loop.Go(func() { p.run(preparing) })
	}
	return cancel, func() {
		loop.Wait()
		p.running.Wait()
		d.media.dropAll()
	}
}

func (p *preparer) run(ctx context.Context) {
	for {
		started := time.Now()
		inUse, err := p.look(ctx)
		if err != nil && ctx.Err() == nil {
			p.d.log.Warn("looking for media to prepare failed, will retry", "error", err)
		}
		pause := prepareInterval
		if !inUse {
			pause = sweepInterval
		}
		if !sleepFor(ctx, pause-time.Since(started)) {
			return
		}
	}
}

// look finds the targets that are due soon and prepares those whose time has come, in
// the order of their times. It waits for free slots until the next look. It reports
// whether there is anything that could be prepared.
func (p *preparer) look(ctx context.Context) (inUse bool, err error) {
	if inUse, err = p.inUse(ctx); err != nil || !inUse {
		return inUse, err
	}
	now := time.Now()
	due, err := p.read(ctx, now)
	if err != nil {
		return true, err
	}
	p.keepOnly(due)
	var fresh []schedctl.Due
	for _, e := range due {
		if u := p.upcoming[e.Target]; u == nil || u.at != e.At || u.call != nil {
			fresh = append(fresh, e)
		}
	}
	for len(fresh) > 0 {
		n := min(len(fresh), maxUpcomingRead)
		if err := p.readPosts(ctx, fresh[:n]); err != nil {
			return true, err
		}
		fresh = fresh[n:]
	}
	if err := p.dropUnneeded(ctx); err != nil {
		return true, err
	}
	turn, cancel := context.WithTimeout(ctx, prepareInterval)
	defer cancel()
	for _, e := range due {
		u := p.upcoming[e.Target]
		if u != nil && u.call != nil && time.Now().UnixMilli() < e.At && p.mayStart(ctx, u, now) {
			select {
			case p.slots <- struct{}{}:
				p.start(ctx, u)
			case <-turn.Done():
				return true, nil
			}
		}
	}
	return true, nil
}

// mayStart reports whether it is time to prepare a target.
func (p *preparer) mayStart(ctx context.Context, u *upcomingTarget, now time.Time) bool {
	if u.startAt.IsZero() {
		u.startAt = time.UnixMilli(u.at).Add(-p.d.lead(ctx, u.call))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return !u.running && !now.Before(u.startAt) && !now.Before(u.tryAt) && !now.Before(p.paused[u.call.attempt.AccountID])
}

// start prepares a target on a goroutine of its own, which frees the slot.
func (p *preparer) start(ctx context.Context, u *upcomingTarget) {
	p.mu.Lock()
	u.running = true
	p.mu.Unlock()
	c := u.call
	p.running.Go(func() {
		failure := p.d.prepareAhead(ctx, c)
		<-p.slots
		p.finished(u, c, failure)
	})
}

// lead returns how long before its time the preparation of a call starts.
func (d *Deliverer) lead(ctx context.Context, c *publisherCall) time.Duration {
	rules, failure := mediaRules(c)
	if failure != nil {
		rules = publish.MediaRules{}
	}
	lead := time.Duration(0)
	if c.staged() {
		lead = imageLead
	}
	for _, part := range c.mediaCalls(true) {
		for i := range part.part.Media {
			asset, failure := d.readAsset(ctx, part, i)
			if failure != nil {
				continue // at the due time this fails the target
			}
			lead = max(lead, leadOf(rules, schedctl.MediaClassOf(asset.MIMEType)))
		}
	}
	return lead
}

// leadOf is lead for a file of one class.
func leadOf(rules publish.MediaRules, class schedctl.MediaClass) time.Duration {
	if ahead := rules.Classes[class].Ahead; ahead > 0 {
		return ahead
	}
	lead := imageLead
	if class == schedctl.MediaVideo {
		lead = videoLead
	}
	if rules.UploadLife > 0 {
		lead = min(lead, rules.UploadLife/2)
	}
	return lead
}

// prepareAhead prepares the files of all parts of a target before it is due. It does
// nothing for a part whose call is running.
func (d *Deliverer) prepareAhead(ctx context.Context, c *publisherCall) *publish.Error {
	for _, part := range c.mediaCalls(true) {
		job := d.media.get(part)
		select {
		case <-job.turn:
		default:
			continue
		}
		files, failure := job.prepare(ctx, d, part)
		if failure == nil && part == c && c.staged() && c.part.Index == 0 {
			failure = job.stagePost(ctx, d, c, files)
		}
		job.unlock()
		if failure != nil {
			return failure
		}
	}
	return nil
}

// finished decides when a target is prepared again.
func (p *preparer) finished(u *upcomingTarget, c *publisherCall, failure *publish.Error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	u.running = false
	if failure == nil {
		u.failures, u.tryAt = 0, now.Add(refreshInterval)
		return
	}
	if failure.Code != codeStopped {
		p.d.log.Warn("preparing media failed, will retry until the post is due", "post", c.attempt.PostID, "target", c.attempt.TargetID,
			"account", c.attempt.AccountID, "kind", failure.Kind, "code", failure.Code, "error", logCause(failure))
	}
	u.tryAt = now.Add(min(prepareInterval<<min(u.failures, 10), maxPrepareBackoff))
	u.failures++
	if failure.Kind == schedctl.KindRateLimited && failure.RetryAt.After(now) {
		p.paused[c.attempt.AccountID] = clampRetryTime(failure.RetryAt, now)
	}
}
