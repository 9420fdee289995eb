package files

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/fields"
	"github.com/schedctl/schedctl/client/postfile"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/media"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
)

// compare decides about a line whose post exists. An empty column matches any post,
// and so does a time that depends on the time of the import.
func (i *importCheck) compare(l *importLine, p apiv1.Post) error {
	edit := fields.Changes(l.comparable(p), p)
	sameTime := func(a, b *apiv1.Time) bool { return a == nil || b != nil && a.Equal(b.Time) }
	switch at := l.post.PublishAt; {
	case l.want.At != "" && !l.want.relative && (p.PublishAt == nil || !p.PublishAt.Equal(at.Time)):
		edit.PublishAt = at
	case l.post.QueueID != nil && (*l.post.QueueID != cli.Deref(p.QueueID) || !sameTime(l.post.NotBefore, p.NotBefore)):
		edit.PublishAt, edit.QueueID, edit.NotBefore = at, l.post.QueueID, l.post.NotBefore
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

// comparable returns the request of a line. A line of CSV has no media of parts, and of what
// single accounts get only texts: it gets the rest from the existing post.
func (l *importLine) comparable(p apiv1.Post) apiv1.CreatePost {
	want := l.post
	if !l.csv {
		return want
	}
	want.Thread = slices.Clone(want.Thread)
	for i := range min(len(want.Thread), len(p.Thread)) {
		want.Thread[i].Media = p.Thread[i].Media
	}
	if want.FirstComment != nil && p.FirstComment != nil {
		want.FirstComment = &apiv1.Part{Content: want.FirstComment.Content, Media: p.FirstComment.Media}
	}
	if want.TargetOverrides != nil {
		want.TargetOverrides = withTexts(p.TargetOverrides, want.TargetOverrides)
	}
	return want
}

// withTexts returns overrides with the texts of others.
func withTexts(overrides, texts []apiv1.Override) []apiv1.Override {
	overrides = slices.Clone(overrides)
	for _, own := range texts {
		i := slices.IndexFunc(overrides, func(o apiv1.Override) bool { return o.SocialAccountID == own.SocialAccountID })
		if i < 0 {
			overrides = append(overrides, own)
		} else {
			overrides[i].Content = own.Content
		}
	}
	return overrides
}

func differs(id string) error {
	return cli.InvalidError(schedctl.ValidationFailed, "%s has another text, time, media, parts, accounts or settings; change it with --update", id)
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
	if l.want.Series = state.Series; have == nil {
		return nil
	}
	p := fields.OfSeries(*have)
	var edit apiv1.EditSeries
	fields.Copy(&edit, fields.Changes(l.comparable(p), p))
	changeSeries(&edit, stateOfSeries(have, nil).Series, l.want.Series.filled(have, l.want.doc))
	if q := l.want.Queue; q != "" && q != cli.Deref(have.QueueID) {
		edit.QueueID = &q
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
		l.editSeries, l.version, l.creator = &edit, have.Version, creator(have)
	}
	return nil
}

// filled returns the state with what a line leaves out as it is in a series.
func (s *seriesState) filled(have *apiv1.Series, line *postfile.Document) *seriesState {
	is, out := stateOfSeries(have, nil).Series, *s
	if line.Name == "" {
		out.Name = is.Name
	}
	if line.Variants == nil {
		out.Variants = is.Variants
	}
	if line.Exdates == nil {
		out.Exdates = is.Exdates
	}
	if line.AheadDays == 0 {
		out.AheadDays = is.AheadDays
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
