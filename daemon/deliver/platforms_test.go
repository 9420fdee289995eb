package deliver_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest/networks"
)

// platform is an account of a network, and the credentials that are stored.
type platform struct {
	networks.Account
	given publish.Credentials
}

// platformOf returns the account with a name.
func platformOf(name string) platform { return platformOn(networks.Named(name)) }

func platformOn(a networks.Account) platform {
	return platform{Account: a, given: a.StoredAt("https://network.test")}
}

func (p platform) publisher(c *http.Client) publish.Publisher {
	return networks.Publishers(c)[p.Platform]
}

// platforms returns the accounts of the networks that respond over HTTP and publish with one
// request.
func platforms() (list []platform) {
	for _, a := range networks.Accounts() {
		if a.Accepted != nil {
			list = append(list, platformOn(a))
		}
	}
	return list
}

// formBody returns the values of a form, as the body of a post.
func formBody(body []byte) map[string]any {
	values := map[string]any{}
	form, _ := url.ParseQuery(string(body))
	for name := range form {
		values[name] = form.Get(name)
	}
	return values
}

// memoryNetwork is the server of a platform. The first request to publish has the mishap.
// All later ones have it too if it lasts; otherwise they succeed.
type memoryNetwork struct {
	platform
	mishap  mishap
	forEver bool

	encrypted bool // the preflight finds an encrypted room

	mu    sync.Mutex // mu guards the fields below
	posts []networks.Sent
	calls int // requests to publish
}

func (n *memoryNetwork) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if n.Preflight != nil && n.Preflight(r) && !n.encrypted {
		w.WriteHeader(http.StatusNotFound)
		io.WriteString(w, `{"errcode":"M_NOT_FOUND"}`)
		return
	}
	if !n.IsPost(r) {
		n.mu.Lock()
		defer n.mu.Unlock()
		if n.Asked == nil {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		io.WriteString(w, n.Asked(r, n.posts))
		return
	}
	n.mu.Lock()
	n.calls++
	well := n.calls > 1 && !n.forEver
	n.mu.Unlock()
	if well {
		p := n.accept(r, body)
		n.setHeader(w, p)
		io.WriteString(w, n.Accepted(p))
		return
	}
	answer := ""
	if n.mishap.accepts {
		p := n.accept(r, body)
		n.setHeader(w, p)
		answer = n.Accepted(p)
	}
	n.mishap.answer(w, r, answer)
}

func (n *memoryNetwork) setHeader(w http.ResponseWriter, p networks.Sent) {
	if n.Header != nil {
		n.Header(w.Header(), p)
	}
}

// accept stores a post, unless the request is a repeat that the network recognizes.
func (n *memoryNetwork) accept(r *http.Request, body []byte) networks.Sent {
	n.mu.Lock()
	defer n.mu.Unlock()
	p := networks.Sent{Number: len(n.posts) + 1, At: time.Now()}
	if n.RepeatKey != nil {
		p.Key = n.RepeatKey(r, body)
	}
	for _, known := range n.posts {
		if p.Key != "" && known.Key == p.Key {
			return known
		}
	}
	if json.Unmarshal(body, &p.Body) != nil {
		p.Body = formBody(body)
	}
	n.posts = append(n.posts, p)
	return p
}

func (n *memoryNetwork) counts() (posts, calls int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.posts), n.calls
}
