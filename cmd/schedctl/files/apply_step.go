package files

import (
	"context"
	"fmt"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
)

// apply makes the changes of all steps, several at once, but creates the posts of one time in
// the order of their files: they are published in the order in which they were created. Each step is complete in
// itself: after an interruption at any point, the next apply continues. Steps that
// were not taken are removed from the list.
func (p *planner) apply(ctx context.Context) error {
	bar := p.NewProgress("applying", len(p.steps))
	defer bar.Clear()
	var taken []step
	var failed cli.ErrorList
	early := p.takeSlots(ctx)
	take := func(ctx context.Context, s *step) error {
		if err, done := early[s.ID]; done {
			return err
		}
		return p.take(ctx, s)
	}
	err := cli.RunEachInTurn(ctx, p.steps, (*step).turn, take, func(s step, err error) error {
		if err != nil {
			named := fmt.Errorf("%s: %w", cli.FirstNonEmpty(s.File, s.ID), err)
			if !post.IsLineError(err) {
				return named
			}
			s.Action, s.Message = isRefused, cli.ErrorLine(err)
			failed = append(failed, named)
		}
		taken = append(taken, s)
		bar.Step()
		return nil
	})
	reached := fmt.Sprintf("%d of %s", len(taken), cli.Plural(len(p.steps), "file"))
	p.steps = taken
	const again = "run the same command again to continue"
	switch {
	case cli.ExitStatus(err) == cli.ExitInterrupted:
		return post.Interruption(p.App, "interrupted after "+reached, again)
	case err != nil:
		return fmt.Errorf("stopped after %s: %w; %s", reached, err, again)
	case failed != nil:
		summary := &cli.Failure{Status: cli.ExitFailed, Code: cli.CodeFailed, Message: fmt.Sprintf("%d of %s could not be applied", len(failed), cli.Plural(len(taken), "file"))}
		return append(cli.ErrorList{summary}, failed...)
	}
	return nil
}

// turn returns the time of a post to create. The posts of one time are created one after the
// other.
func (s *step) turn() string {
	if s.Action != doCreate {
		return ""
	}
	return s.wanted.At
}

// maxTries is how often a step is decided again because other clients changed its
// post.
const maxTries = 4

// take makes the change of a step. When another client changed the post, it decides
// again: of two applies of the same files, the second has nothing to do.
func (p *planner) take(ctx context.Context, s *step) error {
	for try := 1; ; try++ {
		err := p.takeOnce(ctx, s)
		conflict := cli.ExitStatus(err) == cli.ExitConflict || cli.ExitStatus(err) == cli.ExitNotFound
		if !conflict || try == maxTries || s.moved {
			return err
		}
		if err := p.announce(ctx); err != nil {
			return err // a later apply has started since
		}
		s.post = apiv1.Post{}
		q := client.PostQuery{ExternalID: p.externalID(s.ID)}
		for post, err := range p.client.EachPost(ctx, q) {
			if err != nil {
				return err
			}
			s.post = post
		}
		if late := p.decide(s); late != nil {
			return late
		}
	}
}

// takeOnce makes the change of a step with the version of the post that the step
// knows.
func (p *planner) takeOnce(ctx context.Context, s *step) (err error) {
	if s.moved {
		external := p.externalID(s.ID)
		err = p.edit(ctx, s, apiv1.EditPost{ExternalID: &external, Managed: p.managed(s, s.post.Managed.Digest)})
		if err != nil {
			return err
		}
		s.moved = false
	}
	switch s.Action {
	case doCreate:
		return p.create(ctx, s)
	case doReschedule, doEdit:
		return p.update(ctx, s)
	case doCancel:
		return p.cancel(ctx, s)
	case isUnchanged:
		if err := p.note(ctx, s); err != nil {
			return err
		}
		if a := s.post.Approval; a == nil || a.State == schedctl.ApprovalWithdrawn {
			return p.submitDraft(ctx, s) // an earlier apply was interrupted
		}
	}
	return nil
}

// managed returns the collection, path and digest to store with the post of a step.
func (p *planner) managed(s *step, digest string) *apiv1.Managed {
	path := s.File
	if m := s.post.Managed; path == "" && m != nil {
		path = m.Path
	}
	return &apiv1.Managed{Collection: p.collection, Path: cli.FirstNonEmpty(path, s.ID), Digest: digest}
}

