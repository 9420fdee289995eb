package discord

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// The limits of a message
// (https://discord.com/developers/docs/reference#uploading-files).
const (
	maxFiles       = 10
	maxDescription = 1024 // characters of an alt text

	// maxFileSize is the limit of a file on servers without boosts, 10 MiB, rounded
	// down.
	maxFileSize = 10_000_000
)

// codeTooLarge is Discord's code of a request with too many bytes.
const codeTooLarge = "40005"

// MediaRules returns the limits of a server without boosts, which are the same for
// every webhook.
func (p *Publisher) MediaRules(schedctl.Account) publish.MediaRules {
	return publish.MediaRules{
		MaxFiles: maxFiles, MaxAlt: maxDescription, Mixed: true,
		Classes: map[schedctl.MediaClass]publish.ClassRules{
			schedctl.MediaImage:    {Types: []string{"image/jpeg", "image/png", "image/webp"}, MaxBytes: maxFileSize},
			schedctl.MediaGIF:      {Types: []string{"image/gif"}, MaxBytes: maxFileSize},
			schedctl.MediaVideo:    {Types: []string{"video/mp4", "video/quicktime", "video/webm"}, MaxBytes: maxFileSize},
			schedctl.MediaDocument: {Types: []string{"application/pdf"}, MaxBytes: maxFileSize},
		},
	}
}

// attachment describes a file of a message.
type attachment struct {
	ID          int    `json:"id"` // the n of the part files[n]
	FileName    string `json:"filename"`
	Description string `json:"description,omitempty"`
}

func attachments(files []publish.File) []attachment {
	var list []attachment
	for i, f := range files {
		list = append(list, attachment{ID: i, FileName: publish.PublicName(f), Description: f.AltText})
	}
	return list
}

// form returns a message and its files as a form.
func form(message []byte, files []publish.File) outbound.Body {
	parts := []outbound.Part{{Name: "payload_json", Body: outbound.BytesBody("application/json", message)}}
	for i, f := range files {
		parts = append(parts, outbound.FilePart(fmt.Sprintf("files[%d]", i), publish.PublicName(f), f))
	}
	return outbound.Multipart(parts...)
}

// fileRefusal returns the error of a message with files. Discord and the proxies before
// it check the size of a request before anything is posted.
func fileRefusal(err error, files []publish.File) error {
	e := publish.AsError(err)
	tooLarge := e.HTTPStatus == http.StatusRequestEntityTooLarge || e.Code == codeTooLarge
	if len(files) == 0 || !tooLarge || e.Outcome != schedctl.OutcomeNotPublished {
		return err
	}
	return publish.FileTooLarge(e.HTTPStatus, 0)
}

// degraded compares the files of the message in a response with those that were sent.
func degraded(a outbound.Response, sent int) schedctl.Degradation {
	var message struct {
		Attachments *[]json.RawMessage `json:"attachments"`
	}
	if json.Unmarshal(a.Body, &message) != nil || message.Attachments == nil {
		return schedctl.Degradation{} // the server does not report them
	}
	return publish.DegradedMedia(sent, len(*message.Attachments))
}
