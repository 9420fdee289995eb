package publishtest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// FakeFacebook is the Graph API for a Page as its documentation describes it: tokens, posts,
// photos that are not published yet, and videos in parts. It keeps its state in memory. Use
// [NewFakeFacebook].
//
// Fields may be changed before the first request. Respond may be changed at any time.
type FakeFacebook struct {
	mishaps

	Page   string // its id
	Tokens map[string]*FacebookToken

	// Chunk is how many bytes of a video it asks for at a time.
	Chunk int64

	// NoUploads refuses to start uploads with the app: the person has no role there.
	NoUploads bool

	// Retired are metrics that the API no longer has.
	Retired []string

	// Processing is how long it processes a video before it lists the post.
	Processing time.Duration

	mu     sync.Mutex // mu guards the fields below
	posts  []FacebookPost
	photos map[string]facebookPhoto
	videos map[string]*facebookVideo // by session or handle
	next   int64
}

// FacebookToken is a token. A person's token gives that of the Page.
type FacebookToken struct {
	Type    string // PAGE or USER
	Scopes  []string
	Targets []string // the Pages of its permissions; empty for all
	Ends    int64    // in Unix seconds; 0 for never
	Error   [2]int   // a code and a subcode, if it is no longer valid
}

// The tokens of [NewFakeFacebook].
const (
	FacebookPageToken = "a-page-token-of-facebook"
	FacebookUserToken = "a-persons-token-of-facebook"
)

// FacebookPost is a post of the Page.
type FacebookPost struct {
	ID, Message, Link string
	Photos, AltTexts  []string
	Video             string // its id
	Created           time.Time
	Deleted           bool
	Numbers           map[string]int64 // of its insights and fields; missing ones are 0
}

type facebookPhoto struct{ alt string }

type facebookVideo struct {
	id        string
	size, got int64
	finished  time.Time
	text      string
}

// NewFakeFacebook returns a Page with a token of its own and that of a person.
func NewFakeFacebook() *FakeFacebook {
	scopes := []string{"pages_show_list", "pages_read_engagement", "pages_manage_posts", "public_profile"}
	return &FakeFacebook{
		Page: "102030405060708", Chunk: 5 << 10, photos: map[string]facebookPhoto{}, videos: map[string]*facebookVideo{},
		Tokens: map[string]*FacebookToken{
			FacebookPageToken: {Type: "PAGE", Scopes: scopes}, FacebookUserToken: {Type: "USER", Scopes: scopes},
		},
	}
}

// Credentials returns credentials for a server at a URL.
func (f *FakeFacebook) Credentials(url, token string) map[string]string {
	return map[string]string{"access_token": token, "page_id": f.Page, "api_url": url}
}

// Posts returns all posts, with those that were deleted.
func (f *FakeFacebook) Posts() []FacebookPost {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.posts)
}

// Add adds a post that someone else has published.
func (f *FakeFacebook) Add(p FacebookPost) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.posts = append(f.posts, p)
}

// ServeHTTP implements [http.Handler].
func (f *FakeFacebook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.serve(w, r, func(header http.Header, _ []byte) (int, string) {
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.route(header, r)
	})
}

func encode(value any) string {
	body, _ := json.Marshal(value)
	return string(body)
}

