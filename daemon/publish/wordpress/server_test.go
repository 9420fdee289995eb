package wordpress_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/daemon/publish/wordpress"
)

const (
	password = "abcd EFGH ijkl MNOP qrst UVWX"
	content  = "Version 2 is out\n\nIt is <faster> & [shorter] 🙂"
)

// stored is a post of the site.
type stored struct {
	ID         int    `json:"id"`
	Slug       string `json:"slug"`
	Status     string `json:"status"`
	Link       string `json:"link"`
	Title      string `json:"-"`
	Categories []int  `json:"categories"`
	Content    struct {
		Raw string `json:"raw"`
	} `json:"content"`
}

// server is a site with the REST API, as WordPress documents it.
type server struct {
	mu       sync.Mutex // mu guards the fields below
	posts    []stored
	uploads  []string // the alt texts
	rights   map[string]bool
	first    int // the id of the first post
	always   bool
	comments map[int]int // approved ones, by post
	strip    bool        // remove the files from posts
}

func newServer() *server {
	return &server{first: 42, rights: map[string]bool{"edit_posts": true, "publish_posts": true, "upload_files": true}}
}

// newConstantServer returns a site that gives every post the same id.
func newConstantServer() *server {
	s := newServer()
	s.always = true
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	user, given, _ := r.BasicAuth()
	if user != "alice" || given != strings.ReplaceAll(password, " ", "") {
		refuse(w, 401, "incorrect_password")
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	route, found := strings.CutPrefix(r.URL.Path, "/blog/wp-json/wp/v2/")
	switch {
	case !found:
		refuse(w, 404, "rest_no_route")
	case route == "users/me":
		respond(w, 200, map[string]any{"id": 7, "name": "Alice", "slug": "alice", "link": "https://blog.example.org/author/alice/", "capabilities": s.rights})
	case route == "categories":
		s.categories(w, r)
	case route == "media":
		s.media(w, r)
	case strings.HasPrefix(route, "posts/") && r.Method == http.MethodGet:
		s.one(w, strings.TrimPrefix(route, "posts/"))
	case route == "comments" && r.Method == http.MethodGet:
		s.listComments(w, r)
	case route == "posts" && r.Method == http.MethodGet:
		s.list(w, r)
	case route == "posts":
		s.post(w, r)
	default:
		refuse(w, 404, "rest_no_route")
	}
}

func (s *server) categories(w http.ResponseWriter, r *http.Request) {
	list := []map[string]any{}
	wanted := strings.Split(r.URL.Query().Get("slug")+","+r.URL.Query().Get("include"), ",")
	for id, slug := range map[int]string{3: "news", 5: "releases"} {
		if slices.Contains(wanted, slug) || slices.Contains(wanted, fmt.Sprint(id)) {
			list = append(list, map[string]any{"id": id, "slug": slug})
		}
	}
	respond(w, 200, list)
}

func (s *server) list(w http.ResponseWriter, r *http.Request) {
	list := []stored{}
	for _, p := range s.posts {
		if p.Slug == r.URL.Query().Get("slug") {
			list = append(list, p)
		}
	}
	if s.always {
		list = nil
		io.WriteString(w, "[]")
		return
	}
	respond(w, 200, list)
}

// one returns a post, also one in the trash.
func (s *server) one(w http.ResponseWriter, id string) {
	for _, p := range s.posts {
		if fmt.Sprint(p.ID) == id {
			respond(w, 200, p)
			return
		}
	}
	refuse(w, 404, "rest_post_invalid_id")
}

func (s *server) listComments(w http.ResponseWriter, r *http.Request) {
	id, _ := strconv.Atoi(r.URL.Query().Get("post"))
	w.Header().Set("X-WP-Total", fmt.Sprint(s.comments[id]))
	list := []any{}
	if s.comments[id] > 0 {
		list = append(list, map[string]any{"id": 1})
	}
	respond(w, 200, list)
}

func (s *server) post(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Title, Content, Status, Slug string
		Categories                   []int
	}
	if json.NewDecoder(r.Body).Decode(&body) != nil {
		refuse(w, 400, "rest_invalid_json")
		return
	}
	if (body.Status == "publish" || body.Status == "private") && !s.rights["publish_posts"] {
		refuse(w, 403, "rest_cannot_publish")
		return
	}
	p := stored{ID: s.first + len(s.posts), Slug: body.Slug, Status: body.Status, Title: body.Title, Categories: body.Categories}
	if s.always {
		p.ID = s.first
	} else if slices.ContainsFunc(s.posts, func(o stored) bool { return o.Slug == p.Slug }) {
		p.Slug += "-2"
	}
	p.Link = fmt.Sprintf("https://blog.example.org/?p=%d", p.ID)
	if p.Content.Raw = body.Content; s.strip {
		p.Content.Raw = "nothing"
	}
	s.posts = append(s.posts, p)
	respond(w, 201, p)
}

func (s *server) media(w http.ResponseWriter, r *http.Request) {
	if !s.rights["upload_files"] {
		refuse(w, 403, "rest_cannot_create")
		return
	}
	if r.ParseMultipartForm(1<<20) != nil || len(r.MultipartForm.File["file"]) != 1 {
		refuse(w, 400, "rest_upload_no_data")
		return
	}
	s.uploads = append(s.uploads, r.FormValue("alt_text"))
	respond(w, 201, map[string]any{
		"id": 100 + len(s.uploads), "source_url": fmt.Sprintf("https://blog.example.org/wp-content/uploads/%d-%s", len(s.uploads), r.MultipartForm.File["file"][0].Filename),
	})
}

func respond(w http.ResponseWriter, status int, body any) {
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func refuse(w http.ResponseWriter, status int, code string) {
	respond(w, status, map[string]any{"code": code, "message": "not possible", "data": map[string]any{"status": status}})
}

func credentials(url string) publish.Credentials {
	return publish.Credentials{"site_url": url + "/blog/", "username": "alice", "application_password": password}
}

// start serves h and returns a publisher and a request for it.
func start(t *testing.T, h http.Handler) (*wordpress.Publisher, publish.Request) {
	t.Helper()
	web := httptest.NewServer(h)
	client := outbound.Client(outbound.AllowPrivate)
	t.Cleanup(func() {
		client.CloseIdleConnections()
		web.Close()
	})
	return wordpress.New(client, outbound.AllowPrivate, "test"), request(web.URL)
}

func request(url string) publish.Request {
	return publish.Request{
		TargetID: publishtest.TargetID, Key: publishtest.TargetID, Content: content, Credentials: credentials(url), Attempt: 1,
		Account: schedctl.Account{Options: schedctl.Options{}},
	}
}
