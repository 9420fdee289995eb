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

	// prepareInterval is how often the preparer looks for posts to prepare. It looks at once
	// when a post gets a time that is soon, but not more often than lookPause.
	prepareInterval = 5 * time.Second
	lookPause       = time.Second

	// refreshInterval is how often a prepared target is checked for stale uploads.
	refreshInterval = 30 * time.Second

	// maxPreparing, maxPreparingOfWorkspace and maxPreparingOfAccount are how many targets are
	// prepared at the same time. A preparation may wait for minutes for a slow network or a
	// slow media store, so those of one workspace or account never use up all of them.
	maxPreparing            = 32
	maxPreparingOfWorkspace = 4
	maxPreparingOfAccount   = 2

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
	due      []schedctl.Due // as of the last look
	running  sync.WaitGroup
	freed    chan struct{} // has an element after a preparation has ended

	staging         bool  // an account whose network has stages was seen
	accountsVersion int64 // of the accounts that were searched for one

	mu     sync.Mutex           // mu guards what follows, and the results in upcoming targets
	paused map[string]time.Time // accounts whose network asked for fewer requests
	busy   map[string]int       // the running preparations of each workspace and account, by id
	total  int                  // of all running preparations
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
		d: d, upcoming: map[schedctl.ULID]*upcomingTarget{}, freed: make(chan struct{}, 1), paused: map[string]time.Time{}, busy: map[string]int{},
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
	timer := time.NewTimer(0)
	defer timer.Stop()
	var started time.Time // of the last look
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.freed:
			p.startDue(ctx)
		case <-p.d.soon:
			timer.Reset(max(0, lookPause-time.Since(started)))
		case <-timer.C:
			started = time.Now()
			inUse, err := p.look(ctx)
			if err != nil && ctx.Err() == nil {
				p.d.log.Warn("looking for media to prepare failed, will retry", "error", err)
			}
			pause := prepareInterval
			if !inUse {
				pause = sweepInterval
			}
			timer.Reset(max(0, pause-time.Since(started)))
		}
	}
}

// look finds the targets that are due soon and prepares those whose time has come. It
// reports whether there is anything that could be prepared.
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
	for i, e := range due {
		if u := p.upcoming[e.Target]; u == nil || u.at != e.At || u.call != nil || i < maxUpcomingRead {
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
	p.due = due
	p.startDue(ctx)
	return true, nil
}

// startDue prepares the targets whose time has come, in the order of their times, as far as
// the limits allow. Workspaces with fewer running preparations come first.
func (p *preparer) startDue(ctx context.Context) {
	now := time.Now()
	var ready []*upcomingTarget
	for _, e := range p.due {
		u := p.upcoming[e.Target]
		if u != nil && u.call != nil && now.UnixMilli() < e.At && p.mayStart(ctx, u, now) {
			ready = append(ready, u)
		}
	}
	for running := range maxPreparingOfWorkspace {
		for _, u := range ready {
			if p.reserve(u, running) {
				p.start(ctx, u)
			}
		}
	}
}

// reserve reserves a preparation for a target whose workspace has the given number of
// running ones. It reports whether the limits allow that.
func (p *preparer) reserve(u *upcomingTarget, running int) bool {
	workspace, account := u.call.attempt.WorkspaceID, u.call.attempt.AccountID
	p.mu.Lock()
	defer p.mu.Unlock()
	if u.running || p.total >= maxPreparing || p.busy[workspace] != running || p.busy[account] >= maxPreparingOfAccount {
		return false
	}
	u.running = true
	p.total++
	p.busy[workspace]++
	p.busy[account]++
	return true
}

// free ends the reservation of a call. The caller holds mu.
func (p *preparer) free(c *publisherCall) {
	p.total--
	for _, id := range []string{c.attempt.WorkspaceID, c.attempt.AccountID} {
		if p.busy[id]--; p.busy[id] == 0 {
			delete(p.busy, id)
		}
	}
	select {
	case p.freed <- struct{}{}:
	default:
	}
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

// start prepares a target on a goroutine of its own.
func (p *preparer) start(ctx context.Context, u *upcomingTarget) {
	c := u.call
	p.running.Go(func() { p.finished(u, c, p.d.prepareAhead(ctx, c)) })
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
			lead = max(lead, leadOf(rules, asset.Class()))
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
// nothing for a part whose call is running, and ends once the post is canceled or changed.
func (d *Deliverer) prepareAhead(ctx context.Context, c *publisherCall) *publish.Error {
	ctx, stop := d.whileWanted(ctx, c)
	defer stop()
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
	p.free(c)
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
	switch {
	case failure.Kind != schedctl.KindRateLimited || !failure.RetryAt.After(now):
	case failure.Code == publish.CodeVideoLimit:
		u.tryAt = clampRetryTime(failure.RetryAt, now)
	default:
		p.paused[c.attempt.AccountID] = clampRetryTime(failure.RetryAt, now)
	}
}
