package daemon_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest/networks"
	"github.com/schedctl/schedctl/storage"
)

// TestNoURLLeadsInside guards that no URL or host makes the daemon connect to an address
// that is not public, no matter where it is configured and how its name resolves. In the
// test network, every address leads to a listener that counts connections. The test also
// checks that this listener is reached when private networks are allowed.
func TestNoURLLeadsInside(t *testing.T) {
	t.Parallel()
	if !insideNamespace(t) {
		return
	}
	i := newInternet(t)
	var urls []string
	for n, host := range insideHosts {
		urls = append(urls, []string{"http://" + host, "http://" + host + ":7070", "https://" + host}[n%3])
	}
	t.Logf("%d hosts, %d other URLs", len(insideHosts), len(insideURLs))
	all := slices.Concat(urls, insideURLs)
	t.Run("given", func(t *testing.T) { i.tryGiven(t, all) })
	t.Run("stored", func(t *testing.T) { i.tryStored(t, all) })
	t.Run("redirected", i.tryRedirects)
	t.Run("rebound", i.tryRebinding)
	t.Run("allowed", i.tryAllowed)
}

// addressed returns credentials for accounts at a URL, by the names of the accounts.
func addressed(url string) map[string]networks.Account {
	accounts := map[string]networks.Account{}
	for _, a := range networks.Accounts() {
		if a.Credentials = a.At(url); a.Credentials != nil {
			accounts[a.Name] = a
		}
	}
	return accounts
}

func public(c *daemon.Config)  { c.Outbound = outbound.PublicOnly }
func private(c *daemon.Config) { c.Outbound = outbound.AllowPrivate }

// send makes a request with a JSON body.
func (r *running) send(method, path string, body any, into any) int {
	r.t.Helper()
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			r.t.Fatal(err)
		}
	}
	status, _ := r.do(method, "/api/v1"+path, string(text), into)
	return status
}

// noneInside fails the test after a connection to an inside address.
func (i *internet) noneInside(t *testing.T) (public int) {
	t.Helper()
	inside, public := i.count()
	for address, n := range inside {
		t.Errorf("%d connections to %s", n, address)
	}
	return public
}

// tryGiven gives every URL to every route that takes one.
func (i *internet) tryGiven(t *testing.T, urls []string) {
	r := start(t, public)
	var hook apiv1.WebhookSecret
	if status := r.send("POST", "/webhooks", apiv1.CreateWebhook{URL: "http://public.test/", EventTypes: []schedctl.EventType{schedctl.EventPostPublished}}, &hook); status != http.StatusCreated {
		t.Fatalf("a public webhook: %d", status)
	}
	accounts := r.stored("http://public.test", "given")
	taken := 0
	for n, url := range urls {
		if r.send("PATCH", "/webhooks/"+hook.Webhook.ID, map[string]any{"url": url + "/hook"}, nil) == http.StatusOK {
			taken++
			r.send("POST", "/webhooks/"+hook.Webhook.ID+"/test", nil, nil)
		}
		var sender apiv1.NotificationEnvelope
		mail := apiv1.EmailSettings{Host: mailHost(url), Port: new(7070), From: "a@example.org", To: []string{"b@example.org"}}
		if r.send("POST", "/notifications", apiv1.CreateNotification{Email: &mail}, &sender) == http.StatusCreated {
			taken++
			r.send("POST", "/notifications/"+sender.Notification.ID+"/test", nil, nil)
			r.send("DELETE", "/notifications/"+sender.Notification.ID, nil, nil)
		}
		for account, a := range addressed(url) {
			var added apiv1.AccountEnvelope
			name := fmt.Sprintf("%s %d", account, n)
			if r.send("POST", "/social-accounts", apiv1.AddAccount{Platform: a.Platform, Name: name, Credentials: a.Credentials}, &added) == http.StatusCreated {
				taken++
				r.send("POST", "/posts", map[string]any{"content": name, "social_account_ids": []string{added.SocialAccount.ID}, "publish_at": "now"}, nil)
			}
			r.send("PATCH", "/social-accounts/"+accounts[account], map[string]any{"credentials": a.Credentials}, nil)
		}
	}
	r.settled()
	t.Logf("%d times an URL was taken, as its name could lead anywhere", taken)
	i.noneInside(t)
}

