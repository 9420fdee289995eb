package post

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/bulk"
	"github.com/schedctl/schedctl/client/fields"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/media"
)

// readParts fills in the parts and the presentation of a line, without their files.
func readParts(row bulk.Row, post *apiv1.CreatePost) error {
	for n, part := range row.Thread {
		wire, err := readPart(part, fmt.Sprintf("part %d", n+2))
		if err != nil {
			return err
		}
		post.Thread = append(post.Thread, wire)
	}
	if row.FirstComment != nil {
		comment, err := readPart(*row.FirstComment, "the first comment")
		if err != nil {
			return err
		}
		post.FirstComment = &comment
	}
	if err := readPoll(row, post); err != nil {
		return err
	}
	for _, field := range []struct {
		value string
		to    **string
	}{{row.ContentWarning, &post.ContentWarning}, {row.Visibility, &post.Visibility}, {row.Language, &post.Language}} {
		if field.value != "" {
			*field.to = &field.value
		}
	}
	switch preview := row.LinkPreview; {
	case preview.Card != nil:
		post.LinkPreview = &apiv1.LinkPreview{Card: &apiv1.LinkCard{URL: preview.Card.URL, Title: preview.Card.Title, Description: preview.Card.Description}}
	case preview.Mode == apiv1.PreviewNone || preview.Mode == apiv1.PreviewAuto:
		post.LinkPreview = &apiv1.LinkPreview{Mode: preview.Mode}
	case preview.Mode != "":
		return cli.InvalidError(schedctl.ValidationFailed, "link_preview is auto or none, not %q", cli.Clip(preview.Mode, 40))
	}
	return nil
}

func readPart(part bulk.Part, name string) (apiv1.Part, error) {
	wire := apiv1.Part{Content: part.Content, Media: []apiv1.PostMedia{}}
	if len(part.Alt) > len(part.Media) {
		return wire, cli.InvalidError(schedctl.ValidationFailed, "%s has %s and %s", name, cli.Plural(len(part.Alt), "alt text"), cli.Plural(len(part.Media), "file"))
	}
	if part.Content == "" && len(part.Media) > 0 {
		return wire, nil
	}
	return wire, cli.CheckText(part.Content, name)
}

func readPoll(row bulk.Row, post *apiv1.CreatePost) error {
	if len(row.Poll) == 0 {
		if row.PollFor != "" || row.PollMultiple || row.PollHideTotals {
			return cli.InvalidError(schedctl.ValidationFailed, "the line has settings of a poll, and no options in \"poll\"")
		}
		return nil
	}
	runs := fields.DefaultPollTime
	if row.PollFor != "" {
		var err error
		if runs, err = when.ParseDuration(row.PollFor); err != nil {
			return cli.InvalidError(schedctl.ValidationFailed, "poll_for: %v", err)
		}
	}
	post.Poll = &apiv1.Poll{Options: row.Poll, ExpiresInSeconds: int64(runs / time.Second), Multiple: row.PollMultiple, HideTotals: row.PollHideTotals}
	return nil
}

// attach uploads the files of a line, one after another. A file that cannot be read is
// an error of its line.
func (i *importCheck) attach(ctx context.Context, l *importLine) (err error) {
	i.uploads.Lock()
	defer i.uploads.Unlock()
	defer func() { l.late = isLate(l.post) }()
	if l.post.Media, err = i.attachList(ctx, l.row.Media, l.row.Alt); err != nil {
		return err
	}
	for n, part := range l.row.Thread {
		if l.post.Thread[n].Media, err = i.attachList(ctx, part.Media, part.Alt); err != nil {
			return err
		}
	}
	if comment := l.row.FirstComment; comment != nil {
		if l.post.FirstComment.Media, err = i.attachList(ctx, comment.Media, comment.Alt); err != nil {
			return err
		}
	}
	if err := i.attachOverrides(ctx, l); err != nil {
		return err
	}
	if card := l.row.LinkPreview.Card; card != nil && card.Image != "" {
		image, err := i.attachFile(ctx, card.Image, "")
		if err != nil {
			return err
		}
		l.post.LinkPreview.Card.Image = &image.ID
	}
	return nil
}

