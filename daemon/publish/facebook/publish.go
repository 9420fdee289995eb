package facebook

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/meta"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// Publish publishes a post on the Page: a video by the end of its upload, and everything
// else in the feed.
func (p *Publisher) Publish(ctx context.Context, r publish.Request) (schedctl.Receipt, error) {
	if err := publish.CheckRequest(p, &r); err != nil {
		return schedctl.Receipt{}, err
	}
	a, err := p.parseCredentials(r.Credentials)
	if err != nil {
		return schedctl.Receipt{}, err
	}
	if hasVideo(r) {
		return p.publishVideo(ctx, a, r)
	}
	response, err := a.Post(ctx, formOf(r), version, a.page, "feed")
	if err != nil {
		return schedctl.Receipt{}, err
	}
	if response.Status != http.StatusOK {
		return schedctl.Receipt{}, postRefusal(a.API, response, p.now(), r)
	}
	id := meta.CreatedID(response)
	if id == "" {
		return schedctl.Receipt{}, unconfirmed(response)
	}
	return receiptOf(id), nil
}

// hasVideo reports whether the file of a post is a video.
func hasVideo(r publish.Request) bool {
	return len(r.Files) == 1 && r.Files[0].Class() == schedctl.MediaVideo
}

// formOf returns the parameters of a post in the feed
// (https://developers.facebook.com/docs/graph-api/reference/page/feed).
func formOf(r publish.Request) url.Values {
	form := url.Values{}
	if r.Content != "" {
		form.Set("message", r.Content)
	}
	if link := linkOf(r); link != "" {
		form.Set("link", link)
	}
	for i, f := range r.Files {
		form.Set("attached_media["+strconv.Itoa(i)+"]", string(outbound.EncodeJSON(map[string]string{"media_fbid": f.Upload.ID})))
	}
	return form
}

// publishVideo publishes an uploaded video: with its handle, or by the end of an upload in
// parts.
func (p *Publisher) publishVideo(ctx context.Context, a access, r publish.Request) (schedctl.Receipt, error) {
	handle, whole := strings.CutPrefix(r.Files[0].Upload.ID, handlePrefix)
	session, video, parts := parseVideo(r.Files[0].Upload.ID)
	form := url.Values{}
	switch {
	case whole:
		form.Set("fbuploader_video_file_chunk", handle)
	case parts:
		form = url.Values{"upload_phase": {"finish"}, "upload_session_id": {session}, "published": {"true"}}
	default:
		return schedctl.Receipt{}, uploadLost(0)
	}
	if r.Content != "" {
		form.Set("description", r.Content)
	}
	api := a.video()
	response, err := api.Post(ctx, form, version, a.page, "videos")
	if err != nil {
		return schedctl.Receipt{}, err
	}
	if response.Status != http.StatusOK {
		return schedctl.Receipt{}, postRefusal(api, response, p.now(), r)
	}
	if whole {
		video = meta.CreatedID(response)
	} else if !succeeded(response) {
		video = ""
	}
	if video == "" {
		return schedctl.Receipt{}, unconfirmed(response)
	}
	return receiptOf(video), nil
}

// succeeded reports whether a response says that an upload has ended.
func succeeded(response outbound.Response) bool {
	var body struct {
		Success bool `json:"success"`
	}
	_ = json.Unmarshal(response.Body, &body)
	return body.Success && !response.Cut
}

func unconfirmed(response outbound.Response) *publish.Error {
	return outbound.Unconfirmed(response, "Facebook accepted the request but named no post; check the Page for the post")
}

// receiptOf returns the receipt for a post or a video. Facebook redirects this address to
// that of the post.
func receiptOf(id string) schedctl.Receipt {
	return schedctl.Receipt{ID: id, URL: "https://www.facebook.com/" + id}
}
