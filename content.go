package schedctl

import (
	"maps"
	"reflect"
	"slices"
)

// Content is what a post says: everything that networks publish, and the title. The zero
// value of a field means that the post does not have it.
type Content struct {
	Text         string      // of part 0; may be empty if there are media
	Title        string      // for the users of the client; no network gets it
	Media        []PostMedia // of part 0, in the order in which they are shown
	Thread       []Part      // the parts after part 0
	FirstComment *Part       // replies to the last part of the thread; or nil
	Poll         *Poll       // of part 0, or nil
	LinkPreview  LinkPreview
	Presentation
}

// Plain reports whether the content is nothing but a text and media.
func (c *Content) Plain() bool {
	return c.Title == "" && len(c.Thread) == 0 && c.FirstComment == nil && c.Poll == nil &&
		c.LinkPreview == LinkPreview{} && c.Presentation == Presentation{}
}

// clone returns a copy that shares nothing with c.
func (c *Content) clone() Content {
	o := *c
	o.Media, o.Thread = slices.Clone(c.Media), cloneThread(c.Thread)
	o.FirstComment, o.Poll = clonePart(c.FirstComment), c.Poll.clone()
	return o
}

// publishesSame reports whether two contents publish the same. Titles are not published.
func (c *Content) publishesSame(o *Content) bool {
	return c.Text == o.Text && slices.Equal(c.Media, o.Media) && slices.EqualFunc(c.Thread, o.Thread, Part.equal) &&
		samePart(c.FirstComment, o.FirstComment) && samePoll(c.Poll, o.Poll) && c.LinkPreview == o.LinkPreview &&
		c.Presentation == o.Presentation
}

// check checks all fields.
func (c *Content) check() error {
	if err := CheckTitle(c.Title); err != nil {
		return err
	}
	if err := checkPart("", Part{Content: c.Text, Media: c.Media}); err != nil {
		return err
	}
	if err := checkThread("thread", c.Thread); err != nil {
		return err
	}
	if c.FirstComment != nil {
		if err := checkPart("first_comment.", *c.FirstComment); err != nil {
			return err
		}
	}
	if c.Poll != nil {
		if err := c.Poll.check("poll"); err != nil {
			return err
		}
	}
	if err := c.LinkPreview.check(); err != nil {
		return err
	}
	return c.Presentation.check("")
}

// ContentChange has the new values of the fields of a content. Nil fields stay as they
// are. The title is part of an [Annotation], because it may change in every status.
type ContentChange struct {
	Text         *string
	Media        *[]PostMedia
	Thread       *[]Part
	FirstComment *Part // an empty one removes the comment
	Poll         *Poll // one without options removes the poll
	LinkPreview  *LinkPreview
	PresentationChange
}

// ChangeTo returns the change that makes any content publish the same as c.
func (c *Content) ChangeTo() ContentChange {
	change := ContentChange{
		Text: &c.Text, Media: &c.Media, Thread: &c.Thread, FirstComment: &Part{}, Poll: &Poll{}, LinkPreview: &c.LinkPreview,
		PresentationChange: c.Presentation.changeTo(),
	}
	if c.FirstComment != nil {
		change.FirstComment = c.FirstComment
	}
	if c.Poll != nil {
		change.Poll = c.Poll
	}
	return change
}

// Empty reports whether no field is given.
func (c *ContentChange) Empty() bool { return *c == ContentChange{} }

// apply sets the given fields of a content and checks the result.
func (c *ContentChange) apply(to *Content) error {
	c.SetIn(to)
	return to.check()
}

// SetIn sets the given fields of a content. The content then shares nothing with c.
func (c *ContentChange) SetIn(to *Content) {
	set(&to.Text, c.Text)
	set(&to.LinkPreview, c.LinkPreview)
	c.setIn(&to.Presentation)
	if c.Media != nil {
		to.Media = slices.Clone(*c.Media)
	}
	if c.Thread != nil {
		to.Thread = cloneThread(*c.Thread)
	}
	if c.FirstComment != nil {
		if to.FirstComment = clonePart(c.FirstComment); c.FirstComment.empty() {
			to.FirstComment = nil
		}
	}
	if c.Poll != nil {
		if to.Poll = c.Poll.clone(); len(c.Poll.Options) == 0 {
			to.Poll = nil
		}
	}
}

func set[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}

// Partial is a part of a content: what an account publishes instead of what the post says.
// A zero field stands for that of the post. Media and Thread that are empty and not nil,
// and a poll without options, mean that the account publishes none.
type Partial struct {
	Text    string
	Options Options // replace options of the account
	Media   []PostMedia
	Thread  []Part
	Poll    *Poll
	Presentation
}

// Extended reports whether the partial has more than a text, options and media.
func (p *Partial) Extended() bool {
	return p.Thread != nil || p.Poll != nil || p.Presentation != Presentation{}
}

func (p *Partial) empty() bool {
	return p.Text == "" && len(p.Options) == 0 && p.Media == nil && !p.Extended()
}

// clone returns a copy that shares nothing with p.
func (p *Partial) clone() Partial {
	c := *p
	c.Options, c.Media, c.Thread, c.Poll = maps.Clone(p.Options), slices.Clone(p.Media), cloneThread(p.Thread), p.Poll.clone()
	return c
}

func (p *Partial) equal(o *Partial) bool {
	return p.Text == o.Text && p.Presentation == o.Presentation && samePoll(p.Poll, o.Poll) &&
		(p.Media == nil) == (o.Media == nil) && slices.Equal(p.Media, o.Media) &&
		(p.Thread == nil) == (o.Thread == nil) && slices.EqualFunc(p.Thread, o.Thread, Part.equal) &&
		(len(p.Options) == 0 && len(o.Options) == 0 || reflect.DeepEqual(p.Options, o.Options))
}

// check checks the fields of an override. The prefix is that of the fields.
func (p *Partial) check(prefix string) error {
	if p.Text != "" {
		if err := checkContent(prefix+"content", p.Text); err != nil {
			return err
		}
	}
	if err := checkMedia(prefix+"media", p.Media); err != nil {
		return err
	}
	if err := checkThread(prefix+"thread", p.Thread); err != nil {
		return err
	}
	if p.Poll != nil && len(p.Poll.Options) > 0 {
		if err := p.Poll.check(prefix + "poll"); err != nil {
			return err
		}
	}
	return p.Presentation.check(prefix)
}
