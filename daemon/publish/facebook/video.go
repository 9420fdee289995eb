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

// maxChunk is the most bytes of a video in one request. Facebook may ask for fewer.
const maxChunk = 8 << 20

// videoState is the response to a step of an upload. Its numbers are texts.
type videoState struct {
	Session string `json:"upload_session_id"`
	Video   string `json:"video_id"`
	Start   string `json:"start_offset"`
	End     string `json:"end_offset"`
}

// chunk returns the bytes that Facebook asks for next.
func (s videoState) chunk() (start, end int64, ok bool) {
	start, err := strconv.ParseInt(s.Start, 10, 64)
	end, err2 := strconv.ParseInt(s.End, 10, 64)
	return start, end, err == nil && err2 == nil && start >= 0 && end >= start
}

// parseVideo returns the session and the video of an upload.
func parseVideo(id string) (session, video string, ok bool) {
	session, video, ok = strings.Cut(id, ":")
	return session, video, ok && meta.ObjectID(session) && meta.ObjectID(video)
}

// sendVideo uploads a video and returns the id of the upload.
func (p *Publisher) sendVideo(ctx context.Context, a access, r publish.Request, f publish.File) (string, error) {
	if a.takesHandles(f) {
		session, refused, err := p.startUpload(ctx, a, publish.UploadName(r, f), f)
		if err != nil {
			return "", err
		}
		if !refused {
			return p.sendHandle(ctx, a, session, f)
		}
	}
	return p.sendParts(ctx, a.video(), a.page, f)
}

// sendParts uploads a video in parts and returns the id of the upload. The video is published
// when its upload ends. Facebook no longer documents this API, and still serves it
// (https://developers.facebook.com/docs/graph-api/reference/page/videos).
func (p *Publisher) sendParts(ctx context.Context, api meta.API, page string, f publish.File) (string, error) {
	form := url.Values{"upload_phase": {"start"}, "file_size": {strconv.FormatInt(f.Size, 10)}}
	response, err := api.Post(ctx, form, version, page, "videos")
	if err != nil {
		return "", err
	}
	state, err := p.readState(api, response)
	if err != nil {
		return "", err
	}
	id := state.Session + ":" + state.Video
	if _, _, ok := parseVideo(id); !ok {
		return "", unconfirmedUpload(response)
	}
	segments, err := outbound.OpenSegments(ctx, f)
	if err != nil {
		return "", err
	}
	defer segments.Close()
	for segments.Left() > 0 {
		start, end, ok := state.chunk()
		if sent := f.Size - segments.Left(); !ok || start != sent || end <= start {
			return "", unconfirmedUpload(response)
		}
		chunk, err := segments.Next(min(end-start, maxChunk))
		if err != nil {
			return "", err
		}
		if state, response, err = p.sendChunk(ctx, api, page, id, start, chunk); err != nil {
			return "", err
		}
	}
	if start, end, ok := state.chunk(); !ok || start != f.Size || end != f.Size {
		return "", unconfirmedUpload(response)
	}
	return id, nil
}

func (p *Publisher) sendChunk(ctx context.Context, api meta.API, page, id string, offset int64, chunk outbound.Body) (videoState, outbound.Response, error) {
	session, _, _ := parseVideo(id)
	response, err := api.PostBody(ctx, outbound.Multipart(
		outbound.FieldPart(meta.FieldToken, api.Token), outbound.FieldPart("upload_phase", "transfer"), outbound.FieldPart("upload_session_id", session),
		outbound.FieldPart("start_offset", strconv.FormatInt(offset, 10)), outbound.Part{Name: "video_file_chunk", FileName: "chunk", Body: chunk},
	), version, page, "videos")
	if err != nil {
		return videoState{}, response, err
	}
	state, err := p.readState(api, response)
	return state, response, err
}

func (p *Publisher) readState(api meta.API, response outbound.Response) (videoState, error) {
	if response.Status != http.StatusOK {
		return videoState{}, uploadRefusal(api, response, p.now())
	}
	var state videoState
	if response.Cut || json.Unmarshal(response.Body, &state) != nil {
		return videoState{}, unconfirmedUpload(response)
	}
	return state, nil
}