// route carries out a request. The caller holds mu, as for the methods below.
func (f *FakeFacebook) route(header http.Header, r *http.Request) (int, string) {
	header.Set("Content-Type", "application/json; charset=UTF-8")
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind == "multipart/form-data" {
		_ = r.ParseMultipartForm(100 << 20)
	} else {
		_ = r.ParseForm()
	}
	given, _ := strings.CutPrefix(r.Header.Get("Authorization"), "OAuth ")
	token := f.Tokens[cmp.Or(r.Form.Get("access_token"), given)]
	switch {
	case token == nil:
		return 400, MetaError(190, 467, "Invalid OAuth access token")
	case token.Error != [2]int{}:
		return 400, MetaError(token.Error[0], token.Error[1], "Error validating access token")
	}
	path := strings.TrimPrefix(r.URL.Path, "/v25.0/")
	if path == "debug_token" {
		return 200, encode(map[string]any{"data": f.describe(r.Form.Get("input_token"))})
	}
	if status, response := token.denies(r.Method, path); status != 0 {
		return status, response
	}
	if path == "me/accounts" && token.Type == "USER" {
		return 200, encode(map[string]any{"data": []any{map[string]any{"id": f.Page, "name": "Acme Bakery"}}})
	}
	switch session, ok := strings.CutPrefix(path, "upload:"); {
	case path == FacebookApp+"/uploads":
		return f.startUpload(r.Form)
	case ok:
		return f.upload(session, r)
	case r.Method == http.MethodGet && f.owns(path):
		return f.object(path, token, r.Form)
	case path != f.Page && !strings.HasPrefix(path, f.Page+"/"):
		return 400, MetaError(100, 33, "Unsupported request. Object with ID '"+path+"' does not exist, cannot be loaded due to missing permissions")
	}
	edge := strings.TrimPrefix(strings.TrimPrefix(path, f.Page), "/")
	if r.Method == http.MethodPost && token.Type != "PAGE" {
		return 403, MetaError(210, 0, "(#210) A page access token is required to request this resource.")
	}
	switch r.Method + " " + edge {
	case "GET ":
		page := map[string]any{"id": f.Page, "name": "Acme Bakery", "username": "acmebakery"}
		if len(token.Targets) == 0 || slices.Contains(token.Targets, f.Page) {
			page["access_token"] = f.pageToken()
		}
		return 200, encode(page)
	case "POST feed":
		return f.create(r.Form)
	case "POST photos":
		return f.photo(r)
	case "POST videos":
		return f.video(r)
	case "GET videos":
		return f.listVideos()
	case "GET published_posts":
		return f.list(r.Form)
	}
	return 400, MetaError(100, 0, "Unsupported request")
}

// denies returns the error of a request for which the token lacks a permission, or 0.
func (t *FacebookToken) denies(method, path string) (int, string) {
	switch {
	case method == http.MethodPost && !slices.Contains(t.Scopes, "pages_manage_posts"):
		return 403, MetaError(200, 0, "(#200) requires both pages_read_engagement and pages_manage_posts as an admin with sufficient administrative permission")
	case method != http.MethodPost && path == "me/accounts" && !slices.Contains(t.Scopes, "pages_show_list"),
		method != http.MethodPost && path != "me/accounts" && !slices.Contains(t.Scopes, "pages_read_engagement"):
		return 400, MetaError(10, 0, "(#10) Application does not have permission for this action")
	}
	return 0, ""
}

func (f *FakeFacebook) pageToken() string {
	for text, t := range f.Tokens {
		if t.Type == "PAGE" && t.Error == [2]int{} {
			return text
		}
	}
	return ""
}

func (f *FakeFacebook) describe(text string) map[string]any {
	t := f.Tokens[text]
	switch {
	case t == nil:
		return map[string]any{"is_valid": false, "scopes": []string{}, "error": map[string]any{"code": 190, "message": "The access token could not be decrypted"}}
	case t.Error != [2]int{}:
		return map[string]any{"is_valid": false, "scopes": t.Scopes, "type": t.Type, "error": map[string]any{"code": t.Error[0], "subcode": t.Error[1], "message": "Error validating access token"}}
	}
	d := map[string]any{
		"app_id": FacebookApp, "application": "Acme posts", "type": t.Type, "is_valid": true, "issued_at": 1780000000, "expires_at": t.Ends,
		"data_access_expires_at": 1790000000, "scopes": t.Scopes, "user_id": "1001",
	}
	if t.Type == "PAGE" {
		d["profile_id"] = f.Page
	}
	granted := []any{}
	for _, scope := range t.Scopes {
		g := map[string]any{"scope": scope}
		if len(t.Targets) > 0 && strings.HasPrefix(scope, "pages_") {
			g["target_ids"] = t.Targets
		}
		granted = append(granted, g)
	}
	d["granular_scopes"] = granted
	return d
}

func (f *FakeFacebook) id() string {
	f.next++
	return strconv.FormatInt(122100000000000000+f.next, 10)
}

