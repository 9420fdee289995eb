package deliver

import (
	"context"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// One of the members is preferred for each account, and the others stand by: they
// try a target when it still waits a moment after its time. So mostly nobody is in
// another's way, and when the preferred one is dead, nobody has to know that first.
const (
	// standby is how long after its time a target is left to the preferred member.
	standby = 700 * time.Millisecond

	// standbyOverdue is how often it is looked whether overdue targets still wait, and
	// whether their account is one's own by now. They are spaced by whoever is
	// preferred; two that space them would make the flood that spacing is against.
	standbyOverdue = 5 * time.Second

	// relief is how long an account is worked on once the preferred member was seen
	// not to.
	relief = 3 * time.Second

	// rhythm is how long after its space an overdue target is taken to follow one
	// that was begun here too.
	rhythm = 2 * time.Second

	// lookPause is between two looks: each is for all queues that have come to it
	// meanwhile, most of which have nothing left that waits.
	lookPause = 100 * time.Millisecond

	// maxLook is how many targets are asked for at a time whether they wait, and how
	// many entries of the due index are read for that.
	maxLook = 20_000

	// elsewherePause is how soon an account is tried again that another member has a
	// call of, at first, and maxElsewherePause at last.
	elsewherePause    = 250 * time.Millisecond
	maxElsewherePause = time.Second
)

// standsBy takes the first queue off the list when its account is to be left to
// another member for now, and reports whether it has.
func (x *dispatcher) standsBy(q *queue, now time.Time) bool {
	m := x.cfg.Member
	if m == nil || len(q.expired) > 0 || q.blocked(now) || m.Mine(q.account) || x.hasShaken(q) {
		return false
	}
	p := x.peerOf(q)
	leaves := p.leaves(q, now)
	if now.Before(q.relief) && !leaves {
		return false
	}
	x.queues.serve()
	late := max(now.Sub(q.waiting.head().Time()), 0)
	switch {
	case leaves:
		q.until = p.until
	case late < watchFrom:
		q.until = now.Add(watchFrom - late)
	case late < standby && now.Sub(p.at) < watchedFor:
		q.until = now.Add(standby - late)
	default:
		x.looks = append(x.looks, q)
		return true
	}
	q.busy = false
	x.queues.arrange(q, now)
	return true
}

// hasShaken reports whether a claim of the queue may be on disk. Only this member
// knows that no call was made then, so that it has to claim again.
func (x *dispatcher) hasShaken(q *queue) bool {
	q.shaken = q.shaken && slices.ContainsFunc(q.waiting.items, func(e entry) bool { return x.marks[e.Target]&shaken != 0 })
	return q.shaken
}

// look is the question which targets of some queues still wait, by target, and what
// other members have under way.
type look struct {
	queues   []*queue
	waits    map[schedctl.ULID]bool
	from, to schedctl.Due
	cut      bool // what is not before to was not read
	seen     map[string]sighting
}

// lookSome asks for the queues that stand by, on a goroutine of its own.
func (x *dispatcher) lookSome(ctx context.Context, now time.Time) {
	if len(x.looks) == 0 || x.stopping || !x.lookers.open(now) {
		return
	}
	l := &look{queues: x.looks, waits: map[schedctl.ULID]bool{}}
	x.looks = nil
	for _, q := range l.queues {
		for _, e := range q.waiting.items[:min(q.waiting.len(), maxLook-len(l.waits))] {
			x.ask(l, e.Due)
		}
	}
	x.lookers.running = true
	x.jobs.Go(func() {
		err := x.Deliverer.look(ctx, l)
		x.mail.report(func(x *dispatcher) { x.looked(l, err) })
	})
}

// ask adds a target to the question.
func (x *dispatcher) ask(l *look, d schedctl.Due) {
	if len(l.waits) == 0 || d.Compare(l.from) < 0 {
		l.from = d
	}
	if d.Compare(l.to) > 0 {
		l.to = d
	}
	l.waits[d.Target] = false
	x.setMark(d.Target, inFlight)
}

// look answers the question with one read of the due index, and one of the attempts
// that run.
func (d *Deliverer) look(ctx context.Context, l *look) error {
	ctx, cancel := context.WithTimeout(ctx, readLimit)
	defer cancel()
	return d.cfg.Store.View(ctx, func(r storage.Reader) error {
		left, read := len(l.waits), 0
		err := r.Due(l.from, func(due schedctl.Due) bool {
			if due.Compare(l.to) > 0 {
				return false
			}
			if read++; read == maxLook {
				l.to, l.cut = due, true
				return false
			}
			if waits, asked := l.waits[due.Target]; asked && !waits {
				l.waits[due.Target] = true
				left--
			}
			return left > 0
		})
		if err == nil {
			l.seen, err = d.sightings(r)
		}
		return err
	})
}

// looked lets the queues be served in which something still waits.
func (x *dispatcher) looked(l *look, err error) {
	now := time.Now()
	if err != nil {
		x.logGroup(x.lookers.failed(1, err, now), "looking whether others publish", err)
	} else {
		x.logGroup(x.lookers.succeeded(), "looking whether others publish", nil)
		x.lookers.resume = now.Add(lookPause)
		x.watch(l.queues, l.seen, now)
	}
	for _, q := range l.queues {
		if err == nil {
			x.dropDone(q, l, now)
		}
		for _, e := range q.waiting.items {
			if _, asked := l.waits[e.Target]; asked {
				x.setMark(e.Target, queued)
			}
		}
		if err != nil {
			q.until = now.Add(time.Second)
		} else {
			x.standDown(q, now)
		}
		q.busy = false
		x.queues.arrange(q, now)
	}
}

// standDown decides what becomes of a queue that was looked at.
func (x *dispatcher) standDown(q *queue, now time.Time) {
	if q.waiting.len() == 0 {
		return
	}
	p, late := x.peerOf(q), now.Sub(q.waiting.head().Time())
	switch {
	case late > overdue:
		q.until = now.Add(standbyOverdue)
	case p.leaves(q, now):
		q.until = p.until
	case late < standby:
		q.until = now.Add(standby - late)
	case !p.twice:
		q.until = now.Add(watchAgain)
	default:
		q.relief = now.Add(relief)
	}
}

// dropDone forgets what waits no more.
func (x *dispatcher) dropDone(q *queue, l *look, now time.Time) {
	done := q.waiting.filter(func(e *entry) bool {
		waits, asked := l.waits[e.Target]
		return waits || !asked || l.cut && e.Compare(l.to) >= 0
	})
	x.queues.waiting -= len(done)
	if q.held {
		x.queues.held -= len(done)
	}
	for _, e := range done {
		x.forget(e.Target, now)
	}
}

// elsewherePause returns how long to leave an account alone that another member
// has a call of.
func (q *queue) elsewherePause() time.Duration {
	pause := min(elsewherePause<<min(q.elsewhere, 8), maxElsewherePause)
	q.elsewhere++
	return pause
}
