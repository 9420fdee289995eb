package deliver

import (
	"cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
)

// Each part of a thread, and the first comment, has attempts of its own. An attempt
// publishes the first part that the network does not have. If the network takes a whole
// thread in one request, the attempt publishes the parts after it, too.

// setParts sets what the attempt publishes.
func (c *publisherCall) setParts(p *schedctl.Post, t *schedctl.Target) {
	index, count := c.attempt.Part, p.PartCount(t)
	c.part = schedctl.TargetPart{Index: index}
	if index >= count {
		return
	}
	c.part, c.done = p.PartFor(t, index), t.Done[:min(index, len(t.Done))]
	for i := index + 1; i < count; i++ {
		c.later = append(c.later, p.PartFor(t, i))
	}
	c.extras = publish.Extras{Presentation: p.PresentationFor(t)}
	switch {
	case index == 0:
		c.extras.Poll, c.extras.Preview = p.PollFor(t), c.preview(p)
	case p.LinkPreview.Mode == schedctl.PreviewNone:
		c.extras.Preview = p.LinkPreview
	}
	if len(c.later) > 0 {
		c.whole = c.threadRules().Whole
	}
}

// readFirstKey sets the key of part 0, from which those of later parts follow. It reads
// earlier attempts only if the call needs them for that.
func (c *publisherCall) readFirstKey(r storage.Reader) error {
	if c.firstKey = c.attempt.Key; !c.whole || c.part.Index == 0 {
		return nil
	}
	attempts, err := r.Attempts(c.attempt.TargetID)
	c.firstKey = cmp.Or(firstKey(attempts), c.attempt.TargetID)
	return err
}

// firstKey returns the key with which part 0 was published or may have been published,
// or an empty string.
func firstKey(attempts []schedctl.Attempt) string {
	for i := range attempts {
		if a := &attempts[i]; a.Part == 0 && a.Outcome != schedctl.OutcomeNotPublished && a.Key != "" {
			return a.Key
		}
	}
	return ""
}

// threadRules returns the rules for threads of the account. Refused is set if the
// network has no replies.
func (c *publisherCall) threadRules() publish.ThreadRules {
	if p, ok := c.publisher.(publish.Threader); ok {
		return p.ThreadRules(c.accountWithOptions())
	}
	return publish.ThreadRules{Refused: c.account.Platform + " takes no threads and no first comments here; remove them, or leave the account out"}
}

// unsupported returns why the network cannot take the post, or nil. Validation finds this
// when the post is scheduled, but the account may have changed since.
func (c *publisherCall) unsupported() *publish.Error {
	if c.part.Index > 0 && c.receipt(c.part.Index-1) == nil {
		return publish.ParentMissing(0)
	}
	if c.part.Index > 0 || len(c.later) > 0 {
		if rules := c.threadRules(); rules.Refused != "" {
			return publish.Contentf("thread", "%s", rules.Refused)
		}
	}
	if c.extras.Poll == nil {
		return nil
	}
	p, ok := c.publisher.(publish.Poller)
	if !ok {
		return publish.Contentf("poll", "%s takes no polls here; remove the poll, or leave the account out", c.account.Platform)
	}
	if rules := p.PollRules(c.accountWithOptions()); rules.Refused != "" {
		return publish.Contentf("poll", "%s", rules.Refused)
	}
	return nil
}

// midThread reports whether the call continues a thread that the network has a part of.
// Nothing else of the account is published before its end.
func (c *publisherCall) midThread() bool { return c.part.Kind == schedctl.PartReply }

// startsThread reports whether the call publishes part 0, and replies to it follow.
func (c *publisherCall) startsThread() bool {
	return c.part.Index == 0 && len(c.later) > 0 && c.later[0].Kind == schedctl.PartReply
}

// receipt returns the receipt of a published part before the call's own, or nil.
func (c *publisherCall) receipt(index int) *schedctl.Receipt {
	if index < 0 || index >= len(c.done) {
		return nil
	}
	d := &c.done[index]
	return &schedctl.Receipt{ID: d.ID, URL: d.URL, Ref: d.Ref}
}

// rest returns the parts that the request publishes after its first one.
func (c *publisherCall) rest() []schedctl.TargetPart {
	if c.whole {
		return c.later
	}
	return nil
}

// requestRest returns rest for the publisher, without files.
func (c *publisherCall) requestRest() (rest []publish.RequestPart) {
	for _, p := range c.rest() {
		rest = append(rest, publish.RequestPart{Kind: p.Kind, Content: p.Content, Key: publish.PartKey(c.publisher, c.firstKey, p.Index)})
	}
	return rest
}

// setFiles sets the files of each part of a request.
func setFiles(r *publish.Request, files [][]publish.File) {
	if len(files) == 0 {
		return
	}
	r.Files = files[0]
	for i := range r.Rest {
		r.Rest[i].Files = files[i+1]
	}
}

// forPart returns a call for the files of a different part of the target.
func (c *publisherCall) forPart(p schedctl.TargetPart) *publisherCall {
	other := *c
	other.part, other.later, other.whole = p, nil, false
	return &other
}

// hasMedia reports whether the part of the call or a later one has files.
func (c *publisherCall) hasMedia() bool {
	if len(c.part.Media) > 0 {
		return true
	}
	for i := range c.later {
		if len(c.later[i].Media) > 0 {
			return true
		}
	}
	return false
}

// progress returns the status that attempts of a target change: that of its first comment
// once the target is published.
func progress(t *schedctl.Target) schedctl.Status { return cmp.Or(t.CommentStatus, t.Status) }

// inThread reports whether the network has some parts of a target's thread, and more are
// to be published.
func inThread(t *schedctl.Target) bool { return t.Status == schedctl.Publishing && len(t.Done) > 0 }
