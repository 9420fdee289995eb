package files

import (
	"context"
	"slices"
	"strings"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/postfile"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
)

// validate asks the networks about the selected posts that change. If the files of a
// post are not uploaded yet, only the text is checked.
func (p *planner) validate(ctx context.Context, selected func(*step) bool) error {
	return cli.RunEachInOrder(ctx, p.steps, func(ctx context.Context, s *step) error {
		if !s.does() || !selected(s) {
			return nil
		}
		create := p.request(s)
		s.problems = nil
		if p.blackouts != nil {
			create.AllowBlackout, s.problems = true, p.avoided(s)
		}
		if isNewQueue(s.wanted.Queue) { // it has no slots yet
			create.PublishAt, create.QueueID, create.NotBefore = nil, nil, nil
		}
		if len(p.missing(s.wanted)) > 0 {
			if !post.WithoutMedia(&create) {
				return nil
			}
			create.AllowDuplicate = true // a text is only a duplicate together with its media
		} else if create.Content == "" && len(create.Media) == 0 {
			return nil
		}
		v, err := p.client.ValidateChange(ctx, s.PostID, create)
		s.problems = append(s.problems, contentProblems(s.wanted.doc, v, p.names)...)
		return err
	}, func(s step, err error) error {
		if err != nil && post.IsLineError(err) {
			p.problemf(s.wanted.doc, s.wanted.doc.First, "%v", err)
			return nil
		}
		p.addProblems(s.problems...)
		return err
	})
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

// contentProblems returns the problems that networks report, each with the line of its
// text.
func contentProblems(d *postfile.Document, v apiv1.Validation, names AccountRefs) (list []postfile.Problem) {
	for _, problem := range v.Problems {
		list = append(list, d.Problemf(d.Line(problem.Field), "%s", cli.OneLine(problem.Message)))
	}
	for _, acct := range v.Accounts {
		name := cli.FirstNonEmpty(names[acct.SocialAccountID], acct.SocialAccountID)
		own := slices.IndexFunc(d.Post.TargetOverrides, func(o apiv1.Override) bool {
			return o.SocialAccountID == name || o.SocialAccountID == acct.SocialAccountID || strings.HasSuffix(name, ":"+o.SocialAccountID)
		})
		for _, problem := range acct.Problems {
			line := d.Line(problem.Field)
			if own >= 0 {
				line = d.LineFor(own, problem.Field)
			}
			list = append(list, d.Problemf(line, "%s: %s", name, cli.OneLine(problem.Message)))
		}
	}
	return list
}
