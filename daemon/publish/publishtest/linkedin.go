package publishtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
)

// FakeLinkedIn is LinkedIn as its documentation describes it: versions that end, posts in
// the little text format, comments, and uploads of images, videos and documents. It keeps
// its state in memory. Use [NewFakeLinkedIn].
//
// Fields may be changed before the first request. Respond may be changed at any time.
type FakeLinkedIn struct {
	mishaps

	Person       string // the id of the person of the token
	Organization string // the number of the organization that the token may manage; empty for none
	Token        string

	// The developer app. Declined means that the user of a login does not agree. Withheld
	// are permissions that the user does not grant.
	ClientID, ClientSecret string
	Declined               bool
	Withheld               []string

	// Scopes are the permissions of the app and of the token. Comments of the versioned API and
	// their lists need those that end in "_feed", which few apps get. NoComments is the status of the API
	// without versions if it takes no comments, or 0. NotReady is how many posts are refused
	// because of their files.
	Scopes     []string
	NoComments int
	NotReady   int

	// Unknown are types of numbers of a person's post that the version does not have.
	Unknown []string

	// Expires is when the token ends.
	Expires time.Time

	// First and Last are the versions that exist.
	First, Last int

	// PartSize is the size of the parts of a video.
	PartSize int64

	mu       sync.Mutex // mu guards the fields below
	posts    []LinkedInPost
	files    map[string]*linkedInFile
	next     int64
	versions []string                 // those of the requests
	codes    map[string]authorization // of logins
}

// LinkedInPost is a post, or a comment on the post Parent.
type LinkedInPost struct {
	ID, Author, Text, Parent string
	Raw                      string // as it was sent
	Media                    []string
	AltTexts                 []string
	Created                  time.Time
	Deleted                  bool
	Article                  *LinkedInArticle
	Numbers                  map[string]int64 // by their names in the API; without any, LinkedIn leaves the post out of statistics
}

type linkedInFile struct {
	owner     string
	size, got int64
	parts     []string
	done      bool
	asked     int
}

// NewFakeLinkedIn returns a LinkedIn with a person and an organization.
func NewFakeLinkedIn() *FakeLinkedIn {
	return &FakeLinkedIn{
		Person: "782bbtaQ", Organization: "5515715", Token: "an-access-token-of-linkedin", First: 202511, Last: 202611, PartSize: 4 << 20,
		files: map[string]*linkedInFile{}, ClientID: "a-client-id", ClientSecret: "a-client-secret", codes: map[string]authorization{},
		Scopes: []string{"openid", "profile", "w_member_social", "w_organization_social", "r_organization_social", "w_organization_social_feed", "r_organization_social_feed", "rw_organization_admin", "r_member_postAnalytics"},
	}
}

// Credentials returns credentials of the person, or of the organization, for a server at
// a URL.
func (f *FakeLinkedIn) Credentials(url string, organization bool) map[string]string {
	c := map[string]string{"access_token": f.Token, "api_url": url}
	if organization {
		c["organization"] = f.Organization
	}
	return c
}

// Posts returns all posts and comments, with those that were deleted.
func (f *FakeLinkedIn) Posts() []LinkedInPost {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.posts)
}

// Versions returns the versions of the requests so far.
func (f *FakeLinkedIn) Versions() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.versions)
}

// Delete deletes a post or a comment.
func (f *FakeLinkedIn) Delete(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.posts {
		f.posts[i].Deleted = f.posts[i].Deleted || f.posts[i].ID == id
	}
}

// ServeHTTP implements [http.Handler].
func (f *FakeLinkedIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.serve(w, r, func(header http.Header, body []byte) (int, string) {
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.route(header, r, body)
	})
}

func linkedInError(status, service int, code, message string) (int, string) {
	body, _ := json.Marshal(map[string]any{"status": status, "serviceErrorCode": service, "code": code, "message": message})
	return status, string(body)
}