func (p *planner) create(ctx context.Context, s *step) error {
	if err := p.uploadMissing(ctx, s.wanted); err != nil {
		return err
	}
	create := p.request(s)
	external := p.externalID(s.ID)
	create.ExternalID, create.Managed = &external, p.managed(s, s.wanted.digest())
	if s.post.ID != "" {
		create.Replaces = &s.post.ID
	}
	if err := p.review(s, &create.PublishAt, &create.ProposedAt, &create.ApprovedBy); err != nil {
		return err
	}
	post, err := p.client.CreatePost(ctx, create)
	if err != nil {
		return err
	}
	s.PostID, s.post = post.ID, post
	s.tellSlot()
	return p.submitDraft(ctx, s)
}

// edit changes the post of a step, unless another client has changed it.
func (p *planner) edit(ctx context.Context, s *step, edit apiv1.EditPost) error {
	post, err := p.client.EditPost(ctx, s.post.ID, edit, client.IfVersion(s.post.Version))
	if err == nil {
		s.post = post
	}
	return err
}

// update changes a post to match its file. Turning a scheduled post into a draft takes
// several requests; after each of them the stored digest fits the post.
func (p *planner) update(ctx context.Context, s *step) error {
	if err := p.uploadMissing(ctx, s.wanted); err != nil {
		return err
	}
	have, want := stateOf(s.post), s.wanted
	draft := have.timed() && !want.timed()
	if draft {
		want.At, want.Queue, want.NotBefore = have.At, have.Queue, have.NotBefore
		want.Accounts, want.Overrides = have.Accounts, have.Overrides
	}
	edit := p.changesTo(s, have, want)
	if want.timed() && !draft {
		if err := p.reviewEdit(s, &edit); err != nil {
			return err
		}
	}
	err := p.edit(ctx, s, edit)
	if p.submit && s.post.Status == schedctl.Scheduled && schedctl.CodeOf(err) == schedctl.ApprovalMissing {
		err = p.reviewAgain(ctx, s, edit)
	}
	if err != nil || !draft {
		if err == nil && edit.QueueID != nil {
			s.tellSlot()
		}
		if err == nil {
			err = p.submitDraft(ctx, s)
		}
		return err
	}
	post, err := p.client.UnschedulePost(ctx, s.post.ID, client.IfVersion(s.post.Version))
	if err != nil {
		return err
	}
	s.post = post
	return p.edit(ctx, s, p.changesTo(s, stateOf(post), s.wanted))
}

// changesTo returns the request that changes a post from one state to another.
func (p *planner) changesTo(s *step, have postState, want wantedPost) apiv1.EditPost {
	edit := changes(have, want.postState, p.withAssets(want))
	edit.AllowDuplicate, edit.Managed = p.allowDuplicate, p.managed(s, want.digest())
	switch {
	case want.Queue != "" && (have.Queue != want.Queue || have.NotBefore != want.NotBefore):
		edit.PublishAt, edit.QueueID, edit.NotBefore = apiv1.NextSlot(), &want.Queue, s.wanted.notBefore()
	case !want.timed() && s.post.Status == schedctl.Draft && s.post.ProposedAt != nil:
		edit.ProposedAt = &apiv1.ProposedTime{} // which removes it
	case want.Queue == "" && have.At != want.At, p.approvesWaiting(s):
		edit.PublishAt = apiv1.At(s.wanted.moment.Time)
	}
	return edit
}

// cancel cancels a post whose file was removed; a draft is deleted.
func (p *planner) cancel(ctx context.Context, s *step) error {
	version := client.IfVersion(s.post.Version)
	if s.post.Status == schedctl.Draft {
		return p.client.DeletePost(ctx, s.post.ID, version)
	}
	managed := p.managed(s, stateOf(s.post).digest())
	managed.Pruned = true
	_, err := p.client.CancelManagedPost(ctx, s.post.ID, *managed, version)
	return err
}

// note stores the path of a file that was moved, and the digest of a file that
// matches its post.
func (p *planner) note(ctx context.Context, s *step) error {
	if s.wanted.doc == nil {
		return nil
	}
	have := stateOf(s.post).digest()
	managed := p.managed(s, have)
	if m := s.post.Managed; m != nil {
		managed.Pruned = m.Pruned
		if have != s.wanted.digest() {
			managed.Digest = m.Digest
		}
		if *m == *managed {
			return nil
		}
	}
	return p.edit(ctx, s, apiv1.EditPost{Managed: managed})
}