// create publishes a post in the feed.
func (f *FakeFacebook) create(form url.Values) (int, string) {
	p := FacebookPost{Message: form.Get("message"), Link: form.Get("link")}
	for i := 0; form.Has(fmt.Sprintf("attached_media[%d]", i)); i++ {
		var media struct {
			ID string `json:"media_fbid"`
		}
		_ = json.Unmarshal([]byte(form.Get(fmt.Sprintf("attached_media[%d]", i))), &media)
		photo, known := f.photos[media.ID]
		if !known {
			return 400, MetaError(100, 0, "Invalid parameter")
		}
		p.Photos, p.AltTexts = append(p.Photos, media.ID), append(p.AltTexts, photo.alt)
	}
	if p.Link != "" && len(p.Photos) > 0 || p.Link == "" && p.Message == "" && len(p.Photos) == 0 || len([]rune(p.Message)) > 63206 {
		return 400, MetaError(100, 0, "Invalid parameter")
	}
	for _, o := range f.posts {
		if o.Message == p.Message && o.Message != "" && !o.Deleted && time.Since(o.Created) < 10*time.Minute {
			return 400, MetaError(506, 1455006, "Duplicate status message")
		}
	}
	return 200, encode(map[string]any{"id": f.publish(p)})
}

func (f *FakeFacebook) publish(p FacebookPost) string {
	p.ID, p.Created = f.Page+"_"+f.id(), time.Now()
	p.Message = strings.TrimSpace(p.Message)
	f.posts = append(f.posts, p)
	return p.ID
}

func (f *FakeFacebook) photo(r *http.Request) (int, string) {
	file, _, err := r.FormFile("source")
	if err != nil {
		return 400, MetaError(324, 0, "(#324) Requires upload file")
	}
	defer file.Close()
	if r.Form.Get("published") != "false" {
		return 400, MetaError(100, 0, "the test does not publish photos on their own")
	}
	id := f.id()
	f.photos[id] = facebookPhoto{alt: r.Form.Get("alt_text_custom")}
	return 200, encode(map[string]any{"id": id})
}

// list lists the posts from the newest.
func (f *FakeFacebook) list(form url.Values) (int, string) {
	limit, _ := strconv.Atoi(form.Get("limit"))
	start, _ := strconv.Atoi(form.Get("after"))
	shown := []FacebookPost{}
	for _, p := range slices.Backward(f.posts) {
		if !p.Deleted && (p.Video == "" || time.Since(p.Created) >= f.Processing) {
			shown = append(shown, p)
		}
	}
	start = min(start, len(shown))
	end := min(start+limit, len(shown))
	data := []any{}
	for _, p := range shown[start:end] {
		data = append(data, p.listed())
	}
	paging := map[string]any{"cursors": map[string]any{"before": "0", "after": strconv.Itoa(end)}}
	if end < len(shown) {
		paging["next"] = "https://graph.facebook.com/next"
	}
	return 200, encode(map[string]any{"data": data, "paging": paging})
}

// listVideos lists the videos whose upload has ended.
func (f *FakeFacebook) listVideos() (int, string) {
	data := []any{}
	for _, v := range f.videos {
		if v.finished.IsZero() {
			continue
		}
		status := "ready"
		if time.Since(v.finished) < f.Processing {
			status = "processing"
		}
		data = append(data, map[string]any{
			"id": v.id, "description": v.text, "created_time": v.finished.UTC().Format("2006-01-02T15:04:05+0000"), "status": map[string]any{"video_status": status},
		})
	}
	return 200, encode(map[string]any{"data": data})
}

// listed returns a post as lists have it.
func (p FacebookPost) listed() map[string]any {
	e := map[string]any{"id": p.ID, "created_time": p.Created.UTC().Format("2006-01-02T15:04:05+0000")}
	if p.Message != "" {
		e["message"] = p.Message
	}
	media, target := "", ""
	switch {
	case p.Video != "":
		media, target = "video", p.Video
	case len(p.Photos) == 1:
		media, target = "photo", p.Photos[0]
	case len(p.Photos) > 1:
		media, target = "album", "1"
	case p.Link != "":
		media = "share"
	default:
		return e
	}
	e["attachments"] = map[string]any{"data": []any{map[string]any{"media_type": media, "target": map[string]any{"id": target}}}}
	return e
}
