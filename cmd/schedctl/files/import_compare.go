package files

import (
	"context"
	"path/filepath"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/postfile"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/media"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
)

// compare decides about a line whose post exists. An empty column matches any post,
// and so does a time that depends on the time of the import.
func (i *importCheck) compare(l *importLine, p apiv1.Post) error {
	have := stateOf(p)
	want := l.state(p).filled(have, l.post, i.csv)
	switch {
	case l.want.At == "" && l.want.Queue == "", l.want.relative, l.post.PublishAt != nil && p.PublishAt != nil && p.PublishAt.Equal(l.post.PublishAt.Time):
		want.At, want.Queue, want.NotBefore = have.At, have.Queue, have.NotBefore
	case want.Queue != "" && want.NotBefore == "":
		want.NotBefore = have.NotBefore
	}
	edit := changes(have, want, l.post)
	if l.post.TargetOverrides == nil {
		edit.TargetOverrides = nil
	}
	switch {
	case want.Queue != "" && (have.Queue != want.Queue || have.NotBefore != want.NotBefore):
		edit.PublishAt, edit.QueueID, edit.NotBefore = apiv1.NextSlot(), l.post.QueueID, l.post.NotBefore
	case want.Queue == "" && have.At != want.At:
		edit.PublishAt = l.post.PublishAt
	}
	if proposed := l.want.proposed; proposed != nil && p.Status == schedctl.Draft && (p.ProposedAt == nil || form(proposed) != form(p.ProposedAt)) {
		edit.ProposedAt = proposed
	}
	l.result.PostID, l.result.PublishAt, l.result.Message = p.ID, p.PublishAt, ""
	same := edit == apiv1.EditPost{}
	switch {
	case p.Status == schedctl.Canceled:
		l.result.Result, l.result.Message = resultExists, "canceled; not created again"
	case p.Status != schedctl.Draft && p.Status != schedctl.Scheduled && !same:
		l.result.Result, l.result.Message = resultExists, "already "+string(p.Status)+"; not changed"
	case same:
		l.result.Result = resultExists
	case !i.update:
		return differs(p.ID)
	default:
		edit.AllowDuplicate = i.allowDuplicate
		l.edit, l.version = &edit, p.Version
	}
	return nil
}

func differs(id string) error {
	return cli.InvalidError(schedctl.ValidationFailed, "%s has another text, time, media, parts, accounts or settings; change it with --update", id)
}

// state returns the state of a line with the files of an existing post: the same asset has
// the same bytes and, if the line gives none, the same alt text.
func (l *importLine) state(p apiv1.Post) postState {
	alts := map[string]string{}
	asset := stateOfAsset(p.MediaAssets)
	newState(requestOf(p), func(path string, m apiv1.PostMedia) (mediaState, bool) {
		state, known := asset(path, m)
		alts[path+m.ID] = state.Alt
		return state, known
	})
	s := newState(l.post, func(path string, m apiv1.PostMedia) (mediaState, bool) {
		state, known := asset(path, m)
		if m.AltText == nil {
			state.Alt = alts[path+m.ID]
		}
		return state, known
	})
	s.At, s.Queue, s.NotBefore = l.want.At, l.want.Queue, l.want.NotBefore
	return s
}

// filled returns the state with what a line leaves out as it is in a post. A line of CSV
// leaves out the media of parts.
func (s postState) filled(have postState, line apiv1.CreatePost, csv bool) postState {
	for i := range s.Thread {
		if csv && i < len(have.Thread) {
			s.Thread[i].Media = have.Thread[i].Media
		}
	}
	if csv && s.FirstComment != nil && have.FirstComment != nil {
		s.FirstComment.Media = have.FirstComment.Media
	}
	fill := func(field *string, value string) {
		if *field == "" {
			*field = value
		}
	}
	fill(&s.ContentWarning, have.ContentWarning)
	fill(&s.Visibility, have.Visibility)
	fill(&s.Language, have.Language)
	fill(&s.Title, have.Title)
	fill(&s.PostStyle, have.PostStyle)
	if s.Accounts == nil {
		s.Accounts = have.Accounts
	}
	if s.Labels == nil {
		s.Labels = have.Labels
	}
	if s.Media == nil {
		s.Media = have.Media
	}
	if s.Thread == nil {
		s.Thread = have.Thread
	}
	if s.FirstComment == nil {
		s.FirstComment = have.FirstComment
	}
	if s.Poll == nil {
		s.Poll = have.Poll
	}
	if s.Overrides == nil {
		s.Overrides = have.Overrides
	}
	if line.LinkPreview == nil {
		s.NoPreview, s.Card = have.NoPreview, have.Card
	}
	return s
}