func (f *FakeLinkedIn) route(header http.Header, r *http.Request, body []byte) (int, string) {
	if status, response, found := f.login(header, r, body); found {
		return status, response
	}
	if r.URL.Path == "/oauth/v2/introspectToken" {
		form, _ := url.ParseQuery(string(body))
		if form.Get("client_id") != f.ClientID || form.Get("client_secret") != f.ClientSecret {
			return 401, `{"error":"invalid_client","error_description":"Client authentication failed"}`
		}
		if form.Get("token") != f.Token {
			return 200, `{"active":false}`
		}
		scopes := slices.DeleteFunc(slices.Clone(f.Scopes), func(s string) bool { return slices.Contains(f.Withheld, s) })
		return 200, fmt.Sprintf(`{"active":true,"status":"active","scope":%q,"expires_at":%d}`, strings.Join(scopes, ","), f.Expires.Unix())
	}
	if r.Header.Get("Authorization") != "Bearer "+f.Token {
		return linkedInError(401, 65600, "INVALID_ACCESS_TOKEN", "Invalid access token")
	}
	if r.URL.Path == "/v2/userinfo" {
		if !slices.Contains(f.Scopes, "openid") || !slices.Contains(f.Scopes, "profile") {
			return linkedInError(403, 100, "ACCESS_DENIED", "Not enough permissions to access: userinfo.GET.NO_VERSION")
		}
		answer, _ := json.Marshal(map[string]any{"sub": f.Person, "name": "Alice Example"})
		return 200, string(answer)
	}
	if rest, found := strings.CutPrefix(r.URL.EscapedPath(), "/v2/socialActions/"); found && r.Method == http.MethodPost {
		return f.oldComment(header, r, rest, body)
	}
	if id, found := strings.CutPrefix(r.URL.Path, "/dms-uploads/"); found && r.Method == http.MethodPut {
		return f.take(header, id, r.URL.Query().Get("part"), body)
	}
	path, found := strings.CutPrefix(r.URL.EscapedPath(), "/rest/")
	if !found || r.Header.Get("X-Restli-Protocol-Version") != "2.0.0" {
		return linkedInError(404, 0, "RESOURCE_NOT_FOUND", "No virtual resource found")
	}
	given := r.Header.Get("LinkedIn-Version")
	f.versions = append(f.versions, given)
	if version, err := strconv.Atoi(given); err != nil || version < f.First || version > f.Last {
		return linkedInError(426, 0, "NONEXISTENT_VERSION", "Requested version "+given+" is not active")
	}
	parts := strings.Split(path, "/")
	for i := range parts {
		parts[i], _ = url.PathUnescape(parts[i])
	}
	switch {
	case path == "posts" && r.Method == http.MethodPost:
		return f.create(header, body)
	case path == "posts" && r.Header.Get("X-Restli-Method") == "FINDER" && r.URL.Query().Get("q") == "author":
		return f.list(r.URL.Query(), r.URL.Query().Get("author"), "")
	case len(parts) == 2 && parts[0] == "posts" && r.Method == http.MethodGet:
		return f.one(parts[1])
	case path == "organizationalEntityShareStatistics" && r.Method == http.MethodGet:
		return f.statistics(r.URL.RawQuery)
	case path == "memberCreatorPostAnalytics" && r.Method == http.MethodGet:
		return f.analytics(r.URL.RawQuery)
	case len(parts) == 3 && parts[0] == "socialActions" && parts[2] == "comments":
		if !f.has(parts[1]) {
			return linkedInError(404, 0, "NOT_FOUND", "The post does not exist")
		}
		if denied, response := f.denies(r, given, body); denied != 0 {
			return denied, response
		}
		if r.Method == http.MethodPost {
			return f.comment(header, parts[1], body)
		}
		return f.list(r.URL.Query(), "", parts[1])
	case slices.Contains([]string{"images", "videos", "documents"}, parts[0]):
		return f.media(r, parts, body)
	}
	return linkedInError(404, 0, "RESOURCE_NOT_FOUND", "No virtual resource found")
}

func (f *FakeLinkedIn) has(id string) bool {
	return slices.ContainsFunc(f.posts, func(p LinkedInPost) bool { return p.ID == id && !p.Deleted })
}

