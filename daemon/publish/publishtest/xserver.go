package publishtest

import (
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // OAuth 1.0a prescribes it
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"math"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// FakeX is X as its documentation describes it: the user of a token, posts with replies,
// polls and files, the posts of a user, uploads in segments, and refresh tokens that can
// be used once. It keeps its state in memory. The zero value is not usable; see
// [NewFakeX].
//
// Fields may be changed before the first request. Respond may be changed at any time.
type FakeX struct {
	mishaps

	UserID, Username, Subscription string

	// AccessLevel is the value of the header X-Access-Level.
	AccessLevel string

	// Secrets of OAuth 1.0a. The signature of every request is verified.
	APIKey, APISecret, Token, TokenSecret string

	// Client of OAuth 2.0, and its session.
	ClientID, ClientSecret string

	// Scopes are those of the session of OAuth 2.0; nil for all of them.
	Scopes []string

	// Declined means that the user of a login does not agree. Withheld are scopes that the
	// user does not grant.
	Declined bool
	Withheld []string

	// Length returns the weighted length of a text; nil means that any is accepted.
	Length func(string) int

	// OwnApp means that the account owns the developer app, so that X charges less for reading
	// its posts.
	OwnApp bool

	// Credits is how many posts can still be paid; negative for any number.
	Credits int

	// Asynchronous means that X processes videos and GIFs after the upload.
	Asynchronous bool

	mu      sync.Mutex // mu guards the fields below
	charged int64      // for posts that were read, in millionths of a US dollar
	posts   []XPost
	files   map[string]*xFile
	access  string // of OAuth 2.0
	refresh string // the token that can be used
	issued  int    // sessions
	revoked bool
	next    int64
	codes   map[string]authorization // of logins
}

// XPost is a post of the user of a [FakeX].
type XPost struct {
	ID, Text, ReplyTo string
	Media             []string
	AltTexts          []string
	Poll              []string
	Created           time.Time
	Deleted           bool
	Numbers           map[string]int64 // by their names in the API; missing ones are 0
}

type xFile struct {
	kind, category string
	size           int64
	segments       map[int][]byte
	done           bool
	sent           time.Time
	asked          int
	alt            string
}

// NewFakeX returns an X with a user and credentials of both kinds.
func NewFakeX() *FakeX {
	return &FakeX{
		UserID: "2244994945", Username: "alice", Subscription: "None", AccessLevel: "read-write", Credits: -1,
		APIKey: "an-api-key-of-the-app", APISecret: "an-api-secret-of-the-app", Token: "2244994945-an-access-token", TokenSecret: "a-secret-of-the-access-token",
		ClientID: "a-client-id", files: map[string]*xFile{}, codes: map[string]authorization{}, access: "oauth2-access-0", refresh: "oauth2-refresh-0",
	}
}

// OAuth1 returns the credentials of OAuth 1.0a for a server at a URL.
func (f *FakeX) OAuth1(url string) map[string]string {
	return map[string]string{"api_key": f.APIKey, "api_secret": f.APISecret, "access_token": f.Token, "access_token_secret": f.TokenSecret, "api_url": url}
}

// OAuth2 returns the credentials of OAuth 2.0 with the first session.
func (f *FakeX) OAuth2(url string) map[string]string {
	return map[string]string{"client_id": f.ClientID, "access_token": "oauth2-access-0", "refresh_token": "oauth2-refresh-0", "api_url": url}
}

// Posts returns all posts, with those that were deleted.
func (f *FakeX) Posts() []XPost {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.posts)
}

// Delete deletes a post.
func (f *FakeX) Delete(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.posts {
		f.posts[i].Deleted = f.posts[i].Deleted || f.posts[i].ID == id
	}
}

// ExpireSession ends the access token of OAuth 2.0, as X does after two hours.
func (f *FakeX) ExpireSession() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.access = ""
}

// Revoked reports whether a refresh token was used twice, which ended all of them.
func (f *FakeX) Revoked() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.revoked
}

