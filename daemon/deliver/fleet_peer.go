package deliver

import (
	"time"

	"github.com/schedctl/schedctl/storage"
)

// A late node need not be dead: a node with more targets than it can publish at once
// is late with all of them. Nodes that took over from it would repeat its work, wait
// for its locks and delay it further. A standby node therefore checks twice what the
// preferred node is publishing. If the second check finds a new attempt that started
// late by the preferred node's own clock, that node is working through a backlog and
// is left alone for a while.
const (
	// firstCheckDelay is how late a target is when the preferred node is first checked.
	firstCheckDelay = 300 * time.Millisecond

	// secondCheckDelay is when the node is checked again if the first check came later.
	secondCheckDelay = 200 * time.Millisecond

	// checkValidity is for how long a check can be compared with the next one.
	checkValidity = 3 * time.Second

	// backlogLateness is how late an attempt starts that indicates a backlog.
	backlogLateness = 300 * time.Millisecond

	// leaveAlonePeriod is how long a node with a backlog is left alone, unless a target
	// is later than maxLeftLateness.
	leaveAlonePeriod = time.Second
	maxLeftLateness  = 10 * time.Second
)

// peerActivity is the youngest attempt that a node is publishing.
type peerActivity struct {
	attempt  string
	lateness time.Duration // at its start, by the clock of that node
}

// peer is what this node knows about another one.
type peer struct {
	last         peerActivity
	checkedAt    time.Time
	checkedTwice bool      // the check before was recent enough to compare
	aloneUntil   time.Time // the node is left alone
}

// preferredPeer returns what is known about the preferred node of a queue.
func (f *fleet) preferredPeer(q *queue) *peer {
	id := f.member.Preferred(q.account)
	p := f.peers[id]
	if p == nil {
		p = new(peer)
		f.peers[id] = p
	}
	return p
}

// isLeftAlone reports whether the targets of a queue are left to a node that works
// through a backlog.
func (p *peer) isLeftAlone(q *queue, now time.Time) bool {
	return now.Before(p.aloneUntil) && (q.waiting.len() == 0 || now.Sub(q.waiting.head().Time()) < maxLeftLateness)
}

// observePeers stores what the preferred nodes of some queues are publishing, and
// forgets nodes that were not checked for a minute.
func (f *fleet) observePeers(queues []*queue, activity map[string]peerActivity, now time.Time) {
	observed := map[string]bool{}
	for _, q := range queues {
		id := f.member.Preferred(q.account)
		if !observed[id] {
			observed[id] = true
			f.preferredPeer(q).observe(activity[id], now)
		}
	}
	for id, p := range f.peers {
		if now.Sub(p.checkedAt) > time.Minute {
			delete(f.peers, id)
		}
	}
}

func (p *peer) observe(activity peerActivity, now time.Time) {
	p.checkedTwice = now.Sub(p.checkedAt) < checkValidity
	if p.checkedTwice && activity.attempt != p.last.attempt && activity.lateness > backlogLateness {
		p.aloneUntil = now.Add(leaveAlonePeriod)
	}
	p.last, p.checkedAt = activity, now
}

// peerActivities returns the youngest running attempt of each other node, by node id.
func (f *fleet) peerActivities(r storage.Reader) (map[string]peerActivity, error) {
	running, err := r.RunningAttempts()
	if err != nil {
		return nil, err
	}
	youngest := map[string]int{}
	for i := range running {
		a := &running[i]
		if at, found := youngest[a.Owner]; !f.owns(a.Owner) && (!found || running[at].ID < a.ID) {
			youngest[a.Owner] = i
		}
	}
	activities := map[string]peerActivity{}
	for owner, i := range youngest {
		a := &running[i]
		post, err := r.Post(a.WorkspaceID, a.PostID)
		if err != nil && !notFound(err) {
			return nil, err
		}
		if t := post.Target(a.TargetID); t != nil {
			activities[owner] = peerActivity{a.ID, a.StartedAt.Sub(t.LateSince())}
		}
	}
	return activities, nil
}
