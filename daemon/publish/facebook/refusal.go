package facebook

import (
	"net/http"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/meta"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// postRefusal returns the error for a response to a request to publish that is not a
// success. Only some codes prove that Facebook does not have the post.
func postRefusal(api meta.API, response outbound.Response, now time.Time, r publish.Request) *publish.Error {
	e := api.Refusal(response, r.Purpose(), now, r.Texts()...)
	switch known := meta.ErrorOf(response); known.Code {
	case meta.CodeBlocked:
		e.Outcome = schedctl.OutcomeUnknown
	case meta.CodeDuplicate:
		e.Message = "Facebook refused the post because the Page has just published the same text; change the text"
	}
	return e
}

// photoTooLarge is the error for a photo that Facebook finds too large.
var photoTooLarge = meta.Error{Code: meta.CodeParameter, Subcode: 1366046}

// uploadRefusal returns the error of a refused upload, which has published nothing.
func uploadRefusal(api meta.API, response outbound.Response, now time.Time, hidden ...string) error {
	e := api.Refusal(response, publish.PurposeFile, now, hidden...)
	e.Outcome = schedctl.OutcomeNotPublished
	if response.Status == http.StatusRequestEntityTooLarge {
		return publish.FileTooLarge(response.Status, 0)
	}
	if meta.ErrorOf(response) == photoTooLarge {
		e.Code = publish.CodeFileTooLarge
	}
	if e.Kind == schedctl.KindContent && response.Status >= 400 {
		e.Kind = schedctl.KindMedia
	}
	for _, of := range []string{" refused the post", meta.MayHavePublished} {
		e.Message = strings.Replace(e.Message, of, " refused a file of the post", 1)
	}
	return e
}

func unconfirmedUpload(response outbound.Response) error {
	return publish.NotPublished(outbound.Unconfirmed(response, "Facebook did not confirm the upload of a file; schedctl will retry"))
}

func uploadLost(status int) *publish.Error {
	return publish.UploadLost(status, "Facebook does not have a file that was uploaded for the post; schedctl uploads it again")
}