// ServeHTTP implements [http.Handler].
func (f *FakeX) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.serve(w, r, func(header http.Header, body []byte) (int, string) {
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.route(header, r, body)
	})
}

// xProblem returns an error as the API does.
func xProblem(status int, kind, title, detail string) (int, string) {
	if kind != "about:blank" {
		kind = "https://api.x.com/2/problems/" + kind
	}
	body, _ := json.Marshal(map[string]any{"type": kind, "title": title, "detail": detail, "status": status})
	return status, string(body)
}

func (f *FakeX) route(header http.Header, r *http.Request, body []byte) (int, string) {
	header.Set("Content-Type", "application/json")
	path := strings.TrimPrefix(r.URL.Path, "/2/")
	switch path {
	case "oauth2/token":
		return f.token(r, body)
	case "/i/oauth2/authorize":
		return f.authorize(header, r)
	}
	if !f.authorized(r) {
		return xProblem(401, "about:blank", "Unauthorized", "Unauthorized")
	}
	if strings.HasPrefix(r.Header.Get("Authorization"), "Bearer ") && f.Scopes != nil {
		if denied := (TokenScopes{"x", f.Scopes}).Denies(r); denied != nil {
			return http.StatusForbidden, denied.Body
		}
	}
	header.Set("X-Access-Level", f.AccessLevel)
	switch route := r.Method + " " + path; {
	case route == "GET users/me":
		answer, _ := json.Marshal(map[string]any{"data": map[string]any{"id": f.UserID, "name": "Alice", "username": f.Username, "subscription_type": f.Subscription}})
		return 200, string(answer)
	case route == "GET users/"+f.UserID+"/tweets":
		return f.timeline(r.URL.Query())
	case strings.HasPrefix(route, "GET tweets/"):
		return f.lookUp(strings.TrimPrefix(path, "tweets/"), r.URL.Query())
	case route == "POST tweets":
		return f.create(body)
	case strings.Contains(route, " media/"):
		return f.media(r, route, body)
	}
	return xProblem(404, "resource-not-found", "Not Found Error", "Could not find the resource")
}

var xParameter = regexp.MustCompile(`(oauth_[a-z_]+)="([^"]*)"`)

