package publish

import "github.com/schedctl/schedctl"

// CheckRequest returns the first problem of what a request shows, or nil. It checks
// replies and polls too.
func CheckRequest(p Publisher, r *Request) error {
	content := r.Shown()
	c := p.Check(r.Account, content)
	CheckExtras(&c, p, r.Account, content)
	return c.Err()
}

// CheckReplyIDs returns an error with the code [CodeParentMissing] for a reply if the
// ids of the post and of its parent are not known. Without them the network would
// publish a post of its own.
func CheckReplyIDs(r *Request) error {
	known := func(p *schedctl.Receipt) bool { return p != nil && p.ID != "" }
	if r.Part == 0 || known(r.Root) && known(r.Parent) {
		return nil
	}
	e := ParentMissing(0)
	e.Message = "schedctl does not know the id of the post that this part replies to; publish the rest by hand"
	return e
}

// CheckChat adds the problems and warnings of a presentation to a check. It is for
// networks of rooms and channels, which show a post to all of their members.
func (c *Check) CheckChat(content Content, network string) {
	c.RefuseWarning(content, network)
	if v := content.Visibility; v != "" && v != schedctl.VisibilityPublic {
		c.Problems = append(c.Problems, Contentf("visibility",
			"all members of a room or channel on %s see a post, and this one asks for the visibility %s; leave the account out", network, v))
	}
	c.WarnLanguage(content, network)
}

// LimitQuestion sets the limit of the text of a content with a poll. The text is the
// question. It does nothing for a content without a poll.
func (c *Check) LimitQuestion(content Content, limit int) {
	if content.Poll != nil {
		c.lower(limit, "the post has %d %s, and the network allows %d in the question of a poll; shorten the text")
	}
}

// DegradedPoll returns the degradation of a post whose poll is missing or is not as
// requested. fault says what is wrong.
func DegradedPoll(fault string) schedctl.Degradation {
	return schedctl.Degradation{Code: "poll", Message: fault + "; check the post there, and delete it if that is not what you want"}
}
