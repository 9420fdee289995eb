package publishtest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// FakeContainers is a server with an API of Meta that publishes in two steps, written from
// its documentation. It keeps containers with their statuses, and posts. The functions may
// be nil, and run on the goroutine of the request.
type FakeContainers struct {
	// API is [ThreadsAPI] or [InstagramAPI].
	API ContainerAPI

	// Token is the valid token. The default is the name of the API and "-token".
	Token string

	// Respond returns the response to the nth request to publish.
	Respond func(n int) ContainerResponse

	// Processing is how long a container is processed. Ends is what its status becomes
	// then, by default FINISHED.
	Processing time.Duration
	Ends       string

	// Delay is how long each response takes before and after its effect.
	Delay func() time.Duration

	// Scopes are the permissions of the token; nil for all of them.
	Scopes []string

	// Replies is how many replies the account has from elsewhere.
	Replies func() int

	// TokenEnds is when the token ends by debug_token, 60 days after it was issued. If it is
	// zero, the network does not say.
	TokenEnds time.Time

	// Unlisted is how long a new post is missing in the lists of posts.
	Unlisted time.Duration

	// Retired are metrics that the API no longer has, and Few means that a post has too few
	// viewers for insights.
	Retired []string
	Few     bool

	mu         sync.Mutex // mu guards the fields below
	next       int
	containers map[string]*FakeContainer
	posts      []ContainerPost
	publishes  int
	refreshed  int
}

// ContainerAPI is what differs between the APIs.
type ContainerAPI struct {
	name    string
	version string
	user    string // the id of the user in paths; "me" works too
	profile map[string]any
	create  string // the edge for new containers
	publish string
	quota   string
	total   map[string]any  // the response of quota, without the usage
	text    string          // the parameter with the text
	lists   map[string]bool // edges with posts, and whether they list replies
	status  string          // the field of a container with its status
	early   [2]int          // code and subcode for a container that is not processed yet
	again   [2]int          // code and subcode for a container that is published
	invalid func(f *FakeContainers, form map[string]string) (code, subcode int, message string)
	post    func(p ContainerPost) map[string]any
	metrics []string // of posts
	fields  []string // of posts, with numbers
}

// ContainerResponse is the response to a request to publish.
type ContainerResponse struct {
	Status int    // with Body: the response instead of the usual one
	Body   string // an error of the API
	Header http.Header
	Store  bool // the post is published in spite of Body, or before the connection is cut
	Drop   bool // the connection is cut
}

// FakeContainer is a staged post.
type FakeContainer struct {
	ID     string
	Form   map[string]string
	At     time.Time
	Status string // PUBLISHED or EXPIRED, or empty while it follows from the time
	Post   string
}

// ContainerPost is a published post.
type ContainerPost struct {
	ID, Container, Text, ReplyTo string
	Form                         map[string]string
	At                           time.Time
	Numbers                      map[string]int64 // of its insights and fields; missing ones are 0
}

// Posts returns the published posts.
func (f *FakeContainers) Posts() []ContainerPost {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.posts)
}

// Containers returns the staged posts, the oldest first.
func (f *FakeContainers) Containers() (list []FakeContainer) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.containers {
		list = append(list, *c)
	}
	slices.SortFunc(list, func(a, b FakeContainer) int { return strings.Compare(a.ID, b.ID) })
	return list
}

// Calls returns the number of requests to publish.
func (f *FakeContainers) Calls() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.publishes
}

// Expire drops all containers that are not published.
func (f *FakeContainers) Expire() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.containers {
		if c.Status == "" {
			c.Status = "EXPIRED"
		}
	}
}

func (f *FakeContainers) token() string {
	if f.Token == "" {
		return f.API.name + "-token"
	}
	return f.Token
}

// ServeHTTP implements [http.Handler].
func (f *FakeContainers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.pause()
	f.serve(w, r)
	f.pause()
}

func (f *FakeContainers) pause() {
	if f.Delay != nil {
		time.Sleep(f.Delay())
	}
}

