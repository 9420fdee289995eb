package files

import (
	"cmp"
	"context"
	"slices"
	"strconv"
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
		if len(p.missing(s)) > 0 {
			if !post.WithoutMedia(&create) {
				return nil
			}
			create.AllowDuplicate = true // a text is only a duplicate together with its media
		} else if create.Content == "" && len(create.Media) == 0 {
			return nil
		}
		v, err := p.client.ValidateChange(ctx, s.PostID, create)
		s.problems = append(s.problems, contentProblems(s.wanted.file, v, p.names)...)
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
		Content: w.Content, SocialAccountIDs: w.Accounts, TargetOverrides: p.overrideRequests(w.postState), Labels: w.Labels,
		AllowDuplicate: p.allowDuplicate, Media: p.mediaRequests(w.Media),
	}
	p.addParts(&create, w.postState)
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
func contentProblems(f *postfile.File, v apiv1.Validation, names post.AccountRefs) (list []postfile.Problem) {
	for _, problem := range v.Problems {
		list = append(list, f.Problemf(problemLine(f, problem.Field, f.Content.Line), "%s", cli.OneLine(problem.Message)))
	}
	for _, acct := range v.Accounts {
		name := cli.FirstNonEmpty(names[acct.SocialAccountID], acct.SocialAccountID)
		in, line := f, f.Content.Line
		at := slices.IndexFunc(f.Overrides, func(o postfile.Override) bool {
			return o.Account.Text == name || o.Account.Text == acct.SocialAccountID || strings.HasSuffix(name, ":"+o.Account.Text)
		})
		if at >= 0 {
			in, line = forAccount(f, f.Overrides[at]), f.Overrides[at].Account.Line
		}
		for _, problem := range acct.Problems {
			list = append(list, f.Problemf(problemLine(in, problem.Field, line), "%s: %s", name, cli.OneLine(problem.Message)))
		}
	}
	return list
}

// problemLine returns the line of a field of a request in the file, or another line if the
// file does not have it.
func problemLine(f *postfile.File, field string, other int) int {
	if i, rest, found := fieldIndex(field, "thread"); found && i < len(f.Thread) {
		return mediaLine(f.Thread[i].Media, rest, f.Thread[i].Content.Line)
	}
	name, rest, _ := strings.Cut(field, ".")
	line := 0
	switch {
	case name == "first_comment" && f.FirstComment != nil:
		line = mediaLine(f.FirstComment.Media, rest, f.FirstComment.Content.Line)
	case name == "poll" && f.Poll != nil:
		line = pollLine(f.Poll, rest)
	case name == "link_preview":
		line = previewLine(f.LinkPreview, rest)
	case name == "content_warning":
		line = f.ContentWarning.Line
	case name == "visibility":
		line = f.Visibility.Line
	case name == "language":
		line = f.Language.Line
	default:
		return mediaLine(f.Media, field, other)
	}
	return cmp.Or(line, other)
}

// fieldIndex splits a field such as thread[1].content into the index and what follows.
func fieldIndex(field, name string) (i int, rest string, found bool) {
	rest, found = strings.CutPrefix(field, name+"[")
	number, rest, closed := strings.Cut(rest, "]")
	i, err := strconv.Atoi(number)
	return i, strings.TrimPrefix(rest, "."), found && closed && err == nil && i >= 0
}

// mediaLine returns the line of the file that a field names, or another line.
func mediaLine(media []postfile.Media, field string, other int) int {
	if i, _, found := fieldIndex(field, "media"); found && i < len(media) {
		return media[i].File.Line
	}
	if field == "media" && len(media) > 0 {
		return media[0].File.Line
	}
	return other
}

func pollLine(p *postfile.Poll, field string) int {
	if i, _, found := fieldIndex(field, "options"); found && i < len(p.Options) {
		return p.Options[i].Line
	}
	if field == "expires_in_seconds" {
		return cmp.Or(p.For.Line, p.Line)
	}
	return p.Line
}

func previewLine(p postfile.LinkPreview, field string) int {
	card := p.Card
	switch {
	case card == nil:
		return p.Mode.Line
	case field == "title":
		return card.Title.Line
	case field == "description":
		return card.Description.Line
	case field == "image" && card.Image != nil:
		return card.Image.File.Line
	}
	return card.URL.Line
}
