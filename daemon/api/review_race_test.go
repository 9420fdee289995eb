package api_test

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/scripts/testsize"
)

// raceRounds is how many requests the clients of a race send to each database.
var raceRounds = testsize.Of(600, 2000)

// raceSetting is who takes part in a race, under which policy.
type raceSetting struct {
	approvals string
	twoPeople bool
	clients   []string // the names of their keys
}

var raceSettings = map[string]raceSetting{
	"all":       {approvals: "all", clients: []string{"author", "author", "editor", "editor", "approver", "approver"}},
	"four eyes": {approvals: "all", twoPeople: true, clients: []string{"author", "author", "editor", "editor", "approver", "approver"}},
	"agents":    {approvals: "agents", clients: []string{"agent", "agent", "agent", "approver", "approver", "approver"}},
}

// TestNothingUnapprovedIsPublished lets keys edit, submit, approve, withdraw, schedule,
// unschedule and publish the same posts at the same time, and change the alt texts of files,
// where every post needs an approval. The network must never get a text, an account, a file
// or an alt text that was not approved by another key than the one that wrote the text, and
// nothing of an agent that was approved only for a later time.
func TestNothingUnapprovedIsPublished(t *testing.T) {
	t.Parallel()
	for name, setting := range raceSettings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onDatabases(t, func(t *testing.T, w *reviewing) { w.race(setting) })
			t.Run("two nodes", func(t *testing.T) {
				t.Parallel()
				uploading := publishtest.NewUploadingFake("fake")
				n := &network{Fake: uploading.Fake}
				publishers := publish.NewRegistry(pictureNetwork{n, uploading})
				peers := newPeers(t, onPostgres(t, 2), func(c *api.Config) { c.Publishers = publishers })
				for _, f := range peers {
					f.network, f.publishers, f.files = n, publishers, blobFiles{peers[0]}
				}
				newReviewing(peers[0]).race(setting, peers[1])
			})
		})
	}
}

// race lets the clients send their requests to the daemon of w and to other ones.
func (w *reviewing) race(setting raceSetting, others ...*fixture) {
	if w.policy(setting.approvals); setting.twoPeople {
		w.fourEyes(true)
	}
	r := &reviewRace{
		reviewing: w, raceSetting: setting, accounts: []string{w.mine.account, w.newAccount(w.mine, "second")},
		approved: map[string][]approvedTarget{}, hashes: map[string][32]byte{},
	}
	for _, file := range [][]byte{mediatest.PNG(3, 3), mediatest.PNG(4, 4)} {
		id := w.upload(file).ID
		r.assets, r.hashes[id] = append(r.assets, id), sha256.Sum256(file)
	}
	nodes := append([]*fixture{w.fixture}, others...)
	for _, f := range nodes {
		f.delivering()
	}
	for range 6 {
		r.posts = append(r.posts, w.draftBy(as(w.secrets[setting.clients[0]])).ID)
	}
	var wg sync.WaitGroup
	for n, name := range setting.clients {
		wg.Go(func() {
			c := raceClient{reviewRace: r, node: nodes[n%len(nodes)], name: name, random: rand.New(rand.NewPCG(uint64(n), 22))}
			for i := range raceRounds / len(setting.clients) {
				c.step(fmt.Sprintf("%s %d.%d", name, n, i))
			}
		})
	}
	wg.Wait()
	r.check()
	for line := range strings.Lines(w.logs.String()) {
		if strings.Contains(line, "level=ERROR") {
			w.t.Log(line)
		}
	}
}

// reviewRace is what the clients of a race share.
type reviewRace struct {
	*reviewing
	raceSetting
	accounts, assets []string
	hashes           map[string][32]byte // of the assets

	mu       sync.Mutex // mu guards the fields below
	posts    []string
	approved map[string][]approvedTarget // by text
}

// approvedTarget is where another key has approved a text, and with which files.
type approvedTarget struct {
	account string
	files   []shownFile
	later   bool // for a time after the test
}

// shownFile is a file with its alt text.
type shownFile struct {
	sha256 [32]byte
	alt    string
}

// raceClient sends the requests of one key. One goroutine owns it.
type raceClient struct {
	*reviewRace
	node   *fixture // the daemon that it sends to
	name   string
	random *rand.Rand
	took   time.Duration // of the last request
}

func (c *raceClient) do(o option, method, path string, b any) *response {
	return c.node.do(o, method, path, b)
}

// send sends a request. Clients run on their own goroutines, which must not end the test.
func (c *raceClient) send(method, path string, b body, options ...option) (p apiv1.Post, ok bool) {
	began := time.Now()
	r := c.do(all(append(options, as(c.secrets[c.name]))...), method, path, orNone(b))
	c.took = time.Since(began)
	switch {
	case r.status >= 500:
		c.t.Errorf("%s %s: %s", method, path, r.body)
	case r.status < 300:
		return r.post(), true
	}
	return p, false
}

