package api

import (
	"math"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// contentBody has the fields of a body that change the content of a post or a series. Null
// is an empty value. The hashes of media are not set.
type contentBody struct {
	schedctl.ContentChange
	mediaField string // the name of the field that gave the media

	hasComment bool // first_comment is given and not null
	hasPoll    bool // poll is given and not null
}

// textFields and extraFields are the fields of a [contentBody].
var (
	textFields  = []string{"content", "media", "media_asset_ids"}
	extraFields = []string{"thread", "first_comment", "poll", "link_preview", "content_warning", "visibility", "language"}
)

// contentField reads a field of a content. It returns false for any other field.
func (d *decoder) contentField(name string, b *contentBody) bool {
	switch name {
	case "content":
		b.Text = new(d.string())
	case "media", "media_asset_ids":
		d.onlyMediaField(name, &b.mediaField)
		b.Media = new(d.mediaField(name))
	case "thread":
		b.Thread = new(d.thread())
	case "first_comment":
		b.hasComment = d.peek() != 'n'
		b.FirstComment = new(d.optionalPart())
	case "poll":
		b.hasPoll = d.peek() != 'n'
		b.Poll = new(d.poll())
	case "link_preview":
		b.LinkPreview = new(d.linkPreview())
	case "content_warning":
		b.ContentWarning = new(d.optionalString())
	case "visibility":
		b.Visibility = new(d.optionalString())
	case "language":
		b.Language = new(d.optionalString())
	default:
		return false
	}
	return true
}

// over returns a content with the given fields. An empty comment or poll that is not null
// stays, so that the domain refuses it.
func (b *contentBody) over(c schedctl.Content) schedctl.Content {
	b.SetIn(&c)
	if b.hasComment {
		c.FirstComment = b.FirstComment
	}
	if b.hasPoll {
		c.Poll = b.Poll
	}
	return c
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

// partialField reads a field of an override that the content of a post has, too. It returns false for any
// other field.
func (d *decoder) partialField(name string, o *schedctl.Partial) bool {
	switch name {
	case "content":
		o.Text = d.ownContent()
	case "options":
		o.Options = d.options()
	case "media":
		if !d.null() {
			o.Media = d.mediaField(name)
		}
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
