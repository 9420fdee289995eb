package files

import (
	"context"
	"fmt"
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
		create := p.request(s)
		if len(p.missing(s)) > 0 {
			create.Media, create.AllowDuplicate = nil, true // a text is only a duplicate together with its media
		}
		if !s.does() || !selected(s) || create.Content == "" && len(create.Media) == 0 {
			return nil
		}
		v, err := p.client.ValidateChange(ctx, s.PostID, create)
		s.problems = contentProblems(s.wanted.file, v, p.names)
		return err
	}, func(s step, err error) error {
		if err != nil && post.IsLineError(err) {
			p.problemf(s.wanted.file, s.wanted.file.Content.Line, "%v", err)
			return nil
		}
		p.addProblems(s.problems...)
		return err
	})
}

// request returns the request that creates the post of a file.
func (p *planner) request(s *step) apiv1.CreatePost {
	w := s.wanted
	create := apiv1.CreatePost{
		Content: w.Content, SocialAccountIDs: w.Accounts, TargetOverrides: w.apiOverrides(), Labels: w.Labels,
		AllowDuplicate: p.allowDuplicate, Media: p.knownMedia(s),
	}
	if w.At != "" {
		create.PublishAt = apiv1.At(w.moment.Time)
	}
	return create
}

// contentProblems returns the problems that networks report, each with the line of its
// text.
func contentProblems(f *postfile.File, v apiv1.Validation, names post.AccountRefs) (list []postfile.Problem) {
	for _, problem := range v.Problems {
		list = append(list, f.Problemf(problemLine(f, problem, f.Content.Line), "%s", cli.OneLine(problem.Message)))
	}
	for _, acct := range v.Accounts {
		name := cli.FirstNonEmpty(names[acct.SocialAccountID], acct.SocialAccountID)
		line := f.Content.Line
		at := slices.IndexFunc(f.Overrides, func(o postfile.Override) bool {
			return o.Account.Text == name || o.Account.Text == acct.SocialAccountID || strings.HasSuffix(name, ":"+o.Account.Text)
		})
		if at >= 0 {
			line = f.Overrides[at].Account.Line
		}
		for _, problem := range acct.Problems {
			list = append(list, f.Problemf(problemLine(f, problem, line), "%s: %s", name, cli.OneLine(problem.Message)))
		}
	}
	return list
}

// problemLine returns the line of the file that a problem is about, or another line if
// it is not about one file.
func problemLine(f *postfile.File, p apiv1.Problem, other int) int {
	for i, m := range f.Media {
		if at := fmt.Sprintf("media[%d]", i); p.Field == at || strings.HasPrefix(p.Field, at+".") {
			return m.File.Line
		}
	}
	if p.Field == "media" && len(f.Media) > 0 {
		return f.Media[0].File.Line
	}
	return other
}
