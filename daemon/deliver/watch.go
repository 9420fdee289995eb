package deliver

import (
	"time"

	"github.com/schedctl/schedctl/storage"
)

// Who is late need not be dead: a member with more to publish than it can at once is
// late with all of it. Others that took over from it would do the same work a second
// time, wait for its locks, and make it later still. So those that stand by look twice
// at what the preferred member has under way. When there is something new, which by the
// member's own clock began late, it works on a backlog and is left alone for a while.
const (
	// firstCheckDelay is how late a target is when the preferred member is looked at first.
	firstCheckDelay = 300 * time.Millisecond

	// secondCheckDelay is when it is looked at again, where the first look came later.
	secondCheckDelay = 200 * time.Millisecond

	// checkValidity is for how long a look tells what is new at the next one.
	checkValidity = 3 * time.Second

	// backlogLateness is by how much an attempt begins late that tells of a backlog.
	backlogLateness = 300 * time.Millisecond

	// leaveAlonePeriod is for how long who was seen to work on a backlog is left alone, and
	// longestLeft how late a target may be for that.
	leaveAlonePeriod = time.Second
	maxLeftLateness  = 10 * time.Second
)

// peerActivity is the youngest attempt that a member has under way.
type peerActivity struct {
	attempt  string
	lateness time.Duration // it began, by the clock of the member
}

// peer is what is known of another member.
type peer struct {
	last         peerActivity
	checkedAt    time.Time // of the last look
	checkedTwice bool      // there was another look right before
	aloneUntil   time.Time // it is left alone
}

// preferredPeer returns what is known of who is preferred for a queue.
func (x *dispatcher) preferredPeer(q *queue) *peer {
	id := x.cfg.Member.Preferred(q.account)
	p := x.peers[id]
	if p == nil {
		p = new(peer)
		x.peers[id] = p
	}
	return p
}

// isLeftAlone reports whether what waits in a queue is left to a member that works on a
// backlog.
func (p *peer) isLeftAlone(q *queue, now time.Time) bool {
	return now.Before(p.aloneUntil) && (q.waiting.len() == 0 || now.Sub(q.waiting.head().Time()) < maxLeftLateness)
}

// observePeers notes what members have under way that are preferred for some queues.
func (x *dispatcher) observePeers(queues []*queue, seen map[string]peerActivity, now time.Time) {
	watched := map[string]bool{}
	for _, q := range queues {
		id := x.cfg.Member.Preferred(q.account)
		if !watched[id] {
			watched[id] = true
			x.preferredPeer(q).observe(seen[id], now)
		}
	}
	for id, p := range x.peers {
		if now.Sub(p.checkedAt) > time.Minute {
			delete(x.peers, id)
		}
	}
}

func (p *peer) observe(s peerActivity, now time.Time) {
	p.checkedTwice = now.Sub(p.checkedAt) < checkValidity
	if p.checkedTwice && s.attempt != p.last.attempt && s.lateness > backlogLateness {
		p.aloneUntil = now.Add(leaveAlonePeriod)
	}
	p.last, p.checkedAt = s, now
}

// peerActivities returns the youngest attempt under way of each other member.
func (d *Deliverer) peerActivities(r storage.Reader) (map[string]peerActivity, error) {
	running, err := r.RunningAttempts()
	if err != nil {
		return nil, err
	}
	youngest := map[string]int{}
	for i := range running {
		a := &running[i]
		if at, there := youngest[a.Owner]; !d.owns(a.Owner) && (!there || running[at].ID < a.ID) {
			youngest[a.Owner] = i
		}
	}
	seen := map[string]peerActivity{}
	for owner, i := range youngest {
		a := &running[i]
		post, err := r.Post(a.WorkspaceID, a.PostID)
		if err != nil && !notFound(err) {
			return nil, err
		}
		if t := post.Target(a.TargetID); t != nil {
			seen[owner] = peerActivity{a.ID, a.StartedAt.Sub(t.LateSince())}
		}
	}
	return seen, nil
}
