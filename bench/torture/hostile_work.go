package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/schedctl/schedctl/bench/child"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
)

// tenant is the owner of a workspace.
type tenant struct {
	world *hostileWorld
	key   string
}

// call sends a request of the API.
func (t tenant) call(ctx context.Context, method, path string, body, into any) error {
	text := ""
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return err
		}
		text = string(b)
	}
	resp, err := t.world.daemon().Do(ctx, child.Request{Method: method, Path: path, Body: text, Key: t.key})
	switch {
	case err != nil:
		return err
	case resp.Status > 299:
		return &child.StatusError{Request: method + " " + path, Status: resp.Status, Body: string(resp.Body)}
	case into == nil:
		return nil
	}
	return json.Unmarshal(resp.Body, into)
}

// connect adds an account without pacing and returns its id.
func (t tenant) connect(ctx context.Context, account apiv1.AddAccount) (string, error) {
	var made apiv1.AccountEnvelope
	err := t.call(ctx, http.MethodPost, "/social-accounts", account, &made)
	return made.SocialAccount.ID, err
}

// upload uploads a file and returns its id.
func (t tenant) upload(ctx context.Context, data []byte) (string, error) {
	d := t.world.daemon()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+d.Address+"/api/v1/media?file_name=x", bytes.NewReader(data))
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Bearer "+t.key)
	req.Header.Set("Content-Type", "application/octet-stream")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return "", err
	}
	if resp.StatusCode > 299 {
		return "", &child.StatusError{Request: "POST /media", Status: resp.StatusCode, Body: string(body)}
	}
	var made apiv1.MediaEnvelope
	err = json.Unmarshal(body, &made)
	return made.MediaAsset.ID, err
}

// post publishes a post now.
func (t tenant) post(ctx context.Context, body apiv1.CreatePost) error {
	body.PublishAt = apiv1.Now()
	return t.call(ctx, http.MethodPost, "/posts", body, nil)
}

// hostileCounts counts the requests of the hostile workspace.
type hostileCounts struct{ requests, refused atomic.Int64 }

// count judges the outcome of a request of the hostile workspace. It may be refused in any
// way, but must not be an error of the daemon. The daemon may be restarted at any time.
func (w *hostileWorld) count(err error) {
	w.requests.Add(1)
	if refused := (*child.StatusError)(nil); errors.As(err, &refused) {
		w.refused.Add(1)
		if refused.Status == http.StatusInternalServerError {
			w.judged.violation(wrongStatus, "%s", refused)
		}
	}
}

// attack works for the hostile workspace until it is stopped.
func (w *hostileWorld) attack(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	started := make(chan struct{})
	work := func(step func(ctx context.Context, n int)) {
		wg.Go(func() {
			<-started
			for n := 0; ctx.Err() == nil; n++ {
				step(ctx, n)
			}
		})
	}
	accounts := w.connectHostile(ctx)
	work(func(ctx context.Context, n int) { w.publishWorst(ctx, accounts, n, false) })
	work(func(ctx context.Context, n int) { w.publishWorst(ctx, accounts, n, true) })
	work(func(ctx context.Context, n int) { w.linkWorst(ctx, accounts["bluesky"], n) })
	for range 2 {
		work(w.readFeeds)
	}
	close(started)
	return func() {
		cancel()
		wg.Wait()
	}
}

// connectHostile makes the accounts and a calendar of the hostile workspace.
func (w *hostileWorld) connectHostile(ctx context.Context) map[string]string {
	accounts := map[string]string{}
	for name, account := range map[string]apiv1.AddAccount{
		"feed":     {Platform: "feed", Name: "hostile"},
		"mastodon": w.network.mastodon("hostile"),
		"bluesky":  w.network.bluesky("hostile"),
	} {
		id, err := w.hostile.connect(ctx, account)
		if err != nil {
			w.judged.violation(wrongStatus, "the hostile workspace cannot connect %s: %s", name, err)
		}
		accounts[name] = id
	}
	var made apiv1.CalendarFeedAddress
	if err := w.hostile.call(ctx, http.MethodPost, "/calendar-feeds", apiv1.CreateCalendarFeed{Name: "all"}, &made); err != nil {
		w.judged.violation(wrongStatus, "the hostile workspace cannot make a calendar feed: %s", err)
	}
	if u, err := url.Parse(made.URL); err == nil {
		w.calendar = u.Path
	}
	return accounts
}

