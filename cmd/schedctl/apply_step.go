package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/postfile"
)

// apply takes every step that changes something, and writes the lock after each,
// so that nothing is forgotten wherever it ends. The steps that were not taken
// are no longer in the list.
func (p *planner) apply(ctx context.Context) error {
	bar := p.newProgress("applying", len(p.steps))
	defer bar.clear()
	var failed several
	var taken []step
	for i := range p.steps {
		s := p.steps[i]
		err := p.note(&s)
		if err == nil {
			err = p.take(ctx, &s)
		}
		if err == nil {
			taken = append(taken, s)
			bar.step()
			continue
		}
		failed = append(failed, fmt.Errorf("%s: %w", first(s.File, s.ID), err))
		if !ofLine(err) {
			break // the others would meet it as well
		}
	}
	all := len(p.steps)
	if p.steps = taken; failed == nil {
		return nil
	}
	const again = "the same command goes on from there"
	reached := fmt.Sprintf("%d of %s", len(taken), plural(all, "file"))
	switch last := failed[len(failed)-1]; {
	case exitStatus(last) == exitInterrupted:
		return p.interruption("interrupted after "+reached, again)
	case !ofLine(last):
		return fmt.Errorf("stopped after %s: %w; %s", reached, last, again)
	}
	summary := &failure{status: exitFailed, code: codeFailed, message: fmt.Sprintf("%d of %s could not be applied", len(failed), plural(all, "file"))}
	return append(several{summary}, failed...)
}

// note keeps in the lock what is known without taking a step.
func (p *planner) note(s *step) error {
	if s.Action != isUnchanged || s.entry == s.locked() {
		return nil
	}
	p.lock.Put(p.workspace, s.ID, s.locked())
	return p.save()
}

// locked returns the entry of a step that was taken.
func (s *step) locked() postfile.Entry {
	return postfile.Entry{Post: s.PostID, At: stamp(s.wanted.at), Applied: s.wanted.print()}
}

// take makes the change of a step and notes it in the lock. The lock is written
// before a post is created as well: where that is not possible, nothing is done.
func (p *planner) take(ctx context.Context, s *step) (err error) {
	switch s.Action {
	case doCreate:
		if err = p.save(); err == nil {
			err = p.create(ctx, s)
		}
	case doSchedule, doReschedule, doEdit:
		_, err = patiently(ctx, p.app, func() (apiv1.Post, error) {
			return p.client.EditPost(ctx, s.PostID, p.edit(s), client.IfVersion(s.post.Version))
		})
	case doCancel:
		_, err = patiently(ctx, p.app, func() (apiv1.Post, error) {
			return p.client.CancelPost(ctx, s.PostID, client.IfVersion(s.post.Version))
		})
	case doDelete:
		_, err = patiently(ctx, p.app, func() (struct{}, error) { return struct{}{}, p.client.DeletePost(ctx, s.PostID) })
	case doAdopt, doForget:
	default:
		return nil
	}
	if err != nil {
		return err
	}
	switch s.Action {
	case doCancel, doDelete, doForget:
		p.bury(s)
	default:
		p.lock.Put(p.workspace, s.ID, s.locked())
	}
	if err := p.save(); err != nil {
		return errors.Join(err, fmt.Errorf("what %s is, is not noted: %s", s.ID, s.PostID))
	}
	return nil
}

// bury notes that a post has no file any more. A post that was called off is
// remembered, so that a file with its id gets another one.
func (p *planner) bury(s *step) {
	if s.post.Status == schedctl.Published || s.post.Status == schedctl.Failed {
		p.lock.Remove(p.workspace, s.ID)
		return
	}
	s.entry.Gone = true
	p.lock.Put(p.workspace, s.ID, s.entry)
}

// create creates the post of a file, once, also when the lock is lost before
// the next time.
func (p *planner) create(ctx context.Context, s *step) error {
	post, _, err := p.createOnce(ctx, p.client, p.request(&s.wanted), keyOf("apply", s.ID, s.after))
	if schedctl.CodeOf(err) == schedctl.IdempotencyKeyReused {
		return reworded(err, fmt.Sprintf("a file with the id %q was applied within the last 24 hours with another text, time or accounts, and %s does not know its post; "+
			"bring the newest one, or give this file another id", s.ID, postfile.LockName))
	}
	s.PostID, s.post = post.ID, post
	return err
}

// edit returns what is to be changed of a post.
func (p *planner) edit(s *step) (edit apiv1.EditPost) {
	have, want := stateOf(s.post), s.wanted.postState
	edit.AllowDuplicate = p.allowDuplicate
	if have.content != want.content {
		edit.Content = &want.content
	}
	if !have.at.Equal(want.at) {
		edit.PublishAt = apiv1.NewTime(want.at)
	}
	to := toText(have, nil) != toText(want, nil)
	if to {
		edit.SocialAccountIDs = &want.accounts
	}
	overrides := kept(s.post.TargetOverrides, want.accounts)
	for _, id := range want.accounts {
		overrides = replaced(overrides, id, want.texts[id])
	}
	if to || (postState{texts: have.texts}).print() != (postState{texts: want.texts}).print() {
		edit.TargetOverrides = &overrides
	}
	return edit
}
