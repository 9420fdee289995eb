package deliver

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
)

// A network that recognizes a post only by its content may return the wrong post: that
// of a different target, in the same account or in an account with the same login. A
// post that belongs to a different target is never accepted. A post that may belong to
// one is not accepted until that is known. Otherwise one post could count as the result
// of two targets with the same content.

const (
	// ambiguousAskDelay is how soon the network is asked again about a post that may be
	// another target's.
	ambiguousAskDelay = 10 * time.Second

	// ambiguousLimit is how long after its start an attempt waits for others before
	// a question counts as failed. By then, the calls of the others are over and their
	// networks were asked.
	ambiguousLimit = 10 * time.Minute

	// maxAmbiguousReads is how many posts with the same content are checked.
	maxAmbiguousReads = 200
)

// misattributedError reports that the network returned the post of a different target.
func misattributedError() *publish.Error {
	return &publish.Error{
		Kind: schedctl.KindUnknown, Code: "claimed", Outcome: schedctl.OutcomeUnknown,
		Message: "the network returned a post that belongs to another target with the same text; check how many such posts the account has, and if one is missing retry with force",
	}
}

// isTaken returns a function that reports whether a post of the network belongs to a
// target other than the call's, or to an earlier part of the same target.
func (d *Deliverer) isTaken(ctx context.Context, c *publisherCall) func(platformPostID string) (bool, error) {
	return func(platformPostID string) (taken bool, err error) {
		err = d.cfg.Store.View(ctx, func(r storage.Reader) error {
			targets, err := r.PublishedAs([]storage.PlatformPost{{Owner: c.account.Identity(), ID: platformPostID}})
			taken = err == nil && (belongsToOther(targets[0], c.attempt.TargetID) || hasPart(c.done, platformPostID))
			return err
		})
		return taken, err
	}
}

// belongsToOther reports whether a post with the given targets belongs only to targets
// other than this one.
func belongsToOther(targets []string, targetID string) bool {
	return len(targets) > 0 && !slices.Contains(targets, targetID)
}

// hasPart reports whether one of the parts has a network id.
func hasPart(done []schedctl.PublishedPart, id string) bool {
	return slices.ContainsFunc(done, func(d schedctl.PublishedPart) bool { return d.ID == id })
}

// isAmbiguous reports whether a post that was found for a call may belong to a different
// target with the same content. A reply cannot: Find has checked its parent, which belongs
// to the same target.
func (d *Deliverer) isAmbiguous(ctx context.Context, c *publisherCall) (ambiguous bool, err error) {
	finder, ok := c.publisher.(publish.ContentFinder)
	if !ok || c.part.Index > 0 {
		return false, nil
	}
	err = d.cfg.Store.View(ctx, func(r storage.Reader) error {
		v := attributionCheck{call: c, finder: finder, reader: r, now: time.Now(), earliest: c.attempt.StartedAt.Add(-d.cfg.MaxLateness - time.Hour)}
		ambiguous, err = v.ambiguous()
		return err
	})
	return ambiguous, err
}

// attributionCheck looks for other targets that a post may belong to.
type attributionCheck struct {
	call     *publisherCall
	finder   publish.ContentFinder
	reader   storage.Reader
	now      time.Time
	earliest time.Time // publish time of posts that can have an attempt as late as the call's
}

func (v *attributionCheck) ambiguous() (bool, error) {
	accounts, err := v.accounts()
	if err != nil {
		return false, err
	}
	running, err := v.reader.RunningAttempts()
	if err != nil {
		return false, err
	}
	for i := range running {
		a := &running[i]
		same := slices.ContainsFunc(accounts, func(account schedctl.Account) bool { return account.ID == a.AccountID })
		if !same || !v.goesFirst(a) {
			continue
		}
		if confused, err := v.mayBeConfused(a); confused || err != nil {
			return confused, err
		}
	}
	for i := range accounts {
		if found, err := v.hasUnknownOutcome(&accounts[i]); found || err != nil {
			return found, err
		}
	}
	return false, nil
}

// accounts returns the call's account and all accounts with the same login.
func (v *attributionCheck) accounts() ([]schedctl.Account, error) {
	own, identity := v.call.account, v.call.account.Identity()
	list := []schedctl.Account{own}
	if identity.Login == "" {
		return list, nil
	}
	same, err := v.reader.AccountsOf([]schedctl.Identity{identity})
	for i := range same {
		if same[i].ID != own.ID {
			list = append(list, same[i])
		}
	}
	return list, err
}

// goesFirst reports whether a running attempt has precedence over the call: its request
// may still be running, or it started earlier and is therefore settled first.
func (v *attributionCheck) goesFirst(a *schedctl.Attempt) bool {
	mine := &v.call.attempt
	if a.TargetID == mine.TargetID {
		return false
	}
	mayBeCalling := v.now.Before(a.StartedAt.Add(attemptLease))
	return mayBeCalling || cmp.Or(a.StartedAt.Compare(mine.StartedAt), strings.Compare(a.ID, mine.ID)) < 0
}

