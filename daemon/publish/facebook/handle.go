package facebook

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/meta"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// handlePrefix starts the id of an upload that is a handle of the Resumable Upload API
// (https://developers.facebook.com/docs/graph-api/guides/upload). Other ids are those of
// [Publisher.sendParts].
const handlePrefix = "handle:"

// printable reports whether the id of a session or a handle can be used: schedctl does not
// know their form.
func printable(id string) bool {
	return id != "" && len(id) <= 8000 && !strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r > '~' || r == '#' })
}

// takesHandles reports whether the video can be uploaded with the Resumable Upload API. It
// needs the id of the app, and takes only this type.
func (a access) takesHandles(f publish.File) bool { return a.app != "" && f.MIMEType == "video/mp4" }

// uploader returns the API with the token for uploads: that of a person, if there is one.
func (a access) uploader() meta.API {
	api := a.API
	if a.user != "" {
		api.Token, api.Hidden = a.user, append([]string{a.Token}, a.Hidden...)
	}
	return api
}

// startUpload starts an upload and returns its session. refused reports that Facebook does not
// let this token upload with the app, so that nothing has started.
func (p *Publisher) startUpload(ctx context.Context, a access, name string, f publish.File) (session string, refused bool, err error) {
	form := url.Values{"file_name": {name}, "file_length": {strconv.FormatInt(f.Size, 10)}, "file_type": {f.MIMEType}}
	response, err := a.uploader().Post(ctx, form, version, a.app, "uploads")
	switch {
	case err != nil:
		return "", false, err
	case response.Status >= 400 && response.Status <= 499:
		return "", true, nil
	case response.Status != http.StatusOK:
		return "", false, uploadRefusal(a.API, response, p.now())
	}
	var started struct {
		ID string `json:"id"`
	}
	if response.Cut || json.Unmarshal(response.Body, &started) != nil || !strings.HasPrefix(started.ID, "upload:") || !printable(started.ID) {
		return "", false, unconfirmedUpload(response)
	}
	return started.ID, false, nil
}

// sendHandle sends the bytes of a video and returns the id of the upload.
func (p *Publisher) sendHandle(ctx context.Context, a access, session string, f publish.File) (string, error) {
	api := a.uploader()
	header := outbound.Header(api.UserAgent, "")
	header.Set("Authorization", "OAuth "+api.Token)
	header.Set("file_offset", "0")
	if f.Open == nil {
		return "", publish.UnreadableFile(nil)
	}
	path, query, _ := strings.Cut(session, "?")
	to := api.Base.JoinPath(version, path)
	to.RawQuery = query
	response, err := outbound.PostBody(ctx, api.Client, to.String(), header, outbound.FileBody(f))
	if err != nil {
		return "", err
	}
	if response.Status != http.StatusOK {
		return "", uploadRefusal(api, response, p.now())
	}
	var sent struct {
		Handle string `json:"h"`
	}
	if response.Cut || json.Unmarshal(response.Body, &sent) != nil || !printable(sent.Handle) {
		return "", unconfirmedUpload(response)
	}
	return handlePrefix + sent.Handle, nil
}
