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
	// watchFrom is how late a target is when the preferred member is looked at first.
	watchFrom = 300 * time.Millisecond

	// watchAgain is when it is looked at again, where the first look came later.
	watchAgain = 200 * time.Millisecond

	// watchedFor is for how long a look tells what is new at the next one.
	watchedFor = 3 * time.Second

	// backlogged is by how much an attempt begins late that tells of a backlog.
	backlogged = 300 * time.Millisecond

	// leftAlone is for how long who was seen to work on a backlog is left alone, and
	// longestLeft how late a target may be for that.
	leftAlone   = time.Second
	longestLeft = 10 * time.Second
)

// sighting is the youngest attempt that a member has under way.
type sighting struct {
	attempt string
	late    time.Duration // it began, by the clock of the member
}

// peer is what is known of another member.
type peer struct {
	last  sighting
	at    time.Time // of the last look
	twice bool      // there was another look right before
	until time.Time // it is left alone
}

// peerOf returns what is known of who is preferred for a queue.
func (x *dispatcher) peerOf(q *queue) *peer {
	id := x.cfg.Member.Preferred(q.account)
	p := x.peers[id]
	if p == nil {
		p = new(peer)
		x.peers[id] = p
	}
	return p
}

// leaves reports whether what waits in a queue is left to a member that works on a
// backlog.
func (p *peer) leaves(q *queue, now time.Time) bool {
	return now.Before(p.until) && (q.waiting.len() == 0 || now.Sub(q.waiting.head().Time()) < longestLeft)
}

// watch notes what members have under way that are preferred for some queues.
func (x *dispatcher) watch(queues []*queue, seen map[string]sighting, now time.Time) {
	watched := map[string]bool{}
	for _, q := range queues {
		id := x.cfg.Member.Preferred(q.account)
		if !watched[id] {
			watched[id] = true
			x.peerOf(q).see(seen[id], now)
		}
	}
	for id, p := range x.peers {
		if now.Sub(p.at) > time.Minute {
			delete(x.peers, id)
		}
	}
}

func (p *peer) see(s sighting, now time.Time) {
	p.twice = now.Sub(p.at) < watchedFor
	if p.twice && s.attempt != p.last.attempt && s.late > backlogged {
		p.until = now.Add(leftAlone)
	}
	p.last, p.at = s, now
}

// sightings returns the youngest attempt under way of each other member.
func (d *Deliverer) sightings(r storage.Reader) (map[string]sighting, error) {
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
	seen := map[string]sighting{}
	for owner, i := range youngest {
		a := &running[i]
		post, err := r.Post(a.WorkspaceID, a.PostID)
		if err != nil && !notFound(err) {
			return nil, err
		}
		if t := post.Target(a.TargetID); t != nil {
			seen[owner] = sighting{a.ID, a.StartedAt.Sub(t.LateSince())}
		}
	}
	return seen, nil
}
