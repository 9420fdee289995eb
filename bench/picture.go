package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/schedctl/schedctl/bench/child"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/media/mediatest"
)

// pictureAccounts is the number of accounts that publish pictures.
const pictureAccounts = 24

const (
	// leadFound is how long it may take until a daemon that has files finds a new post
	// to prepare.
	leadFound = 11 * time.Second

	// leadPrepared is how long the preparation of a picture may take: its upload to the
	// network.
	leadPrepared = 40 * time.Millisecond
)

// measurePictures compares how late posts with a picture of 2 MB are published with how
// late posts without one are, on accounts of a server with the Mastodon API. The
// pictures are uploaded to the network before the posts are due.
func measurePictures(ctx context.Context, b *bench, n *counts) (out []result, err error) {
	dir, err := b.newDir()
	if err != nil {
		return nil, err
	}
	var p *pictures
	err = b.withDaemon(ctx, dir, func(d *child.Daemon) error {
		p, err = newPictures(ctx, b, d)
		return err
	})
	if err != nil {
		return nil, err
	}
	err = b.withDaemon(ctx, dir, func(d *child.Daemon) error {
		p.daemon = d
		w := window{order: inTurns(b.rounds), posts: pictureAccounts / min(b.scale, 2), length: b.length(240 * time.Millisecond), gap: 50 * time.Millisecond}
		lead := leadFound + leadCreated*time.Duration(w.total()) + leadPrepared*time.Duration(w.share(subject))
		late, err := b.publish(ctx, staging{window: w, lead: lead, peer: d, prepare: func(plan *windowPlan) (*child.Daemon, func() error, error) {
			err := errors.Join(p.schedule(ctx, plan.of(subject), true), p.schedule(ctx, plan.of(control), false))
			return d, nil, err
		}}, n)
		if err != nil {
			return err
		}
		out = append(out, late.compare(0.99).row("publishing p99 with a picture of 2 MB / without it", 0, goal{atMost: 1.2}, "µs").
			detailed("medians %s and %s", formatDuration(quantile(late.of(subject), 0.5)), formatDuration(quantile(late.of(control), 0.5))).with(&late.cost))
		return nil
	})
	return out, err
}

// pictures is a daemon with accounts and a picture.
type pictures struct {
	daemon   *child.Daemon
	accounts []string
	asset    string
}

func newPictures(ctx context.Context, b *bench, d *child.Daemon) (*pictures, error) {
	p := &pictures{daemon: d}
	for i := range pictureAccounts {
		account, err := d.Connect(ctx, fmt.Sprintf(`{"platform":"mastodon","name":"bench %d","credentials":{"instance_url":%q,"access_token":"token"}}`, i, b.network.url))
		if err != nil {
			return nil, err
		}
		p.accounts = append(p.accounts, account)
	}
	u := uploads{daemon: d}
	var made apiv1.MediaEnvelope
	err := u.upload(ctx, "image/jpeg", strings.NewReader(string(mediatest.JPEG(3500, 2500))), &made)
	p.asset = made.MediaAsset.ID
	if size := made.MediaAsset.SizeBytes; err == nil && (size < 1.8e6 || size > 2.2e6) {
		err = fmt.Errorf("the picture has %d bytes", size)
	}
	return p, err
}

// upload uploads a file and decodes the response.
func (u *uploads) upload(ctx context.Context, contentType string, body io.Reader, into any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+u.daemon.Address+"/api/v1/media?file_name=file", body)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+u.daemon.Key)
	r.Header.Set("Content-Type", contentType)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusCreated {
		text, err := io.ReadAll(resp.Body)
		return errors.Join(fmt.Errorf("upload: status %d: %s", resp.StatusCode, text), err)
	}
	return json.NewDecoder(resp.Body).Decode(into)
}

// schedule creates posts, with or without the picture.
func (p *pictures) schedule(ctx context.Context, posts []numberedPost, picture bool) error {
	s := serverOf(p.daemon)
	_, err := runLoad(ctx, s, load{connections: min(32, len(posts)), count: len(posts), request: func(i int) []byte {
		body := postBody(posts[i], p.accounts[i%len(p.accounts)])
		if picture {
			body = strings.TrimSuffix(body, "}") + fmt.Sprintf(`,"media_asset_ids":[%q]}`, p.asset)
		}
		return s.post("/posts", idempotencyKey(posts[i]), body)
	}})
	return err
}

// statusLog makes a receiver a server of the Mastodon API. It records statuses as
// arrivals.
type statusLog struct {
	log     *arrivalLog
	uploads atomic.Int64
}

func (l *statusLog) register(mux *http.ServeMux) {
	mux.HandleFunc("GET /api/v1/accounts/verify_credentials", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"id":"1","username":"bench","acct":"bench"}`)
	})
	mux.HandleFunc("POST /api/v1/statuses/0/unreblog", http.NotFound)
	mux.HandleFunc("POST /api/v2/media", func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		fmt.Fprintf(w, `{"id":"%d","url":"http://example.org/file"}`, l.uploads.Add(1))
	})
	mux.HandleFunc("GET /api/v1/media/{id}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"id":%q,"url":"http://example.org/file"}`, r.PathValue("id"))
	})
	mux.HandleFunc("POST /api/v1/statuses", func(w http.ResponseWriter, r *http.Request) {
		now := time.Now()
		var body struct{ Status string }
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		l.log.mu.Lock()
		l.log.arrivals = append(l.log.arrivals, arrival{Key: body.Status, At: now})
		id := len(l.log.arrivals)
		l.log.mu.Unlock()
		fmt.Fprintf(w, `{"id":"%d","url":"http://example.org/%d"}`, id, id)
	})
}