// checkAuthor returns an error unless the token may publish as an author.
func (f *FakeLinkedIn) checkAuthor(author string) (int, string) {
	switch {
	case author == "urn:li:person:"+f.Person && slices.Contains(f.Scopes, "w_member_social"),
		f.Organization != "" && author == "urn:li:organization:"+f.Organization && slices.Contains(f.Scopes, "w_organization_social"):
		return 0, ""
	case strings.HasPrefix(author, "urn:li:organization:"):
		return linkedInError(403, 0, "ACCESS_DENIED", "Organization permissions must be used when using organization as author")
	}
	return linkedInError(403, 100, "ACCESS_DENIED", "Not enough permissions to access: partnerApiPosts.CREATE")
}

// LittleText parses the little text format. ok is false for a reserved character without
// a backslash, except for the sign of a hashtag.
func LittleText(text string) (plain string, ok bool) {
	var b strings.Builder
	runes := []rune(text)
	for i := 0; i < len(runes); i++ {
		reserved := strings.ContainsRune(`|{}@[]()<>#\*_~`, runes[i])
		switch {
		case runes[i] == '\\' && i+1 < len(runes) && strings.ContainsRune(`|{}@[]()<>#\*_~`, runes[i+1]):
			i++
			b.WriteRune(runes[i])
		case runes[i] == '#' && i+1 < len(runes) && (unicode.IsLetter(runes[i+1]) || unicode.IsDigit(runes[i+1])):
			b.WriteRune('#')
		case reserved:
			return b.String(), false
		default:
			b.WriteRune(runes[i])
		}
	}
	return b.String(), true
}