// step sends one request about a post, and replaces the post when it is finished.
func (c *raceClient) step(text string) {
	c.mu.Lock()
	i := c.random.IntN(len(c.posts))
	path := "/posts/" + c.posts[i]
	c.mu.Unlock()
	switch n := c.random.IntN(20); {
	case n == 0:
		c.do(nil, "PATCH", "/media/"+c.assets[c.random.IntN(2)], body{"alt_text": text})
	case n < 6 && c.name != "approver":
		c.edit(path, text)
	case n < 9 && c.name != "approver":
		c.send("POST", path+"/submit", body{"proposed_at": c.soon()})
	case n < 14 && c.name != "author" && c.name != "agent":
		c.approve(path)
	case n == 14 && c.name != "author" && c.name != "agent":
		c.send("POST", path+"/request-changes", body{"note": "x"})
	case n == 15:
		c.send("POST", path+"/withdraw", nil)
	case n == 16:
		c.send("POST", path+"/unschedule", nil)
	case n == 17:
		c.send("POST", path+"/schedule", body{"publish_at": c.soon()})
	case n == 18:
		b := body{}
		if c.random.IntN(2) == 0 {
			b["social_account_ids"] = c.accounts[:1+c.random.IntN(2)]
		}
		c.change("POST", path+"/publish-now", b)
	default:
		p := c.do(nil, "GET", path, nil).want(200).post()
		if p.Status == schedctl.Draft || p.Status == schedctl.Scheduled {
			return
		}
		if fresh, ok := c.send("POST", "/posts", body{"content": text, "social_account_ids": c.accounts}); ok {
			c.mu.Lock()
			c.posts[i] = fresh.ID
			c.mu.Unlock()
		}
	}
}

// soon returns a time that is a few milliseconds after the likely end of the next request,
// also on a machine where requests take long.
func (c *raceClient) soon() string {
	return in(2*c.took + time.Duration(2+c.random.IntN(10))*time.Millisecond)
}

// edit changes what a post publishes.
func (c *raceClient) edit(path, text string) {
	b := body{"content": text}
	switch c.random.IntN(5) {
	case 0:
		b["social_account_ids"] = c.accounts[c.random.IntN(2):]
	case 1:
		b["media_asset_ids"] = c.assets[c.random.IntN(2):]
	case 2:
		b["target_overrides"] = []body{override(c.accounts[0], text+" alone", nil)}
		b["social_account_ids"] = c.accounts
	case 3:
		b["media"] = []body{{"id": c.assets[c.random.IntN(2)], "alt_text": text}}
	}
	c.change("PATCH", path, b)
}

// change changes a post. If an approver changes an approved post that another key has
// submitted, the change is approved.
func (c *raceClient) change(method, path string, b body) {
	p, ok := c.send(method, path, b)
	if !ok || c.name != "editor" || p.Approval == nil || p.Approval.State != schedctl.ApprovalApproved {
		return
	}
	own := p.Approval.RequestedBy.Name == c.name
	if own && method == "PATCH" {
		c.t.Errorf("%s changed its own approved post: %+v", c.name, p.Approval)
	}
	if !own && method == "PATCH" && c.twoPeople {
		c.t.Errorf("an edit of %s alone kept the approval: %+v", c.name, p.Approval)
	}
	if !own {
		c.note(p, false)
	}
}

// approve approves what it has read.
func (c *raceClient) approve(path string) {
	seen := c.do(nil, "GET", path, nil)
	if seen.status != 200 {
		return
	}
	p, at := seen.post(), c.soon()
	later := c.approvals == "agents" && c.random.IntN(2) == 0
	if later {
		at = in(time.Hour)
	}
	approved, ok := c.send("POST", path+"/approve", body{"publish_at": at}, header("If-Match", seen.header.Get("ETag")))
	if !ok {
		return
	}
	if p.Approval.RequestedBy.Name == c.name || approved.Content != p.Content {
		c.t.Errorf("%s approved %q, requested by %s", c.name, approved.Content, p.Approval.RequestedBy.Name)
	}
	c.note(p, later)
}

// note records what was approved.
func (c *raceClient) note(p apiv1.Post, later bool) {
	var files []shownFile
	for _, m := range p.Media {
		files = append(files, shownFile{c.hashes[m.ID], *cmp.Or(m.AltText, new(string))})
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, account := range p.SocialAccountIDs {
		text := p.Content
		for _, o := range p.TargetOverrides {
			if o.SocialAccountID == account {
				text = *o.Content
			}
		}
		c.approved[text] = append(c.approved[text], approvedTarget{account, files, later})
	}
}

// check compares the requests to the network with what was approved.
func (r *reviewRace) check() {
	sent := r.network.Requests()
	for _, q := range sent {
		var files []shownFile
		for _, f := range q.Files {
			files = append(files, shownFile{f.SHA256, f.AltText})
		}
		if !slices.ContainsFunc(r.approved[q.Content], func(t approvedTarget) bool {
			return t.account == q.Account.ID && slices.Equal(t.files, files) && !t.later
		}) {
			r.t.Errorf("%q was published on %s with %d files and was never approved so", q.Content, q.Account.ID, len(files))
		}
	}
	r.t.Logf("%d requests to the network, %d approved texts", len(sent), len(r.approved))
	if len(sent) == 0 {
		r.t.Error("nothing was published; the test shows nothing")
	}
}
