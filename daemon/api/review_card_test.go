package api_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/bluesky"
	"github.com/schedctl/schedctl/daemon/publish/linkcard"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/storage"
)

// changingSite is a website whose pages change with each visit: the title has the number of
// the visit, and so does the width of the picture. Its page /late exists from the second
// visit on.
type changingSite struct {
	*httptest.Server
	mu     sync.Mutex // mu guards visits
	visits int
}

func (s *changingSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if strings.HasSuffix(r.URL.Path, ".png") {
		var width int
		fmt.Sscanf(path.Base(r.URL.Path), "%d.png", &width)
		w.Write(mediatest.PNG(width, 5))
		return
	}
	s.visits++
	if r.URL.Path == "/late" && s.visits == 1 {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprintf(w, `<title>%s, visit %d</title><meta property="og:description" content="About"><meta property="og:image" content="/%d.png">`, r.URL.Path, s.visits, s.visits)
}

func (s *changingSite) visited() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.visits
}

// skyServer is a minimal server of Bluesky.
type skyServer struct {
	mu      sync.Mutex // mu guards what follows
	uploads [][]byte
	embeds  []map[string]any // of the records, without pictures
}

func (s *skyServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	const did = "did:plc:abcdefghijklmnopqrstuvwx"
	sent, _ := io.ReadAll(r.Body)
	switch path.Base(r.URL.Path) {
	case "com.atproto.server.createSession":
		fmt.Fprintf(w, `{"did":%q,"handle":"me.example.com","accessJwt":"access","refreshJwt":"refresh"}`, did)
	case "com.atproto.repo.uploadBlob":
		s.uploads = append(s.uploads, sent)
		hash := sha256.Sum256(sent)
		cid := "b" + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(append([]byte{1, 0x55, 0x12, 0x20}, hash[:]...)))
		fmt.Fprintf(w, `{"blob":{"$type":"blob","ref":{"$link":%q},"mimeType":"image/png","size":%d}}`, cid, len(sent))
	case "com.atproto.repo.putRecord":
		var put struct {
			Rkey   string
			Record struct {
				Embed struct{ External map[string]any }
			}
		}
		json.Unmarshal(sent, &put)
		card := put.Record.Embed.External
		delete(card, "thumb")
		s.embeds = append(s.embeds, card)
		fmt.Fprintf(w, `{"uri":"at://%s/app.bsky.feed.post/%s","cid":"bafyreib"}`, did, put.Rkey)
	default:
		w.WriteHeader(http.StatusBadRequest)
		io.WriteString(w, `{"error":"RecordNotFound"}`)
	}
}

// withCards is a fixture with accounts on Bluesky, where posts need an approval.
type withCards struct {
	*reviewing
	site      *changingSite
	sky       *skyServer
	account   string
	committed <-chan struct{}
}

// onDatabasesWithCards runs a test on bolt and on PostgreSQL.
func onDatabasesWithCards(t *testing.T, test func(withCards)) {
	t.Helper()
	onStores(t, func(t *testing.T, store storage.Store) {
		site, sky := &changingSite{}, &skyServer{}
		site.Server = httptest.NewServer(site)
		server := httptest.NewServer(sky)
		t.Cleanup(site.Close)
		t.Cleanup(server.Close)
		fetcher := linkcard.New(outbound.FetchClient(outbound.AllowPrivate), nil, "test")
		f := newPictureFixture(t, store, func(c *api.Config) {
			c.Cards = fetcher
			p := bluesky.New(outbound.Client(outbound.AllowPrivate), fetcher, "test")
			c.Publishers["bluesky"] = p
		})
		w := withCards{reviewing: newReviewing(f), site: site, sky: sky}
		w.committed = w.delivering()
		w.account = w.skyAccount(server.URL, "first")
		w.policy("all")
		test(w)
	})
}

func (w withCards) skyAccount(url, name string) string {
	w.t.Helper()
	r := w.do(nil, "POST", "/social-accounts", body{"platform": "bluesky", "name": name, "credentials": body{"service_url": url, "identifier": "me.example.com", "app_password": "abcd-efgh-ijkl-mnop"}})
	return decodeAs[apiv1.AccountEnvelope](w.t, r.want(201)).SocialAccount.ID
}

// submitted creates a post and submits it in one request.
func (w withCards) submitted(by option, text string) apiv1.Post {
	w.t.Helper()
	return w.do(by, "POST", "/posts", body{"content": text, "social_account_ids": []string{w.account}, "submit": body{}, "publish_at": in(time.Hour)}).want(201).post()
}

// card returns the card of a page at a visit.
func (w withCards) card(page string, visit int) map[string]any {
	return map[string]any{"uri": w.site.URL + page, "title": fmt.Sprintf("%s, visit %d", page, visit), "description": "About"}
}

