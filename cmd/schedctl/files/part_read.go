package files

import (
	"errors"
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/fields"
	"github.com/schedctl/schedctl/client/postfile"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
)

// readParts reads what a file says besides the first part of the post.
func (r *fileReader) readParts(f *postfile.File, w *wantedPost) {
	for i, part := range f.Thread {
		w.Thread = append(w.Thread, r.readPart(f, part, fmt.Sprintf("part %d", i+2)))
	}
	if n := len(f.Thread); n > schedctl.MaxThread {
		r.problemf(f, f.Thread[schedctl.MaxThread].Content.Line, "the thread has %d parts; the limit is %d", n+1, schedctl.MaxThread+1)
	}
	if f.FirstComment != nil {
		comment := r.readPart(f, *f.FirstComment, "the first comment")
		w.FirstComment = &comment
	}
	if f.Poll != nil {
		w.Poll = r.readPoll(f)
	}
	r.readPreview(f, w)
	w.ContentWarning, w.Visibility, w.Language = f.ContentWarning.Text, f.Visibility.Text, f.Language.Text
	for _, check := range []schedctl.Presentation{{ContentWarning: w.ContentWarning}, {Visibility: w.Visibility}, {Language: w.Language}} {
		r.checkRule(f, schedctl.CheckPresentation(check))
	}
}

// checkRule adds the problem of a rule at the line of its field.
func (r *fileReader) checkRule(f *postfile.File, err error) {
	if broken, ok := errors.AsType[*schedctl.Error](err); ok {
		r.problemf(f, problemLine(f, broken.Field, f.Content.Line), "%s", broken.Message)
	}
}

// readPart reads a further part of a thread or the first comment. name is for messages.
func (r *fileReader) readPart(f *postfile.File, part postfile.Part, name string) partState {
	text := part.Content.Text
	if text != "" || len(part.Media) == 0 {
		err := cli.CheckText(text, name)
		if err == nil {
			if rule := schedctl.CheckContent(text); rule != nil {
				err = fmt.Errorf("%s: %s", name, post.RuleText(rule))
			}
		}
		if err != nil {
			r.problemf(f, part.Content.Line, "%v", err)
		}
	}
	return partState{Content: text, Media: r.readMedia(f, part.Media)}
}

func (r *fileReader) readPoll(f *postfile.File) *pollState {
	p := f.Poll
	poll := schedctl.Poll{ExpiresIn: fields.DefaultPollTime, Multiple: p.Multiple, HideTotals: p.HideTotals}
	for _, option := range p.Options {
		poll.Options = append(poll.Options, option.Text)
	}
	if p.For.Text != "" {
		runs, err := when.ParseDuration(p.For.Text)
		if err != nil {
			r.problemf(f, p.For.Line, "poll: for: %v", err)
			return nil
		}
		poll.ExpiresIn = runs
	}
	r.checkRule(f, schedctl.CheckPoll(poll))
	return &pollState{Options: poll.Options, Seconds: int64(poll.ExpiresIn / time.Second), Multiple: p.Multiple, HideTotals: p.HideTotals}
}

func (r *fileReader) readPreview(f *postfile.File, w *wantedPost) {
	card := f.LinkPreview.Card
	if card == nil {
		w.NoPreview = f.LinkPreview.Mode.Text == string(schedctl.PreviewNone)
		return
	}
	w.Card = &cardState{URL: card.URL.Text, Title: card.Title.Text, Description: card.Description.Text}
	r.checkRule(f, schedctl.CheckLinkPreview(schedctl.LinkPreview{Mode: schedctl.PreviewCard, URL: w.Card.URL, Title: w.Card.Title, Description: w.Card.Description}))
	if card.Image == nil {
		return
	}
	images := r.readMedia(f, []postfile.Media{*card.Image})
	if len(images) == 0 {
		return
	}
	if class := schedctl.MediaClassOf(r.inspect(card.Image.Path).MIMEType); class != schedctl.MediaImage && class != schedctl.MediaGIF {
		r.problemf(f, card.Image.File.Line, "%s: the image of a card must be a picture", card.Image.File.Text)
	}
	w.Card.Image = &images[0]
}