// isLate reports whether a post has files that are not uploaded yet.
func isLate(p apiv1.CreatePost) bool {
	list := slices.Clone(p.Media)
	for _, part := range p.Thread {
		list = append(list, part.Media...)
	}
	if p.FirstComment != nil {
		list = append(list, p.FirstComment.Media...)
	}
	if p.LinkPreview != nil && p.LinkPreview.Card != nil {
		list = append(list, apiv1.PostMedia{ID: cli.Deref(p.LinkPreview.Card.Image)})
	}
	return slices.ContainsFunc(list, media.Missing)
}

func (i *importCheck) attachList(ctx context.Context, refs, alts []string) (list []apiv1.PostMedia, err error) {
	for n, ref := range refs {
		alt := ""
		if n < len(alts) {
			alt = alts[n]
		}
		m, err := i.attachFile(ctx, ref, alt)
		if err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, nil
}

func (i *importCheck) attachFile(ctx context.Context, ref, alt string) (apiv1.PostMedia, error) {
	m, err := i.uploader.Attach(ctx, ref, alt)
	var failed *cli.Failure
	if errors.As(err, &failed) && (failed.Status == cli.ExitOther || failed.Status == cli.ExitUsage) {
		return m, cli.InvalidError(schedctl.MediaInvalid, "%v", err)
	}
	return m, err
}

// fingerprintExtras describes what a post has besides its text, for [ContentFingerprint]:
// its media, further parts and poll.
func fingerprintExtras(media []apiv1.PostMedia, thread []apiv1.Part, poll *apiv1.Poll) []string {
	list := mediaIDs(media)
	for _, part := range thread {
		list = append(list, "part", part.Content)
	}
	if poll != nil {
		list = append(append(list, "poll"), poll.Options...)
	}
	return list
}

// addParts adds the parts and the presentation of a post to a row.
func addParts(row *bulk.Row, p apiv1.Post) {
	for _, part := range p.Thread {
		row.Thread = append(row.Thread, rowPart(part))
	}
	if p.FirstComment != nil {
		row.FirstComment = new(rowPart(*p.FirstComment))
	}
	if p.Poll != nil {
		row.Poll, row.PollFor, row.PollMultiple, row.PollHideTotals = p.Poll.Options, fields.PollTime(*p.Poll), p.Poll.Multiple, p.Poll.HideTotals
	}
	row.Title, row.PostStyle, row.Labels = cli.Deref(p.Title), cli.Deref(p.PostStyle), p.Labels
	row.ContentWarning, row.Visibility, row.Language = cli.Deref(p.ContentWarning), cli.Deref(p.Visibility), cli.Deref(p.Language)
	switch card := p.LinkPreview.Card; {
	case card != nil:
		row.LinkPreview.Card = &bulk.Card{URL: card.URL, Title: card.Title, Description: card.Description, Image: cli.Deref(card.Image)}
	case p.LinkPreview.Mode == apiv1.PreviewNone:
		row.LinkPreview.Mode = apiv1.PreviewNone
	}
}

func rowPart(part apiv1.Part) bulk.Part {
	return bulk.Part{
		Content: part.Content, Media: mediaIDs(part.Media),
		Alt: cli.Map(part.Media, func(m apiv1.PostMedia) string { return cli.Deref(m.AltText) }),
	}
}

// losesParts reports whether CSV cannot hold all of a post's parts: it has no media of
// parts and no cards.
func losesParts(p apiv1.Post) bool {
	hasMedia := func(part apiv1.Part) bool { return len(part.Media) > 0 }
	return slices.ContainsFunc(p.Thread, hasMedia) || p.FirstComment != nil && hasMedia(*p.FirstComment) || p.LinkPreview.Card != nil
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