// stored stores an account of each platform at the URL, as if it had been connected while
// the URL was allowed.
func (r *running) stored(url, name string) map[string]string {
	r.t.Helper()
	ids := map[string]string{}
	err := r.cfg.Store.Update(r.t.Context(), func(tx storage.Tx) error {
		workspaces, err := tx.Workspaces()
		if err != nil {
			return err
		}
		now := schedctl.Millis(time.Now())
		for account, at := range addressed(url) {
			plain, err := json.Marshal(at.StoredAt(url))
			if err != nil {
				return err
			}
			a := schedctl.Account{
				ID: schedctl.NewID(schedctl.AccountPrefix, now), WorkspaceID: workspaces[0].ID, Platform: at.Platform,
				Name: name + " " + account, Status: schedctl.AccountConnected, CreatedAt: now, UpdatedAt: now,
			}
			a.Credentials = r.cfg.Sealer.Seal(plain, a.ID)
			if err := tx.PutAccount(a); err != nil {
				return err
			}
			ids[account] = a.ID
		}
		return nil
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return ids
}

// tryStored uses stored accounts, webhooks and mail servers with every URL.
func (i *internet) tryStored(t *testing.T, urls []string) {
	r := start(t, public)
	for n, url := range urls {
		r.useAll(url, fmt.Sprint(n))
	}
	r.settled()
	if public := i.noneInside(t); public > 0 {
		t.Errorf("%d connections to public addresses, which nothing leads to", public)
	}
}

// useAll stores accounts, a webhook and a mail server at the URL, and uses them.
func (r *running) useAll(url, name string) {
	r.t.Helper()
	for _, id := range r.stored(url, name+" verified") {
		r.send("POST", "/social-accounts/"+id+"/verify", nil, nil)
	}
	accounts := r.stored(url, name)
	maps.DeleteFunc(accounts, func(account, _ string) bool { return networks.Named(account).Pictures })
	to := slices.Collect(maps.Values(accounts))
	post := map[string]any{"content": fmt.Sprintf("%s %q", name, url), "social_account_ids": to, "publish_at": "now", "allow_duplicate": true}
	if status := r.send("POST", "/posts", post, nil); status != http.StatusCreated {
		r.t.Errorf("post to all accounts at %q: %d", url, status)
	}
	r.storedWebhook(url)
	r.storedMail(mailHost(url))
}

// mailHost returns the host of a URL. A text that is not a URL is returned as it is.
func mailHost(text string) string {
	if u, err := url.Parse(text); err == nil && u.Hostname() != "" {
		return u.Hostname()
	}
	return text
}

// storedMail puts a notification with this mail server into the store, and tests it.
// The listener does not speak TLS there, so every connection fails at once.
func (r *running) storedMail(host string) {
	r.t.Helper()
	w := r.putWebhook(func(w *schedctl.Webhook) {
		w.Notify = &schedctl.Notify{Mail: &schedctl.Mail{Host: host, Port: 7070, From: "a@example.org", To: []string{"b@example.org"}, TLS: schedctl.MailImplicit}}
	})
	var result apiv1.NotificationTest
	if status := r.send("POST", "/notifications/"+schedctl.NotificationID(w.ID)+"/test", nil, &result); status != http.StatusOK || result.Sent {
		r.t.Errorf("test of e-mail by %q: %d, %+v", host, status, result)
	}
}

// storedWebhook puts a webhook with the URL into the store, and tests it.
func (r *running) storedWebhook(url string) {
	r.t.Helper()
	w := r.putWebhook(func(w *schedctl.Webhook) {
		w.URL = url
		w.Secret = r.cfg.Sealer.Seal([]byte("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), w.ID)
	})
	if status := r.send("POST", "/webhooks/"+w.ID+"/test", nil, nil); status != http.StatusAccepted {
		r.t.Errorf("test of a webhook: %d", status)
	}
	r.await("the test of the webhook at "+url, func() bool {
		var deliveries apiv1.DeliveryList
		r.send("GET", "/webhooks/"+w.ID+"/deliveries", nil, &deliveries)
		return len(deliveries.Results) == 1 && deliveries.Results[0].Attempt > 0
	})
}

// putWebhook stores an enabled webhook record that change completes.
func (r *running) putWebhook(change func(*schedctl.Webhook)) (w schedctl.Webhook) {
	r.t.Helper()
	err := r.cfg.Store.Update(r.t.Context(), func(tx storage.Tx) error {
		workspaces, err := tx.Workspaces()
		if err != nil {
			return err
		}
		now := schedctl.Millis(time.Now())
		w = schedctl.Webhook{
			ID: schedctl.NewID(schedctl.WebhookPrefix, now), WorkspaceID: workspaces[0].ID, Enabled: true,
			EventTypes: []schedctl.EventType{schedctl.EventPostCanceled}, CreatedAt: now, UpdatedAt: now, Cursor: schedctl.NewID(schedctl.EventPrefix, now),
		}
		change(&w)
		return tx.PutWebhook(w)
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return w
}

// settled waits until every target was attempted or failed, and stops the daemon.
func (r *running) settled() {
	r.t.Helper()
	r.await("all posts to be tried", func() bool {
		var page apiv1.PostList
		for cursor := ""; ; cursor = "&cursor=" + *page.NextCursor {
			page = apiv1.PostList{}
			r.send("GET", "/posts?limit=100&status=publishing"+cursor, nil, &page)
			for _, p := range page.Results {
				for _, target := range p.Targets {
					if target.Attempts == 0 {
						return false
					}
				}
			}
			if page.NextCursor == nil {
				return true
			}
		}
	})
	r.end() // which lets calls end
}

// tryRedirects uses networks on a public site that redirects to loopback.
func (i *internet) tryRedirects(t *testing.T) {
	r := start(t, public)
	for _, status := range redirects {
		for _, scheme := range []string{"https", "http"} {
			url := fmt.Sprintf("%s://%d.redirect.test", scheme, status)
			for name, a := range addressed(url) {
				r.send("POST", "/social-accounts", apiv1.AddAccount{Platform: a.Platform, Name: name + url, Credentials: a.Credentials}, nil)
			}
			r.useAll(url, url)
		}
	}
	r.settled()
	i.noneInside(t)
	// Over TLS, each account and a webhook get at least one request. Without TLS, an
	// account and a webhook do.
	if n := i.redirected.Load(); n < int64(len(redirects)*(len(addressed(""))+1+1+1)) {
		t.Errorf("%d requests reached the site that redirects, which is fewer than were to be redirected", n)
	}
}

// tryRebinding publishes to names that resolve to a public address first and to an inside
// address later, and to names with both.
func (i *internet) tryRebinding(t *testing.T) {
	r := start(t, public)
	before := i.taken.Load()
	for _, host := range []string{"both.test", "rebound.test", "turning.test"} {
		for round := range 5 {
			r.useAll("https://"+host, fmt.Sprint(host, round))
		}
	}
	r.settled()
	i.noneInside(t)
	// Each call to both.test finds the public address: in a round at least one of each
	// account, and that of a webhook.
	if n := i.taken.Load() - before; n < 5*int64(len(addressed(""))+1) {
		t.Errorf("%d requests reached the public address, want one for each call that found it", n)
	}
}

// tryAllowed checks the test network itself: public addresses are reachable, and private
// ones are when they are allowed.
func (i *internet) tryAllowed(t *testing.T) {
	for name, test := range map[string]struct {
		policy func(*daemon.Config)
		hosts  []string
	}{
		"public":  {public, []string{"public.test", "93.184.216.34", "[2606:2800:220:1:248:1893:25c8:1946]", "public-six.test"}},
		"private": {private, []string{"127.0.0.1", "localhost", "[::1]", "10.0.0.1", "192.168.0.1", "172.16.0.1", "100.64.0.1", "169.254.169.254", "168.63.129.16", "[fd12:3456:789a::1]", "[::ffff:10.0.0.1]", "inside.test", "six.test", "0x7f.1", "１２７.0.0.1", "public.test"}},
	} {
		r := start(t, test.policy)
		i.count()
		for _, host := range test.hosts {
			var a apiv1.AccountEnvelope
			credentials := map[string]string{"url": "http://" + host + ":7070/hook"}
			if status := r.send("POST", "/social-accounts", apiv1.AddAccount{Platform: "http", Name: host, Credentials: credentials}, &a); status != http.StatusCreated {
				t.Errorf("%s: %s: %d", name, host, status)
				continue
			}
			r.send("POST", "/posts", map[string]any{"content": host, "social_account_ids": []string{a.SocialAccount.ID}, "publish_at": "now"}, nil)
			r.storedWebhook("http://" + host)
		}
		r.await("all posts to be published", func() bool {
			var published apiv1.PostList
			r.send("GET", "/posts?limit=100&status=published", nil, &published)
			return len(published.Results) == len(test.hosts)
		})
		inside, public := i.count()
		if reached := len(inside) + public; reached < len(test.hosts)/2 {
			t.Errorf("%s: only %d places were reached: %v", name, reached, inside)
		}
		if name == "private" && inside[netip.MustParseAddr("127.0.0.1")] == 0 {
			t.Error("the listener does not count")
		}
		i.count()
		r.storedMail("127.0.0.1")
		if inside, _ := i.count(); name == "private" && len(inside) == 0 {
			t.Error("the connection to a mail server does not count")
		}
		r.end()
	}
}

// Error messages for refused addresses name the cause and how to allow them.
func TestRefusedAddressSaysWhatToDo(t *testing.T) {
	t.Parallel()
	r := start(t, public)
	defer r.end()
	for _, body := range []string{
		`{"platform":"http","name":"x","credentials":{"url":"http://127.0.0.1/k3y"}}`,
		`{"platform":"mastodon","name":"x","credentials":{"instance_url":"http://10.0.0.1","access_token":"k3y"}}`,
	} {
		status, said := r.do("POST", "/api/v1/social-accounts", body, nil)
		if status != http.StatusBadRequest || !strings.Contains(said, "--allow-private-networks") || strings.Contains(said, "k3y") {
			t.Errorf("%d %s", status, said)
		}
	}
}
