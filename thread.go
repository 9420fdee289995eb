package schedctl

import (
	"fmt"
	"slices"
)

// MaxThread is the largest number of further parts of a thread, so that a thread has
// at most one part more.
const MaxThread = 24

// Part is one further part of a thread, or the first comment. Like a post, it has a
// text, media, or both.
type Part struct {
	Content string
	Media   []PostMedia
}

func (p Part) clone() Part { return Part{Content: p.Content, Media: slices.Clone(p.Media)} }

// empty reports whether the part has neither text nor media.
func (p Part) empty() bool { return p.Content == "" && len(p.Media) == 0 }

func (p Part) equal(o Part) bool { return p.Content == o.Content && slices.Equal(p.Media, o.Media) }

// PartKind says what a part of a target is on its network.
type PartKind string

// The kinds of parts.
const (
	PartPost    PartKind = "post"    // part 0
	PartReply   PartKind = "reply"   // of the thread: replies to the part before it
	PartComment PartKind = "comment" // the first comment: replies to the last part of the thread
)

// PartKinds lists every kind of part.
func PartKinds() []PartKind { return []PartKind{PartPost, PartReply, PartComment} }

// TargetPart is one part of what a target publishes.
type TargetPart struct {
	Index   int // 0 for the post
	Kind    PartKind
	Content string
	Media   []PostMedia
}

// ThreadFor returns the further parts of a target's thread.
func (p *Post) ThreadFor(t *Target) []Part {
	if t.Thread != nil {
		return t.Thread
	}
	return p.Thread
}

// PartCount returns the number of parts of a target: the post, the replies of its
// thread, and the first comment.
func (p *Post) PartCount(t *Target) int {
	n := p.threadEnd(t)
	if p.FirstComment != nil {
		n++
	}
	return n
}

// threadEnd returns the number of parts of a target without the first comment. The
// target is published when it has published them.
func (p *Post) threadEnd(t *Target) int { return 1 + len(p.ThreadFor(t)) }

// PartFor returns the part of a target with an index below [Post.PartCount].
func (p *Post) PartFor(t *Target, index int) TargetPart {
	thread := p.ThreadFor(t)
	switch {
	case index == 0:
		return TargetPart{Kind: PartPost, Content: p.ContentFor(t), Media: p.MediaFor(t)}
	case index <= len(thread):
		part := thread[index-1]
		return TargetPart{Index: index, Kind: PartReply, Content: part.Content, Media: part.Media}
	}
	return TargetPart{Index: index, Kind: PartComment, Content: p.FirstComment.Content, Media: p.FirstComment.Media}
}

// PartsFor returns all parts of a target in the order in which they are published.
func (p *Post) PartsFor(t *Target) []TargetPart {
	parts := make([]TargetPart, p.PartCount(t))
	for i := range parts {
		parts[i] = p.PartFor(t, i)
	}
	return parts
}

// checkThread checks the further parts of a thread. Errors: [ContentTooLong] and
// [ValidationFailed].
func checkThread(field string, thread []Part) error {
	if len(thread) > MaxThread {
		return Errorf(ValidationFailed, field, "the thread has %d further parts; the limit is %d", len(thread), MaxThread)
	}
	for i, part := range thread {
		if err := checkPart(fmt.Sprintf("%s[%d].", field, i), part); err != nil {
			return err
		}
	}
	return nil
}

// checkPart checks a text and the media with it. Without media, the text must not be
// empty. The prefix is that of the fields.
func checkPart(prefix string, part Part) error {
	if err := checkMedia(prefix+"media", part.Media); err != nil {
		return err
	}
	if part.Content == "" && len(part.Media) > 0 {
		return nil
	}
	return checkContent(prefix+"content", part.Content)
}

func cloneThread(thread []Part) []Part {
	c := slices.Clone(thread)
	for i := range c {
		c[i].Media = slices.Clone(c[i].Media)
	}
	return c
}

func clonePart(part *Part) *Part {
	if part == nil {
		return nil
	}
	return new(part.clone())
}

func samePart(a, b *Part) bool {
	return a == nil && b == nil || a != nil && b != nil && a.equal(*b)
}
