package telegram

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// The limits of bots (https://core.telegram.org/bots/api#sending-files).
const (
	maxCaption   = 1024 // characters
	maxGroup     = 10   // files of sendMediaGroup
	maxPhotoSize = 10_000_000
	maxFileSize  = 50_000_000
	maxPhotoSum  = 10_000 // pixels, width and height together
	maxRatio     = 20
)

// MediaRules returns the limits of Telegram's own Bot API server, which are the same
// for every bot.
func (p *Publisher) MediaRules(schedctl.Account) publish.MediaRules {
	return publish.MediaRules{
		MaxFiles: maxGroup, NoAlt: true, Mixed: true, // checkGroup checks which files go together
		Classes: map[schedctl.MediaClass]publish.ClassRules{
			schedctl.MediaImage: {
				Types: []string{"image/jpeg", "image/png"}, MaxBytes: maxPhotoSize, MaxSum: maxPhotoSum, MaxRatio: maxRatio,
			},
			schedctl.MediaGIF:      {Types: []string{"image/gif"}, MaxBytes: maxFileSize},
			schedctl.MediaVideo:    {Types: []string{"video/mp4"}, MaxBytes: maxFileSize},
			schedctl.MediaDocument: {Types: []string{"application/pdf"}, MaxBytes: maxFileSize},
		},
	}
}

// checkGroup checks which files are in one message: pictures and videos, or documents,
// or one GIF.
func checkGroup(media []publish.Media) []*publish.Error {
	count := map[schedctl.MediaClass]int{}
	for i := range media {
		count[media[i].Class()]++
	}
	documents := count[schedctl.MediaDocument]
	switch {
	case count[schedctl.MediaGIF] > 0 && len(media) > 1:
		return []*publish.Error{publish.Contentf("media", "the network takes a GIF only without other files; split the post")}
	case documents > 0 && documents < len(media):
		return []*publish.Error{publish.Contentf("media", "the network takes no documents together with pictures or videos; split the post")}
	}
	return nil
}

// inputMedia is a file of sendMediaGroup.
type inputMedia struct {
	Type     string `json:"type"`
	Media    string `json:"media"`
	Caption  string `json:"caption,omitempty"`
	Width    int    `json:"width,omitempty"` // of a video
	Height   int    `json:"height,omitempty"`
	Duration int    `json:"duration,omitempty"` // in seconds
}

// fileTypes are the methods that send one file of a class, and the names of their
// parameter, which are the types of inputMedia.
var fileTypes = map[schedctl.MediaClass]struct{ method, name string }{
	schedctl.MediaImage:    {"sendPhoto", "photo"},
	schedctl.MediaGIF:      {"sendAnimation", "animation"},
	schedctl.MediaVideo:    {"sendVideo", "video"},
	schedctl.MediaDocument: {"sendDocument", "document"},
}

// fileForm returns the method that sends the files of a request, and its parameters.
func (b bot) fileForm(r publish.Request) (method string, form outbound.Body) {
	parts := []outbound.Part{outbound.FieldPart("chat_id", b.chat)}
	if r.Account.Options.Bool("silent") {
		parts = append(parts, outbound.FieldPart("disable_notification", "true"))
	}
	if reply := newReply(r); reply != nil {
		parts = append(parts, outbound.FieldPart("reply_parameters", string(outbound.EncodeJSON(reply))))
	}
	if len(r.Files) > 1 {
		return "sendMediaGroup", outbound.Multipart(append(parts, groupParts(r)...)...)
	}
	f := r.Files[0]
	kind := fileTypes[f.Class()]
	width, height, seconds := videoFacts(f)
	for _, field := range []struct{ name, value string }{
		{"caption", r.Content}, {"width", positive(width)}, {"height", positive(height)}, {"duration", positive(seconds)},
	} {
		if field.value != "" {
			parts = append(parts, outbound.FieldPart(field.name, field.value))
		}
	}
	return kind.method, outbound.Multipart(append(parts, outbound.FilePart(kind.name, publish.PublicName(f), f))...)
}

// groupParts returns the parameters of sendMediaGroup. The caption of the first file is
// shown below the group.
func groupParts(r publish.Request) []outbound.Part {
	media := make([]inputMedia, len(r.Files))
	parts := make([]outbound.Part, len(r.Files))
	for i, f := range r.Files {
		name := fmt.Sprintf("file%d", i)
		media[i] = inputMedia{Type: fileTypes[f.Class()].name, Media: "attach://" + name}
		media[i].Width, media[i].Height, media[i].Duration = videoFacts(f)
		parts[i] = outbound.FilePart(name, publish.PublicName(f), f)
	}
	media[0].Caption = r.Content
	return append([]outbound.Part{outbound.FieldPart("media", string(outbound.EncodeJSON(media)))}, parts...)
}

// videoFacts returns the width, height and seconds of a video, and zeros for other
// files.
func videoFacts(f publish.File) (width, height, seconds int) {
	if f.Class() != schedctl.MediaVideo {
		return 0, 0, 0
	}
	return f.Width, f.Height, int(f.Duration.Round(time.Second) / time.Second)
}

// positive returns the digits of a positive number, or the empty string.
func positive(n int) string {
	if n <= 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// countFiles returns how many files a response shows.
func countFiles(a outbound.Response) (n int) {
	for _, m := range sentMessages(a) {
		if m.hasFile() {
			n++
		}
	}
	return n
}

// fileErrors are parts of the Bot API's messages, in lower case, for 400 responses that
// are about a file.
var fileErrors = []struct{ text, code, message string }{
	{"not enough rights to send ", codeNoRights, "the chat does not allow this kind of file; ask an administrator to allow it, then retry"},
	{"chat_send_", codeNoRights, "the chat does not allow this kind of file; ask an administrator to allow it, then retry"},
	{"file is too big", publish.CodeFileTooLarge, "a file of the post has more bytes than the network takes; use a smaller file"},
	{"photo_invalid_dimensions", "dimensions", "the network refused the width and height of a picture; use another one"},
	{"image_process_failed", "not_readable", "the network cannot read a picture of the post; convert it to another format"},
	{"photo_save_file_invalid", "not_readable", "the network cannot read a picture of the post; convert it to another format"},
	{"photo_ext_invalid", "not_readable", "the network cannot read a picture of the post; convert it to another format"},
	{"media_invalid", "not_readable", "the network cannot read a file of the post; convert it to another format"},
	{"media_empty", "not_readable", "the network cannot read a file of the post; convert it to another format"},
}

// fileRefusal returns the error of a request with files.
func fileRefusal(err error, a outbound.Response) error {
	e := publish.AsError(err)
	if e.Outcome != schedctl.OutcomeNotPublished {
		return err
	}
	if a.Status == http.StatusRequestEntityTooLarge {
		return publish.FileTooLarge(a.Status, 0)
	}
	var body struct {
		Description string `json:"description"`
	}
	_ = json.Unmarshal(a.Body, &body)
	description := strings.ToLower(body.Description)
	for _, meaning := range fileErrors {
		if a.Status == http.StatusBadRequest && strings.Contains(description, meaning.text) {
			media := publish.MediaError(meaning.code, "%s", meaning.message)
			media.HTTPStatus = a.Status
			return media
		}
	}
	return err
}