// mayBeConfused reports whether the network may take the attempt's post for the call's.
func (v *attributionCheck) mayBeConfused(a *schedctl.Attempt) (bool, error) {
	post, err := v.reader.Post(a.WorkspaceID, a.PostID)
	if notFound(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	t := post.Target(a.TargetID)
	if t == nil || a.Part >= post.PartCount(t) {
		return false, nil
	}
	return v.finder.MayConfuse(post.PartFor(t, a.Part).Content, v.call.part.Content), nil
}

// hasUnknownOutcome reports whether another target of an account has the same content
// and an attempt, from about the time of the call, that ended with the outcome unknown.
func (v *attributionCheck) hasUnknownOutcome(account *schedctl.Account) (bool, error) {
	ids, err := v.sameContent(account.ID)
	if err != nil {
		return false, err
	}
	for _, id := range ids {
		post, err := v.reader.Post(account.WorkspaceID, id)
		if err != nil {
			return false, err
		}
		for i := range post.Targets {
			t := &post.Targets[i]
			if t.AccountID != account.ID || t.ID == v.call.attempt.TargetID {
				continue
			}
			if found, err := v.hasUnknownAttempt(t.ID); found || err != nil {
				return found, err
			}
		}
	}
	return false, nil
}

// sameContent returns the posts of an account with the same text alone, or with the same
// text, files and further parts.
func (v *attributionCheck) sameContent(accountID string) (ids []string, err error) {
	a := &v.call.attempt
	post, err := v.reader.Post(a.WorkspaceID, a.PostID)
	if err != nil && !notFound(err) {
		return nil, err
	}
	prints := []schedctl.Fingerprint{schedctl.FingerprintOf(v.call.part.Content)}
	if t := post.Target(a.TargetID); t != nil {
		if whole := post.Fingerprint(t); whole != prints[0] {
			prints = append(prints, whole)
		}
	}
	for _, fingerprint := range prints {
		some, err := v.reader.SameContent(storage.ContentQuery{
			AccountID: accountID, Fingerprint: fingerprint, From: v.earliest, Until: v.now.Add(time.Hour), Limit: maxAmbiguousReads,
		})
		if err != nil {
			return nil, err
		}
		ids = append(ids, some...)
	}
	return ids, nil
}

// hasUnknownAttempt reports whether a target has an attempt with the outcome unknown
// whose post the network may return for the call.
func (v *attributionCheck) hasUnknownAttempt(targetID string) (bool, error) {
	attempts, err := v.reader.Attempts(targetID)
	from := v.call.attempt.StartedAt.Add(-attemptLease)
	return slices.ContainsFunc(attempts, func(a schedctl.Attempt) bool {
		return a.Outcome == schedctl.OutcomeUnknown && a.StartedAt.After(from)
	}), err
}

// platformPostTargets returns the targets of the posts that networks returned for a
// batch, where those may be misattributed. Call it in the transaction that records the
// batch.
func platformPostTargets(r storage.Reader, batch []*attemptEnd) (map[storage.PlatformPost][]string, error) {
	var posts []storage.PlatformPost
	for _, e := range batch {
		if e.mayBeMisattributed() {
			posts = append(posts, e.platformPosts()...)
		}
	}
	if len(posts) == 0 {
		return nil, nil
	}
	lists, err := r.PublishedAs(posts)
	if err != nil {
		return nil, err
	}
	targets := make(map[storage.PlatformPost][]string, len(posts))
	for i := range posts {
		targets[posts[i]] = lists[i]
	}
	return targets, nil
}

// mayBeMisattributed reports whether the network may have returned another target's post.
func (e *attemptEnd) mayBeMisattributed() bool {
	_, guesses := e.call.publisher.(publish.ContentFinder)
	return guesses && e.receipt != nil && e.receipt.ID != "" && e.call.account.Identity().Login != ""
}

// platformPosts returns the posts of the network that the receipt is for.
func (e *attemptEnd) platformPosts() []storage.PlatformPost {
	owner := e.call.account.Identity()
	posts := []storage.PlatformPost{{Owner: owner, ID: e.receipt.ID}}
	for i := range e.receipt.Rest {
		posts = append(posts, storage.PlatformPost{Owner: owner, ID: e.receipt.Rest[i].ID})
	}
	return posts
}

// checkAttribution reports whether the receipt is for the post of a different target, or
// for another part of this one. If it is not, the post now belongs to this target.
func (r *recordTx) checkAttribution(e *attemptEnd, p *schedctl.Post) (misattributed bool) {
	if !e.mayBeMisattributed() {
		return false
	}
	target, posts := e.call.attempt.TargetID, e.platformPosts()
	t := p.Target(target)
	for _, post := range posts {
		if belongsToOther(r.postTargets[post], target) || t != nil && hasPart(t.Done, post.ID) {
			r.misattributed = append(r.misattributed, e)
			return true
		}
	}
	for _, post := range posts {
		r.postTargets[post] = append(r.postTargets[post], target)
	}
	return false
}
