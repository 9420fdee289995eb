package files

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/postfile"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
)

// checked is what the daemon says of the request that a step makes.
type checked struct {
	problems []postfile.Problem
	refusals []refusal
	warnings []postfile.Problem
}

// validate asks the daemon about the selected posts that change. If the files of a post are
// not uploaded yet, only the text is checked.
func (p *planner) validate(ctx context.Context, selected func(*step) bool) error {
	return cli.RunEachInOrder(ctx, p.steps, func(ctx context.Context, s *step) error {
		s.checked = checked{}
		if !s.does() || s.wanted.doc == nil || !selected(s) {
			return nil
		}
		create, known, err := p.checkRequest(s)
		if err != nil || !known {
			return err
		}
		v, err := p.client.ValidateChange(ctx, s.PostID, create)
		if s.PostID != "" && schedctl.CodeOf(err) == schedctl.NotFound {
			return nil // another apply has deleted the post; this one decides again
		}
		if err != nil {
			return err
		}
		v.Problems = slices.DeleteFunc(v.Problems, madeMeanwhile)
		if s.PostID != "" && !isOpen(s.post) { // only its annotation changes
			v.Problems, v.Warnings, v.Accounts = nil, nil, nil
		}
		if p.submit && s.post.Status == schedctl.Scheduled { // apply makes it a draft first
			v.Refusals = slices.DeleteFunc(v.Refusals, func(r apiv1.Problem) bool { return r.Code == string(schedctl.ApprovalMissing) })
		}
		p.readValidation(s.wanted.doc, v, &s.checked)
		return nil
	}, func(s step, err error) error {
		code := schedctl.CodeOf(err)
		if own := (*cli.Failure)(nil); errors.As(err, &own) {
			code = own.Code
		}
		if err != nil && (post.IsLineError(err) || cli.ExitByCode[code] == cli.ExitAuth && code != "") {
			p.refuse(refusal{s.wanted.doc.Problemf(s.wanted.doc.First, "%v", err), code})
			return nil
		}
		p.report(s.checked)
		return err
	})
}

// madeMeanwhile reports whether a problem means that another apply has created the post of a
// file since this one read the posts. The step decides again.
func madeMeanwhile(p apiv1.Problem) bool {
	return p.Code == string(schedctl.ExternalIDExists) || p.Code == string(schedctl.PostNotReplaceable)
}

// checkRequest returns the request for a post after the step, as validate takes it, or false
// if nothing of it can be checked yet.
func (p *planner) checkRequest(s *step) (create apiv1.CreatePost, known bool, err error) {
	create = p.request(s)
	if s.PostID != "" && s.wanted.Queue != "" && !s.takesSlot() { // it keeps its slot
		create.QueueID, create.NotBefore, create.PublishAt = nil, nil, nil
		if s.post.PublishAt != nil && s.post.PublishAt.After(p.Now()) {
			create.PublishAt = apiv1.At(s.post.PublishAt.Time)
		}
	}
	if s.PostID == "" && s.post.ID != "" {
		create.Replaces, create.ExternalID = &s.post.ID, new(p.externalID(s.ID))
	}
	if s.PostID == "" || !p.submit || s.post.Status == schedctl.Draft { // see reviewEdit
		if err := p.review(s, &create.PublishAt, &create.ProposedAt, &create.ApprovedBy); err != nil {
			return create, false, err
		}
	}
	if p.blackouts != nil {
		create.AllowBlackout, s.checked.problems = true, p.avoided(s)
	}
	if isNewQueue(s.wanted.Queue) { // it has no slots yet
		create.PublishAt, create.QueueID, create.NotBefore = nil, nil, nil
	}
	if len(p.missing(s.wanted)) > 0 {
		if !post.WithoutMedia(&create) {
			return create, false, nil
		}
		create.AllowDuplicate = !p.key.Agent // a text is only a duplicate together with its media
	} else if create.Content == "" && len(create.Media) == 0 {
		return create, false, nil
	}
	return create, true, nil
}

// request returns the request that creates the post of a file.
func (p *planner) request(s *step) apiv1.CreatePost {
	w := s.wanted
	create := p.withAssets(w)
	create.AllowDuplicate = p.allowDuplicate
	switch {
	case w.Queue != "":
		create.PublishAt, create.QueueID, create.NotBefore = apiv1.NextSlot(), &w.Queue, w.notBefore()
	case w.At != "":
		create.PublishAt = apiv1.At(w.moment.Time)
	}
	return create
}

// readValidation adds what a validation says to c, each with the line of its text.
func (p *planner) readValidation(d *postfile.Document, v apiv1.Validation, c *checked) {
	for _, problem := range v.Problems {
		c.problems = append(c.problems, d.Problemf(d.Line(problem.Field), "%s", cli.MessageLine(fileMessage(problem))))
	}
	for _, r := range v.Refusals {
		c.refusals = append(c.refusals, refusal{d.Problemf(d.First, "%s", cli.MessageLine(post.WithAdvice(schedctl.Code(r.Code), r.Message, submitAdvice, p.key.Allows(schedctl.ScopePostsDraft)))), schedctl.Code(r.Code)})
	}
	for _, text := range v.Warnings {
		c.warnings = append(c.warnings, d.Problemf(d.First, "%s", cli.OneLine(text)))
	}
	for _, acct := range v.Accounts {
		name := cli.FirstNonEmpty(p.names[acct.SocialAccountID], acct.SocialAccountID)
		own := slices.IndexFunc(d.Post.TargetOverrides, func(o apiv1.Override) bool {
			return o.SocialAccountID == name || o.SocialAccountID == acct.SocialAccountID || strings.HasSuffix(name, ":"+o.SocialAccountID)
		})
		line := func(field string) int {
			if own >= 0 {
				return d.LineFor(own, field)
			}
			return d.Line(field)
		}
		for _, problem := range acct.Problems {
			found := d.Problemf(line(problem.Field), "%s: %s", name, cli.MessageLine(fileMessage(problem)))
			if p.checkOnly && problem.Code == string(schedctl.DuplicateContent) {
				c.warnings = append(c.warnings, found)
				continue
			}
			c.problems = append(c.problems, found)
		}
		for _, text := range acct.Warnings {
			c.warnings = append(c.warnings, d.Problemf(line("content"), "%s: %s", name, cli.OneLine(text)))
		}
	}
}
