package slack

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// fileID matches the id of a file.
var fileID = pattern.Lazy(`^F[A-Z0-9]{2,30}$`)

// Upload uploads a file and shares it with no channel, so that only the bot sees it
// (https://docs.slack.dev/messaging/working-with-files). The id of the upload is the id
// of the file.
func (p *Publisher) Upload(ctx context.Context, r publish.Request, f publish.File) (publish.Upload, error) {
	to, err := p.parseBotAccess(r.Credentials)
	if err != nil {
		return publish.Upload{}, err
	}
	address, id, err := p.announceUpload(ctx, to, r, f)
	if err == nil {
		err = p.sendFile(ctx, to, address, f)
	}
	if err == nil {
		err = p.completeUpload(ctx, to, id, publish.PublicName(f))
	}
	if err != nil {
		return publish.Upload{}, uploadError(err)
	}
	return publish.Upload{ID: id}, nil
}

// Processed asks for the type of a file, which Slack reports when it has processed it.
func (p *Publisher) Processed(ctx context.Context, r publish.Request, u publish.Upload) (publish.Upload, error) {
	to, err := p.parseBotAccess(r.Credentials)
	if err != nil {
		return u, err
	}
	a, err := outbound.Get(ctx, p.client, to.method("files.info", url.Values{"file": {u.ID}}), outbound.Header(p.userAgent, to.token))
	var info struct {
		File struct {
			MIMEType string `json:"mimetype"`
		} `json:"file"`
	}
	if err := readFileMethod(a, err, publish.PurposeStatus, &info, to); err != nil {
		return u, uploadError(err)
	}
	switch mimeType := info.File.MIMEType; {
	case mimeType == "":
	case strings.HasPrefix(mimeType, "image/"):
		u.Ready = true
	default:
		return u, publish.MediaError("not_readable", "the network cannot read a picture of the post; convert it to another format")
	}
	return u, nil
}

// parseBotAccess returns the credentials of a bot. The error is of kind media for a
// webhook.
func (p *Publisher) parseBotAccess(c publish.Credentials) (access, error) {
	to, err := p.parseCredentials(c)
	if err == nil && to.webhook != nil {
		err = publish.MediaError("unsupported", "%s", webhookTakesNone)
	}
	return to, err
}

// announceUpload returns the address to which the bytes of a file are sent, and the id
// of the file.
func (p *Publisher) announceUpload(ctx context.Context, to access, r publish.Request, f publish.File) (address, id string, err error) {
	form := url.Values{"filename": {publish.UploadName(r, f)}, "length": {strconv.FormatInt(f.Size, 10)}}
	if f.AltText != "" && utf8.RuneCountInString(f.AltText) <= maxUploadAltText {
		form.Set("alt_txt", f.AltText)
	}
	header := outbound.Header(p.userAgent, to.token)
	header.Set("Content-Type", "application/x-www-form-urlencoded")
	a, err := outbound.Post(ctx, p.client, to.method("files.getUploadURLExternal", nil), header, []byte(form.Encode()))
	var announced struct {
		UploadURL string `json:"upload_url"`
		FileID    string `json:"file_id"`
	}
	if err := readFileMethod(a, err, publish.PurposeFile, &announced, to); err != nil {
		return "", "", err
	}
	target, err := p.policy.ParseAddress(announced.UploadURL)
	if err != nil || !fileID().MatchString(announced.FileID) {
		return "", "", unconfirmedUpload(a)
	}
	return target.String(), announced.FileID, nil
}

// sendFile sends the bytes of a file. The address is secret; the token is not sent.
func (p *Publisher) sendFile(ctx context.Context, to access, address string, f publish.File) error {
	a, err := outbound.PostBody(ctx, p.client, address, outbound.Header(p.userAgent, ""), outbound.FileBody(f))
	if err != nil {
		return err
	}
	if a.Status != http.StatusOK {
		return outbound.WithErrorText(outbound.FileRefusal(a, time.Now()), outbound.ErrorText(a, append(to.hidden(), address)...))
	}
	return nil
}

func (p *Publisher) completeUpload(ctx context.Context, to access, id, title string) error {
	type file struct {
		ID    string `json:"id"`
		Title string `json:"title"`
	}
	body := outbound.EncodeJSON(struct {
		Files []file `json:"files"`
	}{[]file{{id, title}}})
	a, err := outbound.Post(ctx, p.client, to.method("files.completeUploadExternal", nil), p.jsonHeader(to.token), body)
	var completed struct {
		Files []struct {
			ID string `json:"id"`
		} `json:"files"`
	}
	if err := readFileMethod(a, err, publish.PurposeFile, &completed, to); err != nil {
		return err
	}
	if len(completed.Files) != 1 || completed.Files[0].ID != id {
		return unconfirmedUpload(a)
	}
	return nil
}

// readFileMethod reads the response of a method that publishes nothing. err is that of
// its request.
func readFileMethod(a outbound.Response, err error, purpose publish.Purpose, document any, to access) error {
	if err != nil {
		return err
	}
	if e := refusal(a, purpose, time.Now(), to.hidden()...); e != nil {
		if e.Code == codeNoConfirmation {
			return unconfirmedUpload(a)
		}
		if e.Code == codeMissingScope {
			return missingFileScope(a, e, purpose)
		}
		return e
	}
	if json.Unmarshal(a.Body, document) != nil {
		return unconfirmedUpload(a)
	}
	return nil
}

func unconfirmedUpload(a outbound.Response) *publish.Error {
	return outbound.Unconfirmed(a, "the network did not confirm the upload of a file; schedctl will retry")
}

// fileErrors are Slack's errors about files.
var fileErrors = map[string]string{
	"file_type_not_allowed":               "the workspace does not allow files of this type; ask one of its administrators",
	"file_uploads_disabled":               "the workspace does not allow uploads; ask one of its administrators",
	"file_uploads_except_images_disabled": "the workspace allows only uploads of images; ask one of its administrators",
	"alt_txt_too_large":                   "an alt text is too long for the network; shorten it",
}

// uploadError returns the error of a request that uploads or asks for an upload. It has
// published nothing.
func uploadError(err error) *publish.Error {
	e := *publish.AsError(err)
	e.Outcome = schedctl.OutcomeNotPublished
	message, known := fileErrors[e.Code]
	switch {
	case e.Code == publish.CodeNotKnown:
	case known:
		e.Kind, e.Message = schedctl.KindMedia, message
		outbound.WithErrorText(&e, e.Code)
	case e.Code == "file_not_found" || e.Code == "file_deleted":
		return uploadLost(e.HTTPStatus)
	case e.Code == "file_upload_size_restricted" || e.HTTPStatus == http.StatusRequestEntityTooLarge:
		return publish.FileTooLarge(e.HTTPStatus, 0)
	case e.Kind == schedctl.KindAuth && e.Code != "" && !tokenEnded[e.Code], e.Kind == schedctl.KindContent && (e.HTTPStatus == http.StatusOK || e.HTTPStatus >= 400):
		e.Kind = schedctl.KindMedia
		e.Message = strings.Replace(e.Message, "refused the post", "refused a file of the post", 1)
	}
	return &e
}

// tokenEnded are the errors of file methods that are about the whole account.
var tokenEnded = map[string]bool{"invalid_auth": true, "account_inactive": true, "token_revoked": true, "token_expired": true, "not_authed": true}