func (f *FakeLinkedIn) create(header http.Header, body []byte) (int, string) {
	var wanted struct {
		Author       string `json:"author"`
		Commentary   string `json:"commentary"`
		Visibility   string `json:"visibility"`
		Distribution struct {
			Feed     string   `json:"feedDistribution"`
			Entities []string `json:"targetEntities"`
			Channels []string `json:"thirdPartyDistributionChannels"`
		} `json:"distribution"`
		Content struct {
			Media *linkedInMedia `json:"media"`
			Multi *struct {
				Images []linkedInMedia `json:"images"`
			} `json:"multiImage"`
			Article *LinkedInArticle `json:"article"`
		} `json:"content"`
		Lifecycle string `json:"lifecycleState"`
		NoReshare bool   `json:"isReshareDisabledByAuthor"`
	}
	decoder := json.NewDecoder(strings.NewReader(string(body)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&wanted); err != nil || wanted.Visibility != "PUBLIC" || wanted.Distribution.Feed != "MAIN_FEED" || wanted.Lifecycle != "PUBLISHED" {
		return linkedInError(400, 0, "ILLEGAL_ARGUMENT", "Invalid request body")
	}
	if status, answer := f.checkAuthor(wanted.Author); status != 0 {
		return status, answer
	}
	text, _ := LittleText(wanted.Commentary) // what follows a wrong character is cut silently
	if len([]rune(text)) > 3000 {
		return linkedInError(422, 0, "FIELD_LENGTH_TOO_LONG", "commentary exceeded the maximum length allowed")
	}
	files := []linkedInMedia{}
	if wanted.Content.Media != nil {
		files = append(files, *wanted.Content.Media)
	}
	if wanted.Content.Multi != nil {
		if files = wanted.Content.Multi.Images; len(files) < 2 || len(files) > 20 {
			return linkedInError(400, 0, "ILLEGAL_ARGUMENT", "multiImage needs 2 to 20 images")
		}
	}
	p := LinkedInPost{Author: wanted.Author, Text: text, Raw: wanted.Commentary, Created: time.Now(), Article: wanted.Content.Article}
	if p.Article != nil && (p.Article.Source == "" || p.Article.Title == "" || len(files) > 0) {
		return linkedInError(400, 0, "ILLEGAL_ARGUMENT", "Invalid request body")
	}
	if urn := p.firstFile(files); urn != "" && f.NotReady > 0 {
		f.NotReady--
		return linkedInError(422, 0, "UNPROCESSABLE_ENTITY", urn)
	}
	for _, m := range files {
		if file := f.files[m.ID]; file == nil || !file.done || strings.HasPrefix(m.ID, "urn:li:document:") && m.Title == "" {
			return linkedInError(400, 0, "ILLEGAL_ARGUMENT", "the media are not available")
		}
		p.Media, p.AltTexts = append(p.Media, m.ID), append(p.AltTexts, m.Alt)
	}
	for _, o := range f.posts {
		if o.Author == p.Author && o.Text == p.Text && o.Text != "" && o.Parent == "" && !o.Deleted && time.Since(o.Created) < 10*time.Minute {
			answer, _ := json.Marshal(map[string]any{
				"message": "Content is a duplicate of " + o.ID, "status": 422,
				"errorDetails": map[string]any{"inputErrors": []any{map[string]any{"code": "DUPLICATE_POST", "description": "Content is a duplicate of " + o.ID}}},
			})
			return 422, string(answer)
		}
	}
	f.next++
	p.ID = fmt.Sprint("urn:li:share:", 7000000000000000000+f.next)
	f.posts = append(f.posts, p)
	header.Set("X-Restli-Id", p.ID)
	return 201, ""
}

func (f *FakeLinkedIn) comment(header http.Header, parent string, body []byte) (int, string) {
	var wanted struct {
		Actor   string `json:"actor"`
		Object  string `json:"object"`
		Message struct {
			Text string `json:"text"`
		} `json:"message"`
	}
	if json.Unmarshal(body, &wanted) != nil || wanted.Object != parent || wanted.Message.Text == "" || len([]rune(wanted.Message.Text)) > 1250 {
		return linkedInError(400, 0, "ILLEGAL_ARGUMENT", "Invalid request body")
	}
	if status, answer := f.checkAuthor(wanted.Actor); status != 0 {
		return status, answer
	}
	f.next++
	p := LinkedInPost{ID: fmt.Sprint(6636062862760562688 + f.next), Author: wanted.Actor, Text: wanted.Message.Text, Parent: parent, Created: time.Now()}
	f.posts = append(f.posts, p)
	header.Set("X-Restli-Id", p.ID)
	return 201, fmt.Sprintf(`{"id":%q,"actor":%q}`, p.ID, p.Author)
}

// list lists the posts of an author, or the comments on a post, from the newest.
func (f *FakeLinkedIn) list(query url.Values, author, parent string) (int, string) {
	if parent == "" && (!slices.Contains(f.Scopes, "r_organization_social") || f.Organization == "" || author != "urn:li:organization:"+f.Organization) {
		return linkedInError(403, 100, "ACCESS_DENIED", "Not enough permissions to access: posts.FINDER-author")
	}
	count, _ := strconv.Atoi(query.Get("count"))
	start, _ := strconv.Atoi(query.Get("start"))
	list := []map[string]any{}
	for _, p := range slices.Backward(f.posts) {
		if p.Deleted || p.Parent != parent || author != "" && p.Author != author {
			continue
		}
		if start > 0 {
			start--
			continue
		}
		if len(list) == count {
			break
		}
		list = append(list, p.shown())
	}
	answer, _ := json.Marshal(map[string]any{"elements": list, "paging": map[string]any{"start": start, "count": count}})
	return 200, string(answer)
}

// shown returns a post or a comment as lists have it.
func (p LinkedInPost) shown() map[string]any {
	if p.Parent != "" {
		return map[string]any{"id": p.ID, "actor": p.Author, "message": map[string]any{"text": p.Text}, "created": map[string]any{"time": p.Created.UnixMilli()}}
	}
	e := map[string]any{"id": p.ID, "author": p.Author, "commentary": p.Raw, "createdAt": p.Created.UnixMilli(), "lifecycleState": "PUBLISHED"}
	switch {
	case len(p.Media) == 1:
		e["content"] = map[string]any{"media": map[string]any{"id": p.Media[0]}}
	case len(p.Media) > 1:
		images := []any{}
		for _, id := range p.Media {
			images = append(images, map[string]any{"id": id})
		}
		e["content"] = map[string]any{"multiImage": map[string]any{"images": images}}
	}
	return e
}

// media serves the APIs of images, videos and documents.
func (f *FakeLinkedIn) media(r *http.Request, parts []string, body []byte) (int, string) {
	kind := strings.TrimSuffix(parts[0], "s")
	action := r.URL.Query().Get("action")
	switch {
	case len(parts) == 2 && r.Method == http.MethodGet:
		file := f.files[parts[1]]
		if file == nil {
			return linkedInError(404, 0, "NOT_FOUND", "Entity not found")
		}
		if f.isWriteOnly(kind, file) {
			return linkedInError(403, 100, "ACCESS_DENIED", "")
		}
		file.asked++
		state := "PROCESSING"
		if !file.done {
			state = "WAITING_UPLOAD"
		} else if file.asked > 1 {
			state = "AVAILABLE"
		}
		return 200, fmt.Sprintf(`{"id":%q,"status":%q}`, parts[1], state)
	case action == "initializeUpload":
		return f.initialize(r, kind, body)
	case action == "finalizeUpload" && kind == "video":
		var wanted struct {
			Request struct {
				Video string   `json:"video"`
				Token string   `json:"uploadToken"`
				IDs   []string `json:"uploadedPartIds"`
			} `json:"finalizeUploadRequest"`
		}
		_ = json.Unmarshal(body, &wanted)
		file := f.files[wanted.Request.Video]
		if file == nil || wanted.Request.Token != "token" || file.got != file.size || !slices.Equal(file.parts, wanted.Request.IDs) {
			return linkedInError(400, 0, "ILLEGAL_ARGUMENT", "the parts are not complete")
		}
		file.done = true
		return 200, ""
	}
	return linkedInError(400, 0, "ILLEGAL_ARGUMENT", "unknown action")
}

func (f *FakeLinkedIn) initialize(r *http.Request, kind string, body []byte) (int, string) {
	var wanted struct {
		Request struct {
			Owner string `json:"owner"`
			Size  int64  `json:"fileSizeBytes"`
		} `json:"initializeUploadRequest"`
	}
	_ = json.Unmarshal(body, &wanted)
	if status, answer := f.checkAuthor(wanted.Request.Owner); status != 0 {
		return status, answer
	}
	f.next++
	id := fmt.Sprintf("C4D%d", f.next)
	urn := "urn:li:" + kind + ":" + id
	scheme := "http"
	if !strings.HasPrefix(r.Host, "127.0.0.1:") {
		scheme = "https"
	}
	address := scheme + "://" + r.Host + "/dms-uploads/" + urn
	f.files[urn] = &linkedInFile{owner: wanted.Request.Owner, size: wanted.Request.Size}
	if kind != "video" {
		return 200, fmt.Sprintf(`{"value":{"uploadUrl":%q,%q:%q}}`, address, kind, urn)
	}
	if wanted.Request.Size <= 0 {
		return linkedInError(400, 0, "ILLEGAL_ARGUMENT", "fileSizeBytes is missing")
	}
	parts := []map[string]any{}
	for first := int64(0); first < wanted.Request.Size; first += f.PartSize {
		parts = append(parts, map[string]any{"uploadUrl": fmt.Sprint(address, "?part=", len(parts)), "firstByte": first, "lastByte": min(first+f.PartSize, wanted.Request.Size) - 1})
	}
	answer, _ := json.Marshal(map[string]any{"value": map[string]any{"video": urn, "uploadToken": "token", "uploadInstructions": parts}})
	return 200, string(answer)
}

// take takes the bytes of a file, or of a part of a video.
func (f *FakeLinkedIn) take(header http.Header, urn, part string, body []byte) (int, string) {
	file := f.files[urn]
	if file == nil {
		return 404, ""
	}
	if part == "" {
		file.done = true
		return 201, ""
	}
	file.got += int64(len(body))
	tag := fmt.Sprintf("/ambry-video/%s-%d", part, len(body))
	file.parts = append(file.parts, tag)
	header.Set("ETag", tag)
	return 200, ""
}