// publishWorst uploads a file, and publishes it if it was accepted. Pictures that are
// converted go to a network that takes 16 megapixels.
func (w *hostileWorld) publishWorst(ctx context.Context, accounts map[string]string, n int, converted bool) {
	file := w.files[n%len(w.files)]
	if still := strings.HasPrefix(file.MIMEType, "image/"); converted && (!still || !w.awaitShortQueue(ctx)) {
		return
	}
	id, err := w.hostile.upload(ctx, w.bytesOf(file))
	if w.count(err); err != nil {
		return
	}
	account := accounts["feed"]
	if converted {
		account = accounts["mastodon"]
	}
	w.count(w.hostile.post(ctx, apiv1.CreatePost{
		Content: fmt.Sprintf("%s %d %t", file.Name, n, converted), SocialAccountIDs: []string{account}, Media: []apiv1.PostMedia{{ID: id}},
	}))
}

// awaitShortQueue waits until fewer than hostileQueue posts of the hostile workspace wait for
// their conversion. The posts of an account are published one after another, so a longer
// queue would take more than hostileRestart without any fault. It reports whether ctx lasts.
func (w *hostileWorld) awaitShortQueue(ctx context.Context) bool {
	for ctx.Err() == nil {
		var page apiv1.PostList
		err := w.hostile.call(ctx, http.MethodGet, fmt.Sprintf("/posts?status=publishing&limit=%d", hostileQueue), nil, &page)
		if err == nil && page.Count < hostileQueue {
			return true
		}
		sleep(ctx, 50*time.Millisecond)
	}
	return false
}

// bytesOf returns a worst file, which it makes once.
func (w *hostileWorld) bytesOf(file mediatest.Worst) []byte {
	name := file.MIMEType + file.Name
	w.madeMu.Lock()
	defer w.madeMu.Unlock()
	if w.made[name] == nil {
		w.made[name] = file.Make(w.size)
	}
	return w.made[name]
}

// linkWorst publishes a link to a page with a worst picture.
func (w *hostileWorld) linkWorst(ctx context.Context, account string, n int) {
	if !w.awaitShortQueue(ctx) {
		return
	}
	w.count(w.hostile.post(ctx, apiv1.CreatePost{
		Content: fmt.Sprintf("link %d %s", n, w.network.page(n)), SocialAccountIDs: []string{account},
	}))
	sleep(ctx, 200*time.Millisecond)
}

var mediaAddress = regexp.MustCompile(`/(?:feeds/[^"\\/]*/)?media/[^"\\]+`)

// readFeeds reads the feed, its files in several ways, and the calendar, without a key.
func (w *hostileWorld) readFeeds(ctx context.Context, n int) {
	feed, err := w.get(ctx, http.MethodGet, "/feeds/hostile.json", "")
	w.count(err)
	addresses := mediaAddress.FindAllString(string(feed), -1)
	for i, address := range addresses[:min(len(addresses), 20)] {
		method, span := http.MethodGet, "bytes=0-0"
		switch (n + i) % 4 {
		case 1:
			span = "bytes=-1"
		case 2:
			method, span = http.MethodHead, ""
		case 3:
			span = ""
		}
		_, err := w.get(ctx, method, address, span)
		w.count(err)
	}
	_, err = w.get(ctx, http.MethodGet, w.calendar, "")
	w.count(err)
	sleep(ctx, 10*time.Millisecond)
}

// get reads an address without a key.
func (w *hostileWorld) get(ctx context.Context, method, path, span string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://"+w.daemon().Address+path, strings.NewReader(""))
	if err != nil {
		return nil, err
	}
	if span != "" {
		req.Header.Set("Range", span)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if resp.StatusCode > 299 {
		return nil, &child.StatusError{Request: method + " " + path, Status: resp.StatusCode, Body: string(body)}
	}
	return body, err
}
