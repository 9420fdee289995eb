package slack

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// The limits of blocks (https://docs.slack.dev/reference/block-kit/blocks). A message
// with pictures consists of blocks: a section with the text, and an image each.
const (
	maxBlocks  = 50
	maxSection = 3000 // characters
	maxAltText = 2000 // characters

	maxUploadAltText = 1000 // characters, of alt_txt in files.getUploadURLExternal
)

const webhookTakesNone = "an incoming webhook takes no files; connect a bot of the same channel as another account, or remove the media"

// MediaRules returns the limits of image blocks. A webhook takes no files.
func (p *Publisher) MediaRules(a schedctl.Account) publish.MediaRules {
	if isWebhookProfile(a.ProfileURL) {
		return publish.MediaRules{Refused: webhookTakesNone}
	}
	return publish.MediaRules{
		MaxFiles: maxBlocks - 1, MaxAlt: maxAltText, Mixed: true,
		Classes: map[schedctl.MediaClass]publish.ClassRules{
			schedctl.MediaImage: {Types: []string{"image/jpeg", "image/png"}},
			schedctl.MediaGIF:   {Types: []string{"image/gif"}},
		},
	}
}

// isWebhookProfile reports whether a profile's URL is that of a webhook, which has no
// path; see webhookProfile and channelURL.
func isWebhookProfile(profileURL string) bool {
	return profileURL != "" && !strings.Contains(profileURL, "/archives/")
}

// block is a section with a text, or an image.
type block struct {
	Type      string      `json:"type"`
	Text      *textObject `json:"text,omitempty"`
	SlackFile *slackFile  `json:"slack_file,omitempty"`
	AltText   string      `json:"alt_text,omitempty"`
}

type textObject struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type slackFile struct {
	ID string `json:"id"`
}

// blocks returns the blocks of a message with files, or nil for one without. An image
// block needs an alt text; without one it gets the name of the file.
func blocks(r publish.Request) []block {
	var list []block
	if len(r.Files) > 0 && strings.TrimSpace(r.Content) != "" {
		text := textObject{Type: "mrkdwn", Text: escape(r.Content)}
		if mrkdwn, given := r.Account.Options["mrkdwn"].(bool); given && !mrkdwn {
			text.Type = "plain_text"
		}
		list = append(list, block{Type: "section", Text: &text})
	}
	for _, f := range r.Files {
		alt := f.AltText
		if alt == "" {
			alt = publish.PublicName(f)
		}
		list = append(list, block{Type: "image", SlackFile: &slackFile{ID: f.Upload.ID}, AltText: alt})
	}
	return list
}

// fileRefusal returns the error of a refused message with files. Slack names an image
// block whose file it does not have, or has not processed yet.
func fileRefusal(err error, a outbound.Response, files []publish.File) error {
	e := publish.AsError(err)
	if len(files) == 0 || e.Code != "invalid_blocks" || !bytes.Contains(bytes.ToLower(a.Body), []byte("slack file")) {
		return err
	}
	return uploadLost(e.HTTPStatus)
}

func uploadLost(status int) *publish.Error {
	e := publish.MediaError(publish.CodeUploadLost, "the network does not have a file that was uploaded for the post; retry the post to upload it again")
	e.HTTPStatus = status
	return e
}

// degraded compares the images of the message in a response with those that were sent.
func degraded(a outbound.Response, sent int) schedctl.Degradation {
	var body struct {
		Message struct {
			Blocks []struct {
				Type any `json:"type"`
			} `json:"blocks"`
		} `json:"message"`
	}
	if sent == 0 || json.Unmarshal(a.Body, &body) != nil || body.Message.Blocks == nil {
		return schedctl.Degradation{} // the server does not report them
	}
	shown := 0
	for _, b := range body.Message.Blocks {
		if b.Type == "image" {
			shown++
		}
	}
	return publish.DegradedMedia(sent, shown)
}