// wantCard fails the test unless reviewers see this card, and its picture.
func (w withCards) wantCard(p apiv1.Post, want map[string]any, width int) {
	w.t.Helper()
	for _, shown := range []apiv1.Post{p, w.get(p.ID)} {
		var got map[string]any
		if c := shown.Approval.Card; c != nil {
			got = map[string]any{"uri": c.URL, "title": c.Title, "description": c.Description}
			if len(shown.MediaAssets) != 1 || c.Image == nil || *c.Image != shown.MediaAssets[0].ID || *shown.MediaAssets[0].Width != width {
				w.t.Errorf("the card is %+v, and the files are %+v", c, shown.MediaAssets)
			}
			w.do(w.approver, "GET", "/media/"+*c.Image+"/content", nil).want(200)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			w.t.Errorf("the card (-want +got):\n%s", diff)
		}
	}
}

// publish approves a post, publishes it and returns the card and the picture that the
// network got.
func (w withCards) publish(p apiv1.Post) (card map[string]any, picture []byte) {
	w.t.Helper()
	w.do(w.approver, "POST", "/posts/"+p.ID+"/approve", nil).want(200)
	return w.published(p)
}

func (w withCards) published(p apiv1.Post) (card map[string]any, picture []byte) {
	w.t.Helper()
	w.do(w.editor, "POST", "/posts/"+p.ID+"/publish-now", nil).want(202)
	w.await(w.committed, func() bool {
		target := w.get(p.ID).Targets[len(p.Targets)-1]
		if target.Error != nil {
			w.t.Fatalf("not published: %+v", target.Error)
		}
		return target.Status == schedctl.Published
	})
	w.sky.mu.Lock()
	defer w.sky.mu.Unlock()
	if len(w.sky.embeds) != 1 {
		w.t.Fatalf("%d records: %+v", len(w.sky.embeds), w.get(p.ID).Targets)
	}
	card = w.sky.embeds[0]
	if len(w.sky.uploads) > 0 {
		picture = w.sky.uploads[0]
	}
	w.sky.embeds, w.sky.uploads = nil, nil
	return card, picture
}

// wantPublished fails the test unless the network gets this card, and its picture.
func (w withCards) wantPublished(p apiv1.Post, want map[string]any, width int) {
	w.t.Helper()
	card, picture := w.publish(p)
	if diff := cmp.Diff(want, card); diff != "" {
		w.t.Errorf("published (-want +got):\n%s", diff)
	}
	if want != nil && !bytes.Equal(picture, mediatest.PNG(width, 5)) || want == nil && picture != nil {
		w.t.Errorf("published a picture of %d bytes", len(picture))
	}
}

// TestTheReviewedCardIsPublished: the page has changed since the reviewers saw it.
func TestTheReviewedCardIsPublished(t *testing.T) {
	t.Parallel()
	onDatabasesWithCards(t, func(w withCards) {
		p := w.submitted(w.author, "See "+w.site.URL+"/page")
		w.wantCard(p, w.card("/page", 1), 1)
		w.wantPublished(p, w.card("/page", 1), 1)
		if n := w.site.visited(); n != 1 {
			w.t.Errorf("%d visits", n)
		}
		draft := w.do(w.author, "POST", "/posts", body{"content": w.site.URL + "/page", "social_account_ids": []string{w.account}}).want(201).post()
		p = w.do(w.author, "POST", "/posts/"+draft.ID+"/submit", body{"proposed_at": in(time.Hour)}).want(200).post()
		w.wantCard(p, w.card("/page", 2), 2)
		// Another round: the page is fetched again.
		w.do(w.approver, "POST", "/posts/"+p.ID+"/request-changes", body{"note": "wait"}).want(200)
		p = w.do(w.author, "POST", "/posts/"+p.ID+"/submit", nil).want(200).post()
		w.wantCard(p, w.card("/page", 3), 3)
		w.wantPublished(p, w.card("/page", 3), 3)
	})
}

// TestAPageThatCannotBeFetched guards that a post is submitted without the card, and goes
// out without it, although the page exists by then.
func TestAPageThatCannotBeFetched(t *testing.T) {
	t.Parallel()
	onDatabasesWithCards(t, func(w withCards) {
		p := w.submitted(w.author, "See "+w.site.URL+"/late")
		w.wantCard(p, nil, 0)
		w.wantPublished(p, nil, 0)
		if n := w.site.visited(); n != 1 {
			w.t.Errorf("%d visits", n)
		}
		// For agents, the daemon fetches from public addresses only.
		agents := w.submitted(w.agent, "See "+w.site.URL+"/page")
		w.do(w.author, "POST", "/posts/"+agents.ID+"/withdraw", nil).want(200)
		agents = w.do(w.author, "POST", "/posts/"+agents.ID+"/submit", nil).want(200).post()
		w.wantCard(agents, nil, 0)
		if n := w.site.visited(); n != 1 {
			w.t.Errorf("%d visits for an agent", n-1)
		}
	})
}

