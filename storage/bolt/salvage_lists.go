package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
)

// listedPosts is what the indexes of a file say of its posts.
type listedPosts struct {
	status  map[ulid]byte   // of each post
	due     map[ulid]uint64 // of each target that waits
	targets map[ulid]bool   // of all posts
	whole   bool            // status and due could be read completely

	// The youngest that are listed. Where the state is a guess, what is younger
	// may have come later.
	lastPost, lastTarget ulid
}

// readLists reads what the indexes say of the posts, and notes what the other
// buckets lead to.
func (s *findings) readLists(ctx context.Context) (err error) {
	l := listedPosts{status: map[ulid]byte{}, due: map[ulid]uint64{}, targets: map[ulid]bool{}}
	s.walk(postsByAge, func(it item, _ bool) {
		if len(it.key) == 49 && ulid(it.key[16:]) == anyAccount {
			post := ulid(it.key[33:])
			l.status[post], l.lastPost = it.key[32], later(l.lastPost, post)
		}
	})
	s.walk(due, func(it item, _ bool) {
		if len(it.key) == 24 {
			l.due[ulid(it.key[8:])] = readTime(it.key)
		}
	})
	s.walk(targets, func(it item, _ bool) {
		if len(it.key) == 16 {
			target := ulid(it.key)
			l.targets[target], l.lastTarget = true, later(l.lastTarget, target)
		}
	})
	l.whole = len(s.holes[postsByAge]) == 0 && len(s.holes[due]) == 0
	s.listed = l
	for b := range bucketCount {
		if err := ctx.Err(); err != nil {
			return err
		}
		if b != postsByAge && b != due && b != targets {
			s.walk(b, func(item, bool) {})
		}
	}
	if s.settle(); s.certain() {
		return nil
	}
	s.gaps, err = s.learnGaps(ctx)
	return err
}

// later returns the younger one of two ids.
func later(a, b ulid) ulid {
	if compareULIDs(a, b) > 0 {
		return a
	}
	return b
}

// deleted reports whether a post that was found is one that the indexes show to be
// gone. Where its page may not be of the last state one of them is enough, or the
// gap that it has left on a page. Else the page may be right and the index
// damaged, but not two of them; and the same goes for the indexes of a root that
// is a guess.
func (s *findings) deleted(ws, post ulid, p *schedctl.Post, doubtful bool) bool {
	unlisted, untargeted := s.unlisted(ws, post), s.untargeted(p)
	switch {
	case unlisted && untargeted, doubtful && s.root.tx > 0 && (unlisted || untargeted):
		return true
	}
	return (doubtful || s.guessed) && s.gaps.has(post)
}

// unlisted reports whether a post is not in the lists, nor in a part of them that
// cannot be read.
func (s *findings) unlisted(ws, post ulid) bool {
	if _, ok := s.listed.status[post]; ok || s.guessed && compareULIDs(post, s.listed.lastPost) > 0 {
		return false
	}
	for code := range statusCodes {
		if s.inHole(postsByAge, concat(nil, ws[:], anyAccount[:], []byte{byte(code)}, post[:])) {
			return false
		}
	}
	return true
}

// untargeted reports the same of the index of targets.
func (s *findings) untargeted(p *schedctl.Post) bool {
	for i := range p.Targets {
		target, err := parse(schedctl.TargetPrefix, p.Targets[i].ID)
		if err != nil || s.listed.targets[target] || s.inHole(targets, target[:]) || s.guessed && compareULIDs(target, s.listed.lastTarget) > 0 {
			return false
		}
	}
	return len(p.Targets) > 0
}

// gap is the space between two posts that lie beside each other on some page.
// Ids grow, so that a post in it was there before the two were beside each other,
// and had been deleted by then.
type gap struct{ from, to ulid }

// gaps are in the order of their beginnings. The end of each is the furthest of
// those up to it.
type gaps []gap

func gapsOf(list []gap) gaps {
	slices.SortFunc(list, func(a, b gap) int { return compareULIDs(a.from, b.from) })
	for i := 1; i < len(list); i++ {
		if before := list[i-1].to; compareULIDs(before, list[i].to) > 0 {
			list[i].to = before
		}
	}
	return list
}

// learnGaps reads them from all pages, those that are free among them.
func (s *findings) learnGaps(ctx context.Context) (gaps, error) {
	var list []gap
	k := kindOfBucket(posts)
	err := s.eachPage(ctx, func(p rawPage) {
		if !p.leaf || p.broken || kindOfPage(p) != k {
			return
		}
		for i := 1; i < len(p.items); i++ {
			if from, to := p.items[i-1], p.items[i]; ownsKey(from) && ownsKey(to) && bytes.Compare(from.key, to.key) < 0 {
				list = append(list, gap{ulid(from.key), ulid(to.key)})
			}
		}
	})
	return gapsOf(list), err
}

// ownsKey reports whether a post has the key that it was made with: it is as old
// as the post, or lies before one of its targets. One wrong byte would make a gap
// in which all others are.
func ownsKey(it item) bool {
	p, err := readPost(it.key, it.value)
	if err != nil {
		return false
	}
	key := ulid(it.key)
	return soonAfter(p.CreatedAt, key.Time()) || slices.ContainsFunc(p.Targets, func(t schedctl.Target) bool {
		target, err := parse(schedctl.TargetPrefix, t.ID)
		return err == nil && nextAfter(key, target)
	})
}

// nextAfter reports whether an id was made right after another, with at most some
// hundred between them.
func nextAfter(before, id ulid) bool {
	if !id.Time().Equal(before.Time()) {
		return soonAfter(before.Time(), id.Time())
	}
	order := binary.BigEndian
	return bytes.Equal(before[:8], id[:8]) && order.Uint64(id[8:])-order.Uint64(before[8:])-1 < 1000
}

// soonAfter reports whether an id can be of the same moment as what was before it:
// it is younger when others were made meanwhile.
func soonAfter(before, id time.Time) bool {
	return !id.Before(before) && id.Sub(before) <= 10*time.Millisecond
}

// has reports whether a post lies in a gap.
func (g gaps) has(post ulid) bool {
	i, _ := slices.BinarySearchFunc(g, post, func(it gap, post ulid) int { return compareULIDs(it.from, post) })
	return i > 0 && compareULIDs(post, g[i-1].to) < 0
}

// agrees compares a post with the indexes, when these are known.
func (l *listedPosts) agrees(post ulid, p *schedctl.Post) (agrees, known bool) {
	if !l.whole {
		return false, false
	}
	if code, ok := l.status[post]; !ok || code != statusCode(p.Status()) {
		return false, true
	}
	for i := range p.Targets {
		target, err := parse(schedctl.TargetPrefix, p.Targets[i].ID)
		if err != nil {
			return false, true
		}
		at, waits := p.Targets[i].Due()
		listed, ok := l.due[target]
		if waits != ok || waits && timeKey(at.UnixMilli()) != listed {
			return false, true
		}
	}
	return true, true
}
