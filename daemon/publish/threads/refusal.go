package threads

import (
	"bytes"
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/meta"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// missing is the error for a container that does not exist, and also for one that is only
// some seconds old.
var missing = meta.Error{Code: 24, Subcode: 4279009}

// scopeReplies is the permission to reply: for the further parts of threads, and for first
// comments.
const scopeReplies = "threads_manage_replies"

// refuse returns the error for a response that is not a success.
func refuse(api meta.API) func(outbound.Response, publish.Purpose, ...string) *publish.Error {
	return func(response outbound.Response, purpose publish.Purpose, hidden ...string) *publish.Error {
		e, known := api.Refusal(response, purpose, time.Now(), hidden...), meta.ErrorOf(response)
		switch {
		case known.Code == meta.CodeParameter && bytes.Contains(response.Body, []byte(linksExceeded)):
			e.Kind, e.Code, e.Outcome = schedctl.KindContent, codeLinks, schedctl.OutcomeNotPublished
			e.Message = fmt.Sprintf("Threads allows %d different links in a post and counts more in this one; remove some", maxLinks)
		case known == missing:
			e.Outcome, e.Message = schedctl.OutcomeNotPublished, "Threads cannot publish the post yet"
			outbound.WithErrorText(e, outbound.ErrorText(response, append(hidden, api.Token)...))
		}
		return e
	}
}