// authorized verifies the token, and the signature of OAuth 1.0a.
func (f *FakeX) authorized(r *http.Request) bool {
	given := r.Header.Get("Authorization")
	if token, bearer := strings.CutPrefix(given, "Bearer "); bearer {
		return f.access != "" && token == f.access && !f.revoked
	}
	var pairs []string
	values := map[string]string{}
	for _, m := range xParameter.FindAllStringSubmatch(given, -1) {
		values[m[1]], _ = url.PathUnescape(m[2])
		if m[1] != "oauth_signature" {
			pairs = append(pairs, m[1]+"="+m[2])
		}
	}
	for name, list := range r.URL.Query() {
		for _, value := range list {
			pairs = append(pairs, xEscape(name)+"="+xEscape(value))
		}
	}
	slices.Sort(pairs)
	base := strings.Join([]string{r.Method, xEscape("http://" + r.Host + r.URL.EscapedPath()), xEscape(strings.Join(pairs, "&"))}, "&")
	if !strings.HasPrefix(r.Host, "127.0.0.1:") {
		base = strings.Replace(base, "http%3A", "https%3A", 1)
	}
	mac := hmac.New(sha1.New, []byte(xEscape(f.APISecret)+"&"+xEscape(f.TokenSecret)))
	io.WriteString(mac, base)
	return values["oauth_consumer_key"] == f.APIKey && values["oauth_token"] == f.Token && values["oauth_nonce"] != "" &&
		values["oauth_signature"] == base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

func xEscape(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }

// token exchanges a refresh token or a code, once.
func (f *FakeX) token(r *http.Request, body []byte) (int, string) {
	form, _ := url.ParseQuery(string(body))
	client := form.Get("client_id")
	if f.ClientSecret != "" {
		user, password, _ := r.BasicAuth()
		user, _ = url.QueryUnescape(user)
		password, _ = url.QueryUnescape(password)
		if client = user; password != f.ClientSecret {
			return 401, `{"error":"unauthorized_client","error_description":"Missing valid authorization header"}`
		}
	}
	if form.Get("grant_type") == "authorization_code" {
		return f.exchange(form, client)
	}
	if form.Get("grant_type") != "refresh_token" || client != f.ClientID || form.Get("refresh_token") != f.refresh || f.revoked {
		if strings.HasPrefix(form.Get("refresh_token"), "oauth2-refresh-") {
			f.revoked = true
		}
		return 400, `{"error":"invalid_request","error_description":"Value passed for the token was invalid."}`
	}
	f.issued++
	f.access, f.refresh = fmt.Sprint("oauth2-access-", f.issued), fmt.Sprint("oauth2-refresh-", f.issued)
	return 200, fmt.Sprintf(`{"token_type":"bearer","expires_in":7200,"access_token":%q,"refresh_token":%q,"scope":"tweet.write tweet.read users.read offline.access media.write"}`, f.access, f.refresh)
}

// create makes a post.
func (f *FakeX) create(body []byte) (int, string) {
	var wanted struct {
		Text  string `json:"text"`
		Reply *struct {
			To string `json:"in_reply_to_tweet_id"`
		} `json:"reply"`
		Media *struct {
			IDs []string `json:"media_ids"`
		} `json:"media"`
		Poll *struct {
			Options []string `json:"options"`
			Minutes int      `json:"duration_minutes"`
		} `json:"poll"`
	}
	decoder := json.NewDecoder(strings.NewReader(string(body)))
	decoder.DisallowUnknownFields()
	if decoder.Decode(&wanted) != nil || wanted.Text == "" && wanted.Media == nil || wanted.Poll != nil && wanted.Media != nil {
		return xProblem(400, "invalid-request", "Invalid Request", "One or more parameters to your request was invalid.")
	}
	limit := 280
	if f.Subscription != "None" {
		limit = 25000
	}
	if f.AccessLevel == "read" {
		return xProblem(403, "oauth1-permissions", "Forbidden", "Your client app is not configured with the appropriate oauth1 app permissions for this endpoint.")
	}
	if f.Length != nil && f.Length(wanted.Text) > limit {
		return xProblem(403, "about:blank", "Forbidden", "You are not permitted to perform this action.")
	}
	if len(xCashtag.FindAllString(wanted.Text, 2)) > 1 {
		return xProblem(403, "about:blank", "Forbidden", "Posts are limited to a maximum of one cashtag")
	}
	if f.Credits == 0 {
		return xProblem(402, "credits", "CreditsDepleted", "Your enrolled account [1] does not have any credits to fulfill this request.")
	}
	p := XPost{Text: wanted.Text, Created: time.Now()}
	if wanted.Reply != nil {
		p.ReplyTo = wanted.Reply.To
		if !slices.ContainsFunc(f.posts, func(o XPost) bool { return o.ID == p.ReplyTo && !o.Deleted }) {
			return xProblem(403, "about:blank", "Forbidden", "You attempted to reply to a Tweet that is deleted or not visible to you.")
		}
	}
	if wanted.Media != nil {
		for _, id := range wanted.Media.IDs {
			file := f.files[id]
			if file == nil || !file.done || f.processing(file) {
				return 400, `{"errors":[{"parameters":{"media.media_ids":["` + id + `"]},"message":"Your media IDs are invalid."}],"title":"Invalid Request","detail":"One or more parameters to your request was invalid.","type":"https://api.x.com/2/problems/invalid-request"}`
			}
			p.Media, p.AltTexts = append(p.Media, id), append(p.AltTexts, file.alt)
		}
	}
	if wanted.Poll != nil {
		p.Poll = wanted.Poll.Options
	}
	same := func(o XPost) bool {
		return o.Text == p.Text && o.Text != "" && o.ReplyTo == p.ReplyTo && !o.Deleted && time.Since(o.Created) < 12*time.Hour
	}
	if slices.ContainsFunc(f.posts, same) {
		return xProblem(403, "about:blank", "Forbidden", "You are not allowed to create a Tweet with duplicate content.")
	}
	f.Credits = max(f.Credits-1, -1)
	f.next++
	p.ID = strconv.FormatInt(max(p.Created.UnixMilli()-1288834974657, 1)<<22+f.next, 10)
	f.posts = append(f.posts, p)
	answer, _ := json.Marshal(map[string]any{"data": map[string]any{"id": p.ID, "text": p.Text, "edit_history_tweet_ids": []string{p.ID}}})
	return 201, string(answer)
}

// xCashtag is a cashtag at the start of a word.
var xCashtag = regexp.MustCompile(`(?:^|[^\pL\pN_$])\$[A-Za-z]{1,6}\b`)

var xLink = regexp.MustCompile(`https?://[^\s]+[\pL\pN/]`)

// shown returns a post as the timeline has it: links are replaced and characters escaped.
func (f *FakeX) shown(p XPost) map[string]any {
	var entities []map[string]any
	text := html.EscapeString(p.Text)
	text = strings.NewReplacer("&#34;", `"`, "&#39;", "'").Replace(text)
	for i, link := range xLink.FindAllString(p.Text, -1) {
		short := fmt.Sprintf("https://t.co/%s%d", p.ID[len(p.ID)-6:], i)
		text = strings.Replace(text, html.EscapeString(link), short, 1)
		entities = append(entities, map[string]any{"url": short, "expanded_url": link})
	}
	if len(p.Media) > 0 {
		text = strings.TrimSpace(text + " https://t.co/media" + p.ID)
		entities = append(entities, map[string]any{"url": "https://t.co/media" + p.ID, "expanded_url": "https://x.com/" + f.Username + "/status/" + p.ID + "/photo/1", "media_key": "3_" + p.Media[0]})
	}
	post := map[string]any{"id": p.ID, "created_at": p.Created.UTC().Format("2006-01-02T15:04:05.000Z"), "entities": map[string]any{"urls": entities}}
	if runes := []rune(text); len(runes) > 280 {
		post["note_tweet"] = map[string]any{"text": text, "entities": map[string]any{"urls": entities}}
		text = string(runes[:270]) + "…"
	}
	post["text"] = text
	if p.ReplyTo != "" {
		post["referenced_tweets"] = []map[string]any{{"type": "replied_to", "id": p.ReplyTo}}
	}
	if len(p.Media) > 0 {
		keys := []string{}
		for _, id := range p.Media {
			keys = append(keys, "3_"+id)
		}
		post["attachments"] = map[string]any{"media_keys": keys}
	}
	return post
}

// timeline lists the posts of the user from the newest.
func (f *FakeX) timeline(query url.Values) (int, string) {
	size, err := strconv.Atoi(query.Get("max_results"))
	if err != nil || size < 5 || size > 100 {
		return xProblem(400, "invalid-request", "Invalid Request", "The max_results query parameter value is not between 5 and 100")
	}
	since, _ := strconv.ParseInt(query.Get("since_id"), 10, 64)
	until, err := strconv.ParseInt(query.Get("until_id"), 10, 64)
	if err != nil {
		until = math.MaxInt64
	}
	skip, _ := strconv.Atoi(query.Get("pagination_token"))
	list := []map[string]any{}
	meta := map[string]any{}
	for _, p := range slices.Backward(f.posts) {
		id, _ := strconv.ParseInt(p.ID, 10, 64)
		if p.Deleted || id <= since || id >= until {
			continue
		}
		if skip > 0 {
			skip--
			continue
		}
		if len(list) == size {
			from, _ := strconv.Atoi(query.Get("pagination_token"))
			meta["next_token"] = strconv.Itoa(from + size)
			break
		}
		list = append(list, f.withNumbers(f.shown(p), p, query.Get("tweet.fields")))
		f.charged += f.ownPrice()
	}
	meta["result_count"] = len(list)
	body := map[string]any{"meta": meta}
	if len(list) > 0 {
		body["data"] = list
	}
	answer, _ := json.Marshal(body)
	return 200, string(answer)
}
