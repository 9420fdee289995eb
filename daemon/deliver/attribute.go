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

// A network that recognizes a post by its content alone may list the post of another
// target: one of the same account, or of another account that logs in as the same
// user. A post that belongs to another target never counts. A post that may still
// turn out to belong to one counts for nobody until that is known, so that two
// targets with the same content are not both published with one post.

const (
	// ambiguousAskDelay is how soon the network is asked again about a post that may be
	// another target's.
	ambiguousAskDelay = 10 * time.Second

	// ambiguousLimit is how long after its beginning an attempt waits for others
	// without that counting as a question in vain. Calls are over by then, and what
	// became of them was asked.
	ambiguousLimit = 10 * time.Minute

	// maxAmbiguousReads is how many posts with the same content are looked at.
	maxAmbiguousReads = 200
)

// misattributedError says that the network named a post that belongs to another target.
func misattributedError() *publish.Error {
	return &publish.Error{
		Kind: schedctl.KindUnknown, Code: "claimed", Outcome: schedctl.OutcomeUnknown,
		Message: "the server named a post that belongs to another target with the same text; look at the account how many there are, and if one is missing retry with force",
	}
}

// isTaken returns what tells publishers whether a post of the network belongs to
// another target than the call's.
func (d *Deliverer) isTaken(ctx context.Context, c *publisherCall) func(platformPostID string) (bool, error) {
	return func(platformPostID string) (taken bool, err error) {
		err = d.cfg.Store.View(ctx, func(r storage.Reader) error {
			owners, err := r.PublishedAs([]storage.PlatformPost{{Owner: c.account.Identity(), ID: platformPostID}})
			taken = err == nil && belongsToOther(owners[0], c.attempt.TargetID)
			return err
		})
		return taken, err
	}
}

// belongsToOther reports whether a post that belongs to the owners is another target's.
func belongsToOther(owners []string, targetID string) bool {
	return len(owners) > 0 && !slices.Contains(owners, targetID)
}

// isAmbiguous reports whether a post that was found for a call may be that of another
// target with the same content. Nobody has been asked about it for longer than the
// call was.
func (d *Deliverer) isAmbiguous(ctx context.Context, c *publisherCall) (contested bool, err error) {
	finder, ok := c.publisher.(publish.ContentFinder)
	if !ok {
		return false, nil
	}
	err = d.cfg.Store.View(ctx, func(r storage.Reader) error {
		v := attributionCheck{call: c, finder: finder, reader: r, now: time.Now(), earliest: c.attempt.StartedAt.Add(-d.cfg.MaxLateness - time.Hour)}
		contested, err = v.ambiguous()
		return err
	})
	return contested, err
}

// attributionCheck is one look for other targets that a post may belong to.
type attributionCheck struct {
	call     *publisherCall
	finder   publish.ContentFinder
	reader   storage.Reader
	now      time.Time
	earliest time.Time // of posts that can have an attempt as late as the call's
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
		same := slices.ContainsFunc(accounts, func(of schedctl.Account) bool { return of.ID == a.AccountID })
		if !same || !v.goesFirst(a) {
			continue
		}
		if alike, err := v.mayBeConfused(a); alike || err != nil {
			return alike, err
		}
	}
	for i := range accounts {
		if unsettled, err := v.hasUnknownOutcome(&accounts[i]); unsettled || err != nil {
			return unsettled, err
		}
	}
	return false, nil
}

// accounts returns the accounts that log in as the call's does, and that itself.
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

// goesFirst reports whether a running attempt keeps the call from taking a post: its
// own request may still be under way, or it began earlier and so is settled first.
func (v *attributionCheck) goesFirst(a *schedctl.Attempt) bool {
	mine := &v.call.attempt
	if a.TargetID == mine.TargetID {
		return false
	}
	underWay := v.now.Before(a.StartedAt.Add(attemptLease))
	return underWay || cmp.Or(a.StartedAt.Compare(mine.StartedAt), strings.Compare(a.ID, mine.ID)) < 0
}

// mayBeConfused reports whether the network may show the attempt's post as the call's.
func (v *attributionCheck) mayBeConfused(a *schedctl.Attempt) (bool, error) {
	post, err := v.reader.Post(a.WorkspaceID, a.PostID)
	if notFound(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	t := post.Target(a.TargetID)
	return t != nil && v.finder.MayConfuse(post.ContentFor(t), v.call.content), nil
}

// hasUnknownOutcome reports whether another target of an account has the same content and an
// attempt, from about the time of the call, that has ended without anyone knowing
// whether it published.
func (v *attributionCheck) hasUnknownOutcome(account *schedctl.Account) (bool, error) {
	ids, err := v.reader.SameContent(storage.ContentQuery{
		AccountID: account.ID, Fingerprint: schedctl.FingerprintOf(v.call.content),
		From: v.earliest, Until: v.now.Add(time.Hour), Limit: maxAmbiguousReads,
	})
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

// hasUnknownAttempt reports whether a target has an attempt of unknown outcome whose post
// the call's question to the network may find.
func (v *attributionCheck) hasUnknownAttempt(targetID string) (bool, error) {
	attempts, err := v.reader.Attempts(targetID)
	from := v.call.attempt.StartedAt.Add(-attemptLease)
	return slices.ContainsFunc(attempts, func(a schedctl.Attempt) bool {
		return a.Outcome == schedctl.OutcomeUnknown && a.StartedAt.After(from)
	}), err
}

// platformPostTargets returns who has the posts that networks have named for a batch of endings,
// as far as those can be others'. It belongs into the transaction that records them.
func platformPostTargets(r storage.Reader, batch []*attemptEnd) (map[storage.PlatformPost][]string, error) {
	var posts []storage.PlatformPost
	for _, e := range batch {
		if e.mayBeMisattributed() {
			posts = append(posts, e.platformPost())
		}
	}
	if len(posts) == 0 {
		return nil, nil
	}
	lists, err := r.PublishedAs(posts)
	if err != nil {
		return nil, err
	}
	owners := make(map[storage.PlatformPost][]string, len(posts))
	for i := range posts {
		owners[posts[i]] = lists[i]
	}
	return owners, nil
}

// mayBeMisattributed reports whether the network may have named another target's post.
func (e *attemptEnd) mayBeMisattributed() bool {
	_, guesses := e.call.publisher.(publish.ContentFinder)
	return guesses && e.receipt != nil && e.receipt.ID != "" && e.call.account.Identity().Login != ""
}

func (e *attemptEnd) platformPost() storage.PlatformPost {
	return storage.PlatformPost{Owner: e.call.account.Identity(), ID: e.receipt.ID}
}

// checkAttribution reports whether the post that the network has named is another target's,
// and else makes it that of the ending's.
func (r *recordTx) checkAttribution(e *attemptEnd) (claimed bool) {
	if !e.mayBeMisattributed() {
		return false
	}
	post, target := e.platformPost(), e.call.attempt.TargetID
	if belongsToOther(r.postTargets[post], target) {
		r.misattributed = append(r.misattributed, e)
		return true
	}
	r.postTargets[post] = append(r.postTargets[post], target)
	return false
}