// TestEditsChangeTheReviewedCard edits posts under review, and an approved one.
func TestEditsChangeTheReviewedCard(t *testing.T) {
	t.Parallel()
	onDatabasesWithCards(t, func(w withCards) {
		p := w.submitted(w.author, "See "+w.site.URL+"/a")
		edit := func(by option, b body) apiv1.Post {
			w.t.Helper()
			return w.do(by, "PATCH", "/posts/"+p.ID, b).want(200).post()
		}
		p = edit(w.author, body{"content": "Do see " + w.site.URL + "/a"})
		w.wantCard(p, w.card("/a", 1), 1)
		p = edit(w.author, body{"content": "See " + w.site.URL + "/b"})
		w.wantCard(p, w.card("/b", 2), 2)
		p = edit(w.author, body{"link_preview": "none"})
		w.wantCard(p, nil, 0)
		p = edit(w.author, body{"link_preview": "auto"})
		w.wantCard(p, w.card("/b", 3), 3)
		w.do(w.approver, "POST", "/posts/"+p.ID+"/approve", nil).want(200)
		p = edit(w.editor, body{"content": "See " + w.site.URL + "/c"})
		wantApproval(w.t, p, schedctl.ApprovalApproved)
		w.wantCard(p, w.card("/c", 4), 4)
		if card, picture := w.published(p); card["title"] != "/c, visit 4" || !bytes.Equal(picture, mediatest.PNG(4, 5)) || w.site.visited() != 4 {
			w.t.Errorf("published %v after %d visits", card, w.site.visited())
		}
	})
}

// TestAnotherLinkHasNoReviewedCard: the card is that of the first account.
func TestAnotherLinkHasNoReviewedCard(t *testing.T) {
	t.Parallel()
	onDatabasesWithCards(t, func(w withCards) {
		own := []body{{"social_account_id": w.account, "content": "See " + w.site.URL + "/own"}}
		ids := []string{w.mine.account, w.account}
		p := w.do(w.author, "POST", "/posts", body{"content": "See " + w.site.URL + "/all", "social_account_ids": ids, "target_overrides": own, "submit": body{}, "publish_at": in(time.Hour)}).want(201).post()
		w.wantCard(p, w.card("/own", 1), 1) // the first account fetches no cards
		w.changeStored(p.ID, func(p *schedctl.Post) {
			card := *p.Card
			card.URL = w.site.URL + "/all"
			p.ShowCard(&card)
		})
		w.wantPublished(p, nil, 0)
	})
}

// TestNoUnseenCardIsPublished: a change of the policy has submitted the post, so that no
// card was fetched for its reviewers.
func TestNoUnseenCardIsPublished(t *testing.T) {
	t.Parallel()
	onDatabasesWithCards(t, func(w withCards) {
		w.policy("off")
		post := func() apiv1.Post {
			return w.do(w.author, "POST", "/posts", body{"content": w.site.URL + "/page", "social_account_ids": []string{w.account}, "publish_at": in(time.Hour)}).want(201).post()
		}
		p := post()
		w.do(nil, "PATCH", "/workspaces/"+w.mine.workspace, body{"approvals": "all", "existing": "submit"}).want(200)
		w.wantPublished(p, nil, 0)
		w.policy("off")
		if card, _ := w.published(post()); card["title"] != "/page, visit 1" {
			w.t.Errorf("without a review, the card is %v", card)
		}
	})
}

// TestFetchesOfCardsTakeTurns guards that a workspace whose pages do not respond gets an
// error in time, and that others do not wait for it.
func TestFetchesOfCardsTakeTurns(t *testing.T) {
	t.Parallel()
	block := make(chan struct{})
	arrived := make(chan string, 100)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arrived <- r.URL.Path
		if r.URL.Path == "/slow" {
			select {
			case <-block:
			case <-r.Context().Done():
			}
		}
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<title>T</title>")
	}))
	defer site.Close()
	fetcher := linkcard.New(outbound.FetchClient(outbound.AllowPrivate), nil, "test")
	f := newFixtureOn(t, engines["memory"](t), func(c *api.Config) {
		c.Cards, c.Publishers["fake"] = fetcher, cardNetwork{&network{Fake: c.Publishers["fake"].(*network).Fake}}
	})
	submit := func(ctx context.Context, who tenant, page string) *response {
		o := func(r *http.Request) { *r = *r.WithContext(ctx) }
		return f.do(all(as(who.key), o), "POST", "/posts", body{"content": site.URL + page, "social_account_ids": []string{who.account}, "submit": body{}})
	}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for range api.MaxCardsOfWorkspace {
		wg.Go(func() { submit(ctx, f.mine, "/slow").refused(schedctl.Unavailable) })
		<-arrived
	}
	wg.Go(func() { submit(ctx, f.mine, "/next").refused(schedctl.Unavailable) })
	if p := submit(t.Context(), f.other, "/quick").want(201).post(); p.Approval.Card == nil {
		t.Error("the other workspace got no card")
	}
	if page := <-arrived; page != "/quick" {
		t.Errorf("%s was fetched", page)
	}
	cancel()
	wg.Wait()
	close(block)
	if p := submit(t.Context(), f.mine, "/page").want(201).post(); p.Approval.Card == nil {
		t.Error("the workspace got no card afterwards")
	}
}

// cardNetwork is a network whose cards schedctl has to fetch: that of a text that is a link.
type cardNetwork struct{ *network }

func (cardNetwork) CardImageRules(schedctl.Account) publish.ClassRules { return publish.ClassRules{} }

func (cardNetwork) CardLink(c publish.Content) string { return c.Text }
