package publish

import (
	"errors"

	"github.com/schedctl/schedctl"
)

// Purpose is what a request is for. It decides what a refusal means: for the account, for
// the post, or only for a part of it. Its text is what messages call the request.
type Purpose string

// The purposes. All after PurposePublish are secondary: a refusal does not mean that the
// network refuses the post.
const (
	PurposeIdentity Purpose = "the account"                 // connects, verifies, renews or logs in
	PurposePublish  Purpose = "the post"                    // publishes part 0
	PurposePart     Purpose = "a part of the thread"        // publishes a further part
	PurposeComment  Purpose = "the first comment"           // publishes it
	PurposeFile     Purpose = "a file of the post"          // uploads a file, or sets its alt text
	PurposeStatus   Purpose = "the question about a file"   // asks whether an upload or a staged post is ready
	PurposeLookup   Purpose = "the question about the post" // asks for a post: a [Finder], or a parent
	PurposeResults  Purpose = "the reading of results"      // reads numbers of posts: a [ResultsReader]
)

// Purposes lists the purposes.
func Purposes() []Purpose {
	return []Purpose{PurposeIdentity, PurposePublish, PurposePart, PurposeComment, PurposeFile, PurposeStatus, PurposeLookup, PurposeResults}
}

// Purpose returns the purpose of the request that publishes r.
func (r *Request) Purpose() Purpose {
	switch {
	case r.Part == 0:
		return PurposePublish
	case r.Kind == schedctl.PartComment:
		return PurposeComment
	}
	return PurposePart
}

// Secondary reports whether a refusal of the request does not mean that the network
// refuses the post.
func (p Purpose) Secondary() bool { return p != PurposeIdentity && p != PurposePublish }

// Publishes reports whether the request makes something visible, so that a refusal may come
// after the network has done so.
func (p Purpose) Publishes() bool {
	return p == PurposePublish || p == PurposePart || p == PurposeComment
}

// CodeNotKnown is the code of an [*Error] of [Uploader].Processed and [Stager].Staged: the
// network does not say whether it has processed the upload. The caller continues as if it
// had.
const CodeNotKnown = "not_known"

// NotKnown reports whether an error has [CodeNotKnown].
func NotKnown(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Code == CodeNotKnown
}

// CodeBlockedOnTheWay is the code of an [*Error] for a response that is not the network's:
// a firewall or a proxy refused the request.
const CodeBlockedOnTheWay = "blocked_on_the_way"
