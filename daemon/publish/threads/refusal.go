package threads

import (
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/meta"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// missing is the error for a container that does not exist, and also for one that is only
// some seconds old.
var missing = meta.Error{Code: 24, Subcode: 4279009}

// refuse returns the error for a response that is not a success.
func refuse(api meta.API) func(outbound.Response, ...string) *publish.Error {
	return func(response outbound.Response, hidden ...string) *publish.Error {
		e := api.Refusal(response, time.Now(), hidden...)
		if meta.ErrorOf(response) == missing {
			e.Outcome, e.Message = schedctl.OutcomeNotPublished, "Threads cannot publish the post yet"
			outbound.WithErrorText(e, outbound.ErrorText(response, append(hidden, api.Token)...))
		}
		return e
	}
}