func (f *FakeContainers) serve(w http.ResponseWriter, r *http.Request) {
	if r.ParseForm() != nil {
		return
	}
	if r.Form.Get("access_token") != f.token() {
		fail(w, 190, 460, "Error validating access token")
		return
	}
	if f.lacksScope(r) {
		fail(w, 10, 0, "(#10) Application does not have permission for this action")
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if r.Method == http.MethodGet && r.URL.Path == "/refresh_access_token" {
		f.refreshed++
		respond(w, map[string]any{"access_token": f.token(), "token_type": "bearer", "expires_in": 5184000})
		return
	}
	path, _ := strings.CutPrefix(r.URL.Path, "/"+f.API.version+"/")
	if path == "debug_token" && !f.TokenEnds.IsZero() {
		respond(w, map[string]any{"data": map[string]any{"is_valid": true, "issued_at": f.TokenEnds.AddDate(0, 0, -60).Unix(), "expires_at": f.TokenEnds.Unix()}})
		return
	}
	object, edge, _ := strings.Cut(path, "/")
	if object != "me" && object != f.API.user {
		f.object(w, r, path)
		return
	}
	replies, lists := f.API.lists[edge]
	switch {
	case r.Method == http.MethodGet && edge == "":
		respond(w, f.API.profile)
	case r.Method == http.MethodPost && edge == f.API.create:
		f.create(w, r)
	case r.Method == http.MethodPost && edge == f.API.publish:
		f.publish(w, r)
	case r.Method == http.MethodGet && edge == f.API.quota:
		usage := map[string]any{"quota_usage": len(f.posts)}
		for name, value := range f.API.total {
			usage[name] = value
		}
		if f.Replies != nil {
			usage["reply_quota_usage"] = f.Replies()
		}
		respond(w, map[string]any{"data": []any{usage}})
	case r.Method == http.MethodGet && lists:
		f.list(w, replies)
	default:
		fail(w, 100, 33, "Unsupported request")
	}
}

// lacksScope reports whether a request needs a permission that the token does not have. Those
// of Threads are for replies and their quota, for everything that publishes, for insights, and for the rest.
func (f *FakeContainers) lacksScope(r *http.Request) bool {
	needed := ""
	switch {
	case f.Scopes == nil:
		return false
	case f.API.name == "instagram":
		return (TokenScopes{"instagram", f.Scopes}).Denies(r) != nil
	case r.Form.Get("reply_to_id") != "", strings.Contains(r.Form.Get("fields"), "reply_quota_usage"):
		needed = "threads_manage_replies"
	case r.Method == http.MethodPost:
		needed = "threads_content_publish"
	case strings.HasSuffix(r.URL.Path, "/insights"):
		needed = "threads_manage_insights"
	case !strings.HasSuffix(r.URL.Path, "/debug_token"):
		needed = "threads_basic"
	}
	return needed != "" && !slices.Contains(f.Scopes, needed)
}

// id returns a new id. The caller holds mu, as for the methods below.
func (f *FakeContainers) id() string {
	f.next++
	return fmt.Sprint(18_000_000_000_000 + f.next)
}

func (f *FakeContainers) create(w http.ResponseWriter, r *http.Request) {
	form := map[string]string{}
	for name := range r.PostForm {
		if name != "access_token" {
			form[name] = r.PostForm.Get(name)
		}
	}
	if code, subcode, message := f.API.invalid(f, form); code != 0 {
		fail(w, code, subcode, message)
		return
	}
	if f.containers == nil {
		f.containers = map[string]*FakeContainer{}
	}
	c := &FakeContainer{ID: f.id(), Form: form, At: time.Now()}
	f.containers[c.ID] = c
	respond(w, map[string]string{"id": c.ID})
}

// status returns the status of a container.
func (f *FakeContainers) status(c *FakeContainer) string {
	switch age := time.Since(c.At); {
	case c.Status != "":
		return c.Status
	case age >= 24*time.Hour:
		return "EXPIRED"
	case age < f.Processing:
		return "IN_PROGRESS"
	case f.Ends != "":
		return f.Ends
	}
	return "FINISHED"
}

func (f *FakeContainers) publish(w http.ResponseWriter, r *http.Request) {
	f.publishes++
	var response ContainerResponse
	if f.Respond != nil {
		response = f.Respond(f.publishes)
	}
	c := f.containers[r.PostForm.Get("creation_id")]
	usual := !response.Drop && response.Body == ""
	if c != nil && (usual || response.Store) && f.status(c) == "FINISHED" && c.Form["is_carousel_item"] == "" {
		p := ContainerPost{
			ID: f.id(), Container: c.ID, Text: strings.TrimSpace(c.Form[f.API.text]), ReplyTo: c.Form["reply_to_id"], Form: c.Form, At: time.Now(),
		}
		f.posts, c.Status, c.Post = append(f.posts, p), "PUBLISHED", p.ID
		if usual {
			respond(w, map[string]string{"id": p.ID})
			return
		}
	}
	switch {
	case response.Drop:
		panic(http.ErrAbortHandler)
	case response.Body != "":
		for name := range response.Header {
			w.Header().Set(name, response.Header.Get(name))
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(response.Status)
		fmt.Fprint(w, response.Body)
	case c == nil:
		fail(w, 100, 0, "Invalid parameter: creation_id")
	case f.status(c) == "IN_PROGRESS":
		fail(w, f.API.early[0], f.API.early[1], "The media is not ready")
	case f.status(c) == "PUBLISHED":
		fail(w, f.API.again[0], f.API.again[1], "An unknown error has occurred")
	default:
		fail(w, 100, 0, "Invalid parameter: creation_id")
	}
}

func (f *FakeContainers) list(w http.ResponseWriter, replies bool) {
	data := []any{}
	for _, p := range slices.Backward(f.posts) {
		if (p.ReplyTo != "") == replies && time.Since(p.At) >= f.Unlisted {
			data = append(data, f.API.post(p))
		}
	}
	respond(w, map[string]any{"data": data})
}
