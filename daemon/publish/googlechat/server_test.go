package googlechat_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/googlechat"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

const (
	space   = "AAAAbcdEFGh"
	key     = "AIzaSyKeyOfTheWebhook-0123456789"
	token   = "token_of_the_webhook%3D"
	webhook = "/v1/spaces/" + space + "/messages?key=" + key + "&token=" + token
	content = "Version 2 is out 🙂"
)

// sent is a message in the space.
type sent struct {
	Name, Thread string
	RequestID    string
	Text         string
	Images       []string
}

// server is a space with a webhook, as Google documents it.
type server struct {
	mu       sync.Mutex // mu guards the fields below
	messages []sent
	threads  map[string]string // names by key
	deleted  bool              // no thread exists
	newOnes  bool              // replies start threads of their own
}

func newServer() *server { return &server{threads: map[string]string{}} }

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	if r.Method != http.MethodPost || r.URL.Path != "/v1/spaces/"+space+"/messages" {
		refuse(w, 404, "NOT_FOUND", "")
		return
	}
	if query.Get("key") != key {
		refuse(w, 400, "INVALID_ARGUMENT", "API_KEY_INVALID")
		return
	}
	if query.Get("token") != "token_of_the_webhook=" {
		refuse(w, 401, "UNAUTHENTICATED", "")
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.messages {
		if m.RequestID != "" && m.RequestID == query.Get("requestId") {
			m.respond(w)
			return
		}
	}
	s.post(w, r)
}

func (s *server) post(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Text   string
		Thread struct{ Name, ThreadKey string }
		Cards  []struct {
			Card struct {
				Sections []struct {
					Widgets []struct {
						Image struct{ ImageURL string }
					}
				}
			}
		} `json:"cardsV2"`
	}
	if json.NewDecoder(r.Body).Decode(&body) != nil || body.Text == "" && len(body.Cards) == 0 {
		refuse(w, 400, "INVALID_ARGUMENT", "")
		return
	}
	m := sent{RequestID: r.URL.Query().Get("requestId"), Text: body.Text}
	m.Name = fmt.Sprintf("spaces/%s/messages/m%d.m%[2]d", space, len(s.messages)+1)
	m.Thread = body.Thread.Name
	switch {
	case s.newOnes:
		m.Thread = ""
	case m.Thread != "" && s.deleted:
		refuse(w, 404, "NOT_FOUND", "")
		return
	case body.Thread.ThreadKey != "":
		m.Thread = s.threads[body.Thread.ThreadKey]
	}
	if m.Thread == "" {
		m.Thread = fmt.Sprintf("spaces/%s/threads/t%d", space, len(s.messages)+1)
		s.threads[body.Thread.ThreadKey] = m.Thread
	}
	for _, c := range body.Cards {
		for _, section := range c.Card.Sections {
			for _, widget := range section.Widgets {
				m.Images = append(m.Images, widget.Image.ImageURL)
			}
		}
	}
	s.messages = append(s.messages, m)
	m.respond(w)
}

func (m sent) respond(w http.ResponseWriter) {
	fmt.Fprintf(w, `{"name":%q,"thread":{"name":%q}}`, m.Name, m.Thread)
}

func refuse(w http.ResponseWriter, status int, name, reason string) {
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"error":{"code":%d,"message":"not possible","status":%q,"details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":%q}]}}`, status, name, reason)
}

func connection(url string) publish.Connection {
	return publish.Connection{Credentials: publish.Credentials{"webhook_url": url}}
}

// start serves h and returns a publisher and a request for it.
func start(t *testing.T, h http.Handler) (*googlechat.Publisher, publish.Request) {
	t.Helper()
	web := httptest.NewServer(h)
	client := outbound.Client(outbound.AllowPrivate)
	t.Cleanup(func() {
		client.CloseIdleConnections()
		web.Close()
	})
	return googlechat.New(client, outbound.AllowPrivate, "test", "https://posts.example.org"), publish.Request{
		TargetID: "pt_1", Key: "pt_1", Content: content, Credentials: publish.Credentials{"webhook_url": web.URL + webhook},
	}
}

// replyTo returns the request of the part after its parent.
func replyTo(r publish.Request, root, parent schedctl.Receipt) publish.Request {
	r.Part, r.Kind, r.Root, r.Parent = r.Part+1, schedctl.PartReply, &root, &parent
	r.Key = fmt.Sprintf("%s-%d", strings.Split(r.Key, "-")[0], r.Part)
	return r
}
