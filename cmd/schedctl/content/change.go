package content

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/fields"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/media"
	"github.com/schedctl/schedctl/cmd/schedctl/snippet"
)

// Subject is the post or the series that flags apply to.
type Subject struct {
	Text *string                          // with all parts; nil to keep the text
	New  bool                             // it does not exist yet
	Dry  bool                             // --thread-split does not ask
	Post func() (apiv1.CreatePost, error) // has the accounts that limit the parts of --thread-split
}

// Change returns the change that the flags describe, with the text. It uploads files.
// Without a flag for them, the further parts stay as they are.
func (f *Flags) Change(ctx context.Context, a *cli.App, c *client.Client, s Subject) (edit apiv1.EditPost, err error) {
	if err := f.expand(snippet.NewTexts(ctx, c), s.Text); err != nil {
		return edit, err
	}
	texts := f.textParts(cli.Deref(s.Text))
	if f.split {
		post, err := s.Post()
		if err == nil {
			texts, err = f.splitAndAsk(ctx, a, c, post, texts[0], s.Dry)
		}
		if err != nil {
			return edit, err
		}
	}
	if err := f.checkParts(texts, f.Media.Attached() || !s.New && !f.Splits()); err != nil {
		return edit, err
	}
	if s.Text != nil {
		edit.Content = &texts[0]
	}
	if s.New || f.Media.Given() {
		list, err := f.Media.Upload(ctx, a, c)
		if err != nil {
			return edit, err
		}
		edit.Media = &list
	}
	f.setPoll(&edit)
	for _, t := range fields.Texts {
		if value := f.texts[t.Name]; value != nil && *value != "" || f.removes(t.Name) {
			*t.Of(&edit) = value
		}
	}
	return edit, f.attach(ctx, media.NewUploader(a, c), texts, &edit)
}

// expand puts snippets into the texts. text may be nil.
func (f *Flags) expand(t *snippet.Texts, text *string) (err error) {
	if text != nil {
		if *text, err = t.Expand(*text); err != nil {
			return err
		}
	}
	for i := range f.parts {
		if f.parts[i], err = t.Expand(f.parts[i]); err != nil {
			return err
		}
	}
	f.comment, err = t.Expand(f.comment)
	return err
}

// attach adds the further parts, the first comment and the card with their files, which it
// uploads. texts are all parts.
func (f *Flags) attach(ctx context.Context, u *media.Uploader, texts []string, edit *apiv1.EditPost) error {
	switch {
	case f.removes("thread"):
		edit.Thread = &[]apiv1.Part{}
	case f.Splits() || f.parts != nil:
		thread := []apiv1.Part{}
		for i, text := range texts[1:] {
			part, err := f.part(ctx, u, text, strconv.Itoa(i+2))
			if err != nil {
				return err
			}
			thread = append(thread, part)
		}
		edit.Thread = &thread
	}
	if f.removes("first_comment") {
		edit.FirstComment = &apiv1.Part{Media: []apiv1.PostMedia{}}
	} else if f.comment != "" || f.numbered[CommentPart] != nil {
		comment, err := f.part(ctx, u, f.comment, CommentPart)
		if err != nil {
			return err
		}
		edit.FirstComment = &comment
	}
	var err error
	edit.LinkPreview, err = f.preview(ctx, u)
	return err
}

func (f *Flags) setPoll(edit *apiv1.EditPost) {
	switch {
	case f.removes("poll"):
		edit.Poll = &apiv1.Poll{Options: []string{}}
	case f.poll != nil:
		runs := time.Duration(f.pollFor)
		if runs == 0 {
			runs = fields.DefaultPollTime
		}
		edit.Poll = &apiv1.Poll{Options: f.poll, ExpiresInSeconds: int64(runs / time.Second), Multiple: f.multiple, HideTotals: f.hide}
	}
}

func (f *Flags) preview(ctx context.Context, u *media.Uploader) (*apiv1.LinkPreview, error) {
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
func (f *Flags) part(ctx context.Context, u *media.Uploader, text, number string) (apiv1.Part, error) {
	part := apiv1.Part{Content: text, Media: []apiv1.PostMedia{}}
	for _, file := range f.numbered[number] {
		m, err := u.Attach(ctx, file.ref, file.alt)
		if err != nil {
			return part, err
		}
		if slices.ContainsFunc(part.Media, func(other apiv1.PostMedia) bool { return other.ID == m.ID }) {
			return part, cli.InvalidError(schedctl.ValidationFailed, "part %s has the same file twice: a part can show a file once", number)
		}
		part.Media = append(part.Media, m)
	}
	return part, nil
}
