package post

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/media"
)

// change uploads the files of the parts and returns the change that the flags describe.
// texts are all parts of the post; one part leaves the thread of the post unless a flag
// replaces it.
func (f *partFlags) change(ctx context.Context, a *cli.App, c *client.Client, texts []string) (edit apiv1.EditPost, err error) {
	u := media.NewUploader(a, c)
	switch {
	case f.noThread:
		edit.Thread = &[]apiv1.Part{}
	case f.splits() || f.parts != nil:
		thread := []apiv1.Part{}
		for i, text := range texts[1:] {
			part, err := f.part(ctx, u, text, strconv.Itoa(i+2))
			if err != nil {
				return edit, err
			}
			thread = append(thread, part)
		}
		edit.Thread = &thread
	}
	if f.noComment {
		edit.FirstComment = &apiv1.Part{Media: []apiv1.PostMedia{}}
	} else if f.comment != "" || f.numbered[commentPart] != nil {
		comment, err := f.part(ctx, u, f.comment, commentPart)
		if err != nil {
			return edit, err
		}
		edit.FirstComment = &comment
	}
	f.setPoll(&edit)
	for _, field := range []struct {
		value   *string
		removed bool
		to      **string
	}{
		{&f.warning, f.noWarning, &edit.ContentWarning}, {&f.visibility, f.noVisibility, &edit.Visibility}, {&f.language, f.noLanguage, &edit.Language},
	} {
		if *field.value != "" || field.removed {
			*field.to = field.value
		}
	}
	edit.LinkPreview, err = f.preview(ctx, u)
	return edit, err
}

func (f *partFlags) setPoll(edit *apiv1.EditPost) {
	switch {
	case f.noPoll:
		edit.Poll = &apiv1.Poll{Options: []string{}}
	case f.poll != nil:
		runs := time.Duration(f.pollFor)
		if runs == 0 {
			runs = DefaultPollTime
		}
		edit.Poll = &apiv1.Poll{Options: f.poll, ExpiresInSeconds: int64(runs / time.Second), Multiple: f.multiple, HideTotals: f.hide}
	}
}

func (f *partFlags) preview(ctx context.Context, u *media.Uploader) (*apiv1.LinkPreview, error) {
	switch {
	case f.noPreview:
		return &apiv1.LinkPreview{Mode: apiv1.PreviewNone}, nil
	case f.changed("no-preview"): // --no-preview=false
		return &apiv1.LinkPreview{Mode: apiv1.PreviewAuto}, nil
	case f.card.URL == "":
		return nil, nil
	}
	card := f.card
	if f.cardImage != "" {
		m, err := u.Attach(ctx, f.cardImage, "")
		if err != nil {
			return nil, err
		}
		card.Image = &m.ID
	}
	return &apiv1.LinkPreview{Card: &card}, nil
}

// part returns a part with its files, which it uploads.
func (f *partFlags) part(ctx context.Context, u *media.Uploader, text, number string) (apiv1.Part, error) {
	part := apiv1.Part{Content: text, Media: []apiv1.PostMedia{}}
	for _, file := range f.numbered[number] {
		m, err := u.Attach(ctx, file.ref, file.alt)
		if err != nil {
			return part, err
		}
		if slices.Contains(mediaIDs(part.Media), m.ID) {
			return part, cli.InvalidError(schedctl.ValidationFailed, "part %s has the same file twice: a part can show a file once", number)
		}
		part.Media = append(part.Media, m)
	}
	return part, nil
}

// key describes the flags, for the idempotency key of a command in a CI job.
func (f *partFlags) key() (parts []string) {
	if !f.given() {
		return nil
	}
	for _, name := range []string{"thread", "thread-split", "part", "part-media", "part-alt", "first-comment", "poll", "poll-for", "poll-multiple", "poll-hide-totals",
		"content-warning", "visibility", "language", "no-preview", "preview-url", "preview-title", "preview-description", "preview-image"} {
		if f.changed(name) {
			parts = append(parts, name, f.cmd.Flag(name).Value.String())
		}
	}
	return parts
}

// setParts changes the parts and the presentation of a post that is created or checked.
func setParts(post *apiv1.CreatePost, edit apiv1.EditPost) {
	if edit.Thread != nil {
		post.Thread = *edit.Thread
	}
	if edit.FirstComment != nil {
		if post.FirstComment = edit.FirstComment; edit.FirstComment.Content == "" && len(edit.FirstComment.Media) == 0 {
			post.FirstComment = nil
		}
	}
	if edit.Poll != nil {
		if post.Poll = edit.Poll; len(edit.Poll.Options) == 0 {
			post.Poll = nil
		}
	}
	if edit.LinkPreview != nil {
		post.LinkPreview = edit.LinkPreview
	}
	for _, field := range []struct{ from, to **string }{
		{&edit.ContentWarning, &post.ContentWarning}, {&edit.Visibility, &post.Visibility}, {&edit.Language, &post.Language},
	} {
		if *field.from != nil {
			if *field.to = *field.from; **field.from == "" {
				*field.to = nil
			}
		}
	}
}

// copyParts copies the parts and the presentation of a post.
func copyParts(to *apiv1.CreatePost, p apiv1.Post) {
	for _, part := range p.Thread {
		part.Media = keptAlts(part.Media, p.MediaAssets)
		to.Thread = append(to.Thread, part)
	}
	if p.FirstComment != nil {
		comment := *p.FirstComment
		comment.Media = keptAlts(comment.Media, p.MediaAssets)
		to.FirstComment = &comment
	}
	to.Poll, to.ContentWarning, to.Visibility, to.Language = p.Poll, p.ContentWarning, p.Visibility, p.Language
	if p.LinkPreview.Card != nil || p.LinkPreview.Mode == apiv1.PreviewNone {
		to.LinkPreview = &p.LinkPreview
	}
}
