package publishtest

import (
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// FacebookApp is the id of the developer app of all tokens.
const FacebookApp = "901020304050607"

// startUpload starts an upload with the Resumable Upload API.
func (f *FakeFacebook) startUpload(form url.Values) (int, string) {
	size, err := strconv.ParseInt(form.Get("file_length"), 10, 64)
	switch {
	case f.NoUploads:
		return 403, MetaError(10, 0, "(#10) Application does not have permission for this action")
	case err != nil || size <= 0 || form.Get("file_name") == "" || form.Get("file_type") != "video/mp4":
		return 400, MetaError(100, 0, "Invalid parameter")
	}
	session := f.id()
	f.videos[session] = &facebookVideo{id: f.id(), size: size}
	return 200, encode(map[string]any{"id": "upload:" + session + "?sig=AR_" + session})
}

// upload takes the bytes of an upload and returns its handle.
func (f *FakeFacebook) upload(session string, r *http.Request) (int, string) {
	v := f.videos[session]
	body, _ := io.ReadAll(r.Body)
	if v == nil || r.URL.Query().Get("sig") != "AR_"+session || r.Header.Get("file_offset") != strconv.FormatInt(v.got, 10) || v.got+int64(len(body)) != v.size {
		return 400, MetaError(100, 0, "Invalid parameter")
	}
	v.got = v.size
	handle := "4:" + session + ":dmlkZW8vbXA0:ARb=="
	f.videos[handle] = v
	delete(f.videos, session)
	return 200, encode(map[string]any{"h": handle})
}

// publishUpload publishes an uploaded video. Whether a handle works twice is not documented, so
// it does.
func (f *FakeFacebook) publishUpload(handle, text string) (int, string) {
	v := f.videos[handle]
	if v == nil || v.got != v.size {
		return 400, MetaError(100, 0, "Invalid parameter")
	}
	published := &facebookVideo{id: f.id(), size: v.size, got: v.got, finished: time.Now(), text: text}
	f.videos[published.id] = published
	f.publish(FacebookPost{Message: text, Video: published.id})
	return 200, encode(map[string]any{"id": published.id})
}

// video carries out a step of the upload of a video.
func (f *FakeFacebook) video(r *http.Request) (int, string) {
	if handle := r.Form.Get("fbuploader_video_file_chunk"); handle != "" {
		return f.publishUpload(handle, r.Form.Get("description"))
	}
	session := r.Form.Get("upload_session_id")
	v := f.videos[session]
	switch phase := r.Form.Get("upload_phase"); {
	case phase == "start":
		size, err := strconv.ParseInt(r.Form.Get("file_size"), 10, 64)
		if err != nil || size <= 0 {
			return 400, MetaError(100, 0, "Invalid parameter")
		}
		session = f.id()
		f.videos[session] = &facebookVideo{id: f.id(), size: size}
		return 200, encode(map[string]any{"upload_session_id": session, "video_id": f.videos[session].id, "start_offset": "0", "end_offset": strconv.FormatInt(min(f.Chunk, size), 10)})
	case v == nil || !v.finished.IsZero():
		return 400, MetaError(6000, 1363037, "There was a problem uploading your video file. Please try again.")
	case phase == "transfer":
		return f.chunk(r, v)
	case phase == "finish" && v.got == v.size:
		v.finished, v.text = time.Now(), r.Form.Get("description")
		f.publish(FacebookPost{Message: r.Form.Get("description"), Video: v.id})
		return 200, `{"success":true}`
	}
	return 400, MetaError(6000, 1363030, "Your video upload timed out before it could be completed")
}

func (f *FakeFacebook) chunk(r *http.Request, v *facebookVideo) (int, string) {
	file, header, err := r.FormFile("video_file_chunk")
	if err != nil || r.Form.Get("start_offset") != strconv.FormatInt(v.got, 10) || header.Size > f.Chunk || v.got+header.Size > v.size {
		return 400, MetaError(6001, 1363037, "There was a problem uploading your video file. Please try again.")
	}
	defer file.Close()
	v.got += header.Size
	return 200, encode(map[string]any{"start_offset": strconv.FormatInt(v.got, 10), "end_offset": strconv.FormatInt(min(v.got+f.Chunk, v.size), 10)})
}
