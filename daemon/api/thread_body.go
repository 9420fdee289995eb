package api

import (
	"math"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// extras are the fields of a body that a post shows besides its text and media. Nil
// fields were not given; null is an empty value.
type extras struct {
	thread         *[]schedctl.Part
	firstComment   *schedctl.Part // empty if it is null
	poll           *schedctl.Poll // without options if it is null
	linkPreview    *schedctl.LinkPreview
	contentWarning *string
	visibility     *string
	language       *string

	hasComment bool // first_comment is not null
	hasPoll    bool // poll is not null
}

var extraFields = []string{"thread", "first_comment", "poll", "link_preview", "content_warning", "visibility", "language"}

// extra reads a field of extras. It returns false for any other field.
func (d *decoder) extra(name string, e *extras) bool {
	switch name {
	case "thread":
		e.thread = new(d.thread())
	case "first_comment":
		e.hasComment = d.peek() != 'n'
		e.firstComment = new(d.optionalPart())
	case "poll":
		e.hasPoll = d.peek() != 'n'
		e.poll = new(d.poll())
	case "link_preview":
		e.linkPreview = new(d.linkPreview())
	case "content_warning":
		e.contentWarning = new(d.optionalString())
	case "visibility":
		e.visibility = new(d.optionalString())
	case "language":
		e.language = new(d.optionalString())
	default:
		return false
	}
	return true
}

// applyTo sets the given fields of a new post.
func (e *extras) applyTo(n *schedctl.NewPost) {
	if e.thread != nil {
		n.Thread = *e.thread
	}
	if e.hasComment {
		n.FirstComment = e.firstComment
	}
	if e.hasPoll {
		n.Poll = e.poll
	}
	if e.linkPreview != nil {
		n.LinkPreview = *e.linkPreview
	}
	n.Presentation = schedctl.Presentation{
		ContentWarning: valueOf(e.contentWarning), Visibility: valueOf(e.visibility), Language: valueOf(e.language),
	}
}

func valueOf(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// edit sets the given fields of an edit.
func (e *extras) edit(change *schedctl.Edit) {
	change.Thread, change.FirstComment, change.Poll, change.LinkPreview = e.thread, e.firstComment, e.poll, e.linkPreview
	change.ContentWarning, change.Visibility, change.Language = e.contentWarning, e.visibility, e.language
}

// optionalString reads a string; null is the empty one.
func (d *decoder) optionalString() string {
	if d.null() {
		return ""
	}
	return d.string()
}

// thread reads the parts of a thread; null is an empty list. The result is not nil.
func (d *decoder) thread() []schedctl.Part {
	if d.null() {
		return []schedctl.Part{}
	}
	return shortList(d, "a list of objects", schedctl.MaxThread, "a thread has at most so many parts after the first one", d.part)
}

func (d *decoder) optionalPart() (part schedctl.Part) {
	if d.null() {
		return part
	}
	return d.part()
}

var partFields = []string{"content", "media"}

// part reads one part.
func (d *decoder) part() (part schedctl.Part) {
	d.object(partFields, func(name string) {
		switch name {
		case "content":
			part.Content = d.string()
		case "media":
			if !d.null() {
				part.Media = d.mediaField(name)
			}
		}
	})
	return part
}

var pollFields = []string{"options", "expires_in_seconds", "multiple", "hide_totals"}

// maxPollRead is how many options of a poll are read.
const maxPollRead = 100

// poll reads a poll; null is one without options. The domain checks the rules.
func (d *decoder) poll() (p schedctl.Poll) {
	if d.null() {
		return p
	}
	d.object(pollFields, func(name string) {
		switch name {
		case "options":
			p.Options = d.pollOptions()
		case "expires_in_seconds":
			p.ExpiresIn = d.seconds()
		case "multiple":
			p.Multiple = d.bool()
		case "hide_totals":
			p.HideTotals = d.bool()
		}
	})
	return p
}

func (d *decoder) pollOptions() []string {
	if d.null() {
		return nil
	}
	return shortList(d, "a list of strings", maxPollRead, "send fewer options", d.string)
}

// seconds reads a whole number of seconds.
func (d *decoder) seconds() time.Duration {
	if d.peek() != '0' {
		d.mismatch("a number")
		return 0
	}
	n := d.number()
	if n != math.Trunc(n) || math.Abs(n) > float64(math.MaxInt64/int64(time.Second)) {
		d.wrong(schedctl.ValidationFailed, "must be a whole number of seconds")
		return 0
	}
	return time.Duration(n) * time.Second
}

var linkCardFields = []string{"url", "title", "description", "image"}

// linkPreview reads "auto", "none", a card, or null for "auto".
func (d *decoder) linkPreview() (l schedctl.LinkPreview) {
	switch d.peek() {
	case 'n':
		d.null()
	case '"':
		switch mode := d.string(); mode {
		case apiv1.PreviewAuto:
		case apiv1.PreviewNone:
			l.Mode = schedctl.PreviewNone
		default:
			d.wrong(schedctl.ValidationFailed, `must be "auto", "none" or a card with a url`)
		}
	case '{':
		l.Mode = schedctl.PreviewCard
		d.object(linkCardFields, func(name string) {
			switch name {
			case "url":
				l.URL = d.string()
			case "title":
				l.Title = d.string()
			case "description":
				l.Description = d.string()
			case "image":
				if !d.null() {
					l.Image.AssetID = d.assetID()
				}
			}
		})
	default:
		d.mismatch(`"auto", "none" or a card`)
	}
	return l
}

// ownExtra reads a field of an override that the post has, too. It returns false for any
// other field.
func (d *decoder) ownExtra(name string, o *schedctl.Override) bool {
	switch name {
	case "thread":
		if !d.null() {
			o.Thread = d.thread()
		}
	case "poll":
		if !d.null() {
			o.Poll = new(d.poll())
		}
	case "content_warning":
		o.ContentWarning = d.optionalString()
	case "visibility":
		o.Visibility = d.optionalString()
	case "language":
		o.Language = d.optionalString()
	default:
		return false
	}
	return true
}
