package publishtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// media serves the routes of uploads.
func (f *FakeX) media(r *http.Request, route string, body []byte) (int, string) {
	path := strings.Split(strings.TrimPrefix(r.URL.Path, "/2/media/"), "/")
	switch {
	case route == "POST media/upload/initialize":
		return f.initialize(body)
	case route == "POST media/metadata":
		var wanted struct {
			ID       string `json:"id"`
			Metadata struct {
				AltText struct {
					Text string `json:"text"`
				} `json:"alt_text"`
			} `json:"metadata"`
		}
		if json.Unmarshal(body, &wanted) != nil || f.files[wanted.ID] == nil || len([]rune(wanted.Metadata.AltText.Text)) > 1000 {
			return xProblem(400, "invalid-request", "Invalid Request", "One or more parameters to your request was invalid.")
		}
		f.files[wanted.ID].alt = wanted.Metadata.AltText.Text
		return 200, `{"data":{"id":"` + wanted.ID + `"}}`
	case route == "GET media/upload" && r.URL.Query().Get("command") == "STATUS":
		id := r.URL.Query().Get("media_id")
		file := f.files[id]
		if file == nil {
			return xProblem(404, "resource-not-found", "Not Found Error", "Could not find the media")
		}
		file.asked++
		return f.state(id, file)
	case len(path) == 3 && path[0] == "upload" && f.files[path[1]] != nil && r.Method == http.MethodPost:
		if path[2] == "append" {
			return f.append(r, f.files[path[1]], body)
		}
		return f.finalize(path[1], f.files[path[1]])
	}
	return xProblem(404, "resource-not-found", "Not Found Error", "Could not find the resource")
}

func (f *FakeX) initialize(body []byte) (int, string) {
	var wanted struct {
		Type     string `json:"media_type"`
		Bytes    int64  `json:"total_bytes"`
		Category string `json:"media_category"`
	}
	if json.Unmarshal(body, &wanted) != nil || wanted.Bytes <= 0 || !strings.HasPrefix(wanted.Category, "tweet_") {
		return xProblem(400, "invalid-request", "Invalid Request", "One or more parameters to your request was invalid.")
	}
	f.next++
	id := fmt.Sprint(1880028106020515840 + f.next)
	f.files[id] = &xFile{kind: wanted.Type, category: wanted.Category, size: wanted.Bytes, segments: map[int][]byte{}}
	return 202, fmt.Sprintf(`{"data":{"id":%q,"media_key":"3_%s","expires_after_secs":86400}}`, id, id)
}

// append takes a segment of at most 5 MB.
func (f *FakeX) append(r *http.Request, file *xFile, body []byte) (int, string) {
	_, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return xProblem(400, "invalid-request", "Invalid Request", "no multipart")
	}
	index, segment := -1, []byte(nil)
	reader := multipart.NewReader(bytes.NewReader(body), parameters["boundary"])
	for {
		part, err := reader.NextPart()
		if err != nil {
			break
		}
		value, _ := io.ReadAll(part)
		switch part.FormName() {
		case "segment_index":
			index, _ = strconv.Atoi(string(value))
		case "media":
			segment = value
		}
	}
	if index < 0 || index > 999 || len(segment) == 0 || len(segment) > 5<<20 {
		return xProblem(400, "invalid-request", "Invalid Request", "One or more parameters to your request was invalid.")
	}
	file.segments[index] = segment
	return 200, `{"data":{"expires_at":1790000000}}`
}

func (f *FakeX) finalize(id string, file *xFile) (int, string) {
	var size int64
	for i := range len(file.segments) {
		size += int64(len(file.segments[i]))
	}
	if size != file.size {
		return xProblem(400, "invalid-request", "Invalid Request", "Segments do not add up to provided total file size.")
	}
	file.done, file.sent = true, time.Now()
	return f.state(id, file)
}

// processing reports whether a file is still processed, which takes until the second
// question, or 20 seconds.
func (f *FakeX) processing(file *xFile) bool {
	return f.Asynchronous && file.category != "tweet_image" && file.asked < 2 && time.Since(file.sent) < 20*time.Second
}

func (f *FakeX) state(id string, file *xFile) (int, string) {
	data := map[string]any{"id": id, "media_key": "3_" + id, "size": file.size, "expires_after_secs": 86400}
	switch {
	case f.processing(file):
		data["processing_info"] = map[string]any{"state": "in_progress", "check_after_secs": 1, "progress_percent": 50}
	case file.category != "tweet_image":
		data["processing_info"] = map[string]any{"state": "succeeded", "progress_percent": 100}
	}
	answer, _ := json.Marshal(map[string]any{"data": data})
	return 200, string(answer)
}