// checkSeries compares a line with its series, if that exists.
func (i *importCheck) checkSeries(ctx context.Context, l *importLine) error {
	have, err := i.findSeries(ctx, l)
	if err != nil {
		return err
	}
	if i.submit && have == nil {
		return cli.InvalidError(schedctl.ValidationFailed, "only a post with a time, or a draft, can be submitted")
	}
	state, err := i.reader.seriesState(l.want, have)
	if err != nil {
		return err
	}
	want := l.state(apiv1.Post{})
	want.Series = state.Series
	if have == nil {
		l.want.postState = want
		return nil
	}
	is := stateOfSeries(have, nil)
	want = l.state(postOf(have, nil)).filled(is, l.post, i.csv)
	want.Series = state.Series.filled(is.Series, l.want.doc)
	if want.Queue == "" {
		want.Queue = is.Queue
	}
	edit := seriesChanges(is, want, l.post)
	if l.post.TargetOverrides == nil {
		edit.TargetOverrides = nil
	}
	l.result.PostID, l.result.PublishAt = have.ID, have.NextAt
	switch same := form(edit) == form(apiv1.EditSeries{}); {
	case same:
		l.result.Result = resultExists
	case have.State == schedctl.SeriesEnded:
		l.result.Result, l.result.Message = resultExists, "the series has ended; not changed"
	case !i.update:
		return differs(have.ID)
	default:
		l.editSeries, l.version = &edit, have.Version
	}
	return nil
}

// filled returns the state with what a line leaves out as it is in a series.
func (s *seriesState) filled(have *seriesState, line *postfile.Document) *seriesState {
	out := *s
	if line.Name == "" {
		out.Name = have.Name
	}
	if line.Variants == nil {
		out.Variants = have.Variants
	}
	if line.Exdates == nil {
		out.Exdates = have.Exdates
	}
	if line.AheadDays == 0 {
		out.AheadDays = have.AheadDays
	}
	return &out
}

// findSeries returns the existing series of a line, or nil. It sets the external id of a
// line with an id. Without an id, a series is found by its name.
func (i *importCheck) findSeries(ctx context.Context, l *importLine) (*apiv1.Series, error) {
	q := client.SeriesQuery{Limit: post.PageSize}
	if id := l.result.ID; id != "" {
		if _, isSeries := schedctl.ParseID(schedctl.SeriesPrefix, id); isSeries {
			s, err := i.client.Series(ctx, id)
			if schedctl.CodeOf(err) != schedctl.NotFound {
				return &s, err
			}
		}
		external, err := i.externalID(id)
		if err != nil {
			return nil, err
		}
		l.post.ExternalID, q.ExternalID = &external, external
	}
	for s, err := range i.client.EachSeries(ctx, q) {
		if err != nil {
			return nil, err
		}
		if q.ExternalID != "" || s.Name == l.want.series.name && s.State != schedctl.SeriesEnded {
			return &s, nil
		}
	}
	return nil, nil
}

// sendSeries creates or changes the series of a line.
func (o *importOptions) sendSeries(ctx context.Context, c *client.Client, l importLine) (s apiv1.Series, result string, err error) {
	if l.editSeries != nil {
		made, err := c.EditSeries(ctx, l.result.PostID, *l.editSeries, client.IfVersion(l.version))
		return made.Series, resultUpdated, err
	}
	create := newSeries(l.post, l.want.postState)
	create.ExternalID = l.post.ExternalID
	var options []client.Option
	if create.ExternalID == nil {
		options = append(options, client.IdempotencyKey(l.key))
	}
	s, err = c.CreateSeries(ctx, create, options...)
	return s, resultCreated, err
}

// mediaFolder returns the directory of the files of lines.
func (i *importCheck) mediaFolder() *media.Folder {
	dir := i.mediaDir
	folder := &media.Folder{Dir: dir, Relative: "--media-dir"}
	switch {
	case dir != "":
	case i.file == "-":
		folder.Dir, folder.Relative = ".", "the current directory; set another one with --media-dir"
	default:
		folder.Dir, folder.Relative = filepath.Dir(i.file), "the directory of the imported file; set another one with --media-dir"
	}
	folder.Name, folder.Advice = "the directory "+folder.Dir, "copy the file there, or name its directory with --media-dir"
	return folder
}
