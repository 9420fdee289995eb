package files

import (
	"context"
	"fmt"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
)

// apply takes all steps, several at once. Each is complete in itself: after an
// interruption at any point the next apply continues. Steps that were not taken
// are removed from the list.
func (p *Planner) apply(ctx context.Context) error {
	bar := p.NewProgress("applying", len(p.steps))
	defer bar.Clear()
	var taken []Step
	var failed cli.ErrorList
	err := cli.RunEachInOrder(ctx, p.steps, p.take, func(s Step, err error) error {
		if err != nil {
			named := fmt.Errorf("%s: %w", cli.FirstNonEmpty(s.File, s.ID), err)
			if !post.IsLineError(err) {
				return named
			}
			s.Action, s.Message = isRefused, cli.OneLine(err.Error())
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

// maxTries is how many times a step is decided when other clients are faster.
const maxTries = 4

// take takes a step. When another client changed the post in the meantime, it
// decides again: of two applies of the same files, the second has nothing to do.
func (p *Planner) take(ctx context.Context, s *Step) error {
	for try := 1; ; try++ {
		err := p.takeOnce(ctx, s)
		conflict := cli.ExitStatus(err) == cli.ExitConflict || cli.ExitStatus(err) == cli.ExitNotFound
		if !conflict || try == maxTries || s.moved {
			return err
		}
		s.Post = apiv1.Post{}
		q := client.PostQuery{ExternalID: p.externalID(s.ID)}
		for post, err := range p.client.EachPost(ctx, q) {
			if err != nil {
				return err
			}
			s.Post = post
		}
		if late := p.Decide(s); late != nil {
			return late
		}
	}
}

// takeOnce makes the change of a step with the version of the post that the step
// knows.
func (p *Planner) takeOnce(ctx context.Context, s *Step) (err error) {
	if s.moved {
		external := p.externalID(s.ID)
		err = p.edit(ctx, s, apiv1.EditPost{ExternalID: &external, Managed: p.managed(s, s.Post.Managed.Digest)})
		if err != nil {
			return err
		}
		s.moved = false
	}
	switch s.Action {
	case DoCreate:
		return p.create(ctx, s)
	case DoReschedule, DoEdit:
		return p.update(ctx, s)
	case DoCancel:
		return p.cancel(ctx, s)
	case IsUnchanged:
		return p.note(ctx, s)
	}
	return nil
}

// managed returns how the post of a step belongs to the collection.
func (p *Planner) managed(s *Step, digest string) *apiv1.Managed {
	path := s.File
	if m := s.Post.Managed; path == "" && m != nil {
		path = m.Path
	}
	return &apiv1.Managed{Collection: p.collection, Path: cli.FirstNonEmpty(path, s.ID), Digest: digest}
}

func (p *Planner) create(ctx context.Context, s *Step) error {
	create := p.request(s)
	external := p.externalID(s.ID)
	create.ExternalID, create.Managed = &external, p.managed(s, s.Wanted.Digest())
	if s.Post.ID != "" {
		create.Replaces = &s.Post.ID
	}
	post, err := p.client.CreatePost(ctx, create)
	if err == nil {
		s.PostID, s.Post = post.ID, post
	}
	return err
}

// edit changes the post of a step, unless another client has changed it.
func (p *Planner) edit(ctx context.Context, s *Step, edit apiv1.EditPost) error {
	post, err := p.client.EditPost(ctx, s.Post.ID, edit, client.IfVersion(s.Post.Version))
	if err == nil {
		s.Post = post
	}
	return err
}

// update brings a post to the state of its file. To make a draft of a scheduled
// post takes several requests; after each of them the digest fits the post.
func (p *Planner) update(ctx context.Context, s *Step) error {
	have, want := StateOf(s.Post), s.Wanted.PostState
	draft := have.At != "" && want.At == ""
	if draft {
		want.At, want.Accounts, want.Overrides = have.At, have.Accounts, have.Overrides
	}
	if err := p.edit(ctx, s, p.changesTo(s, have, want)); err != nil || !draft {
		return err
	}
	post, err := p.client.UnschedulePost(ctx, s.Post.ID, client.IfVersion(s.Post.Version))
	if err != nil {
		return err
	}
	s.Post = post
	return p.edit(ctx, s, p.changesTo(s, StateOf(post), s.Wanted.PostState))
}

// changesTo returns the change of a post from one state to another.
func (p *Planner) changesTo(s *Step, have, want PostState) (edit apiv1.EditPost) {
	edit.AllowDuplicate, edit.Managed = p.allowDuplicate, p.managed(s, want.Digest())
	if have.Content != want.Content {
		edit.Content = &want.Content
	}
	if have.At != want.At {
		edit.PublishAt = apiv1.NewTime(s.Wanted.Moment.Time)
	}
	if !slices.Equal(have.Labels, want.Labels) {
		labels := append([]string{}, want.Labels...)
		edit.Labels = &labels
	}
	moved := !slices.Equal(have.Accounts, want.Accounts)
	if moved {
		accounts := append([]string{}, want.Accounts...)
		edit.SocialAccountIDs = &accounts
	}
	before, after := PostState{Overrides: have.Overrides}, PostState{Overrides: want.Overrides}
	if moved || before.Digest() != after.Digest() {
		overrides := want.APIOverrides()
		edit.TargetOverrides = &overrides
	}
	return edit
}

// cancel cancels a post whose file was removed; a draft is deleted.
func (p *Planner) cancel(ctx context.Context, s *Step) error {
	version := client.IfVersion(s.Post.Version)
	if s.Post.Status == schedctl.Draft {
		return p.client.DeletePost(ctx, s.Post.ID, version)
	}
	managed := p.managed(s, StateOf(s.Post).Digest())
	managed.Pruned = true
	_, err := p.client.CancelManagedPost(ctx, s.Post.ID, *managed, version)
	return err
}

// note stores the path of a file that was moved, and the digest of a file that
// matches its post.
func (p *Planner) note(ctx context.Context, s *Step) error {
	if s.Wanted.File == nil {
		return nil
	}
	have := StateOf(s.Post).Digest()
	managed := p.managed(s, have)
	if m := s.Post.Managed; m != nil {
		managed.Pruned = m.Pruned
		if have != s.Wanted.Digest() {
			managed.Digest = m.Digest
		}
		if *m == *managed {
			return nil
		}
	}
	return p.edit(ctx, s, apiv1.EditPost{Managed: managed})
}
