package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/bench/child"
	"github.com/schedctl/schedctl/client/apiv1"
)

// gatedClient is a client of the daemon that posts to one network. It retries each
// request until it gets a final response. It is for one goroutine.
type gatedClient struct {
	world  *world
	gate   *networkGate
	random *rand.Rand
	posts  int
	files  int
	shared string // the account of a network that recognizes repeats
}

func (g *gatedWorld) newClient(gate *networkGate, random *rand.Rand) *gatedClient {
	return &gatedClient{world: g.world, gate: gate, random: random}
}

// connect returns an account. On a network that is asked about interrupted calls, n
// stands for an account of its own: an unresolved attempt delays its account by a minute.
func (c *gatedClient) connect(ctx context.Context, n int) (string, error) {
	if c.shared != "" {
		return c.shared, nil
	}
	account := c.gate.account(c.gate.url, n)
	account.Name = fmt.Sprintf("%s %d", c.gate.name, n)
	options := map[string]any{"pacing": "0s"}
	maps.Copy(options, account.Options)
	account.Options = options
	var made apiv1.AccountEnvelope
	err := c.sendJSON(ctx, "/social-accounts", account, fmt.Sprintf("%s-account-%d", c.gate.name, n), &made)
	if c.gate.retries {
		c.shared = made.SocialAccount.ID
	}
	return made.SocialAccount.ID, err
}

// create creates a post and returns its id. If its time passes while the daemon is not
// running, it is published at once.
func (c *gatedClient) create(ctx context.Context, body apiv1.CreatePost) (string, error) {
	c.posts++
	key := fmt.Sprintf("%s-post-%d", c.gate.name, c.posts)
	var made apiv1.PostEnvelope
	err := c.sendJSON(ctx, "/posts", body, key, &made)
	if refused := (*child.StatusError)(nil); errors.As(err, &refused) && strings.Contains(refused.Body, string(schedctl.InvalidPublishAt)) {
		body.PublishAt = apiv1.Now()
		err = c.sendJSON(ctx, "/posts", body, key+"-now", &made)
	}
	return made.Post.ID, err
}

// upload uploads a new picture and returns it for a post.
func (c *gatedClient) upload(ctx context.Context, alt string) (apiv1.PostMedia, shownFile, error) {
	c.files++
	picture := newPicture(c.random)
	sum := sha256.Sum256(picture)
	query := url.Values{"file_name": {fmt.Sprintf("picture-%d.png", c.files)}}
	var made apiv1.MediaEnvelope
	err := c.send(ctx, "/media?"+query.Encode(), "image/png", picture, "", &made)
	return apiv1.PostMedia{ID: made.MediaAsset.ID, AltText: &alt}, shownFile{sha256: hex.EncodeToString(sum[:]), alt: alt}, err
}

// newPicture returns a PNG of random colors.
func newPicture(random *rand.Rand) []byte {
	m := image.NewNRGBA(image.Rect(0, 0, 32, 24))
	for x := range 32 {
		c := color.NRGBA{uint8(random.UintN(256)), uint8(random.UintN(256)), uint8(random.UintN(256)), 255}
		draw.Draw(m, image.Rect(x, 0, x+1, 24), image.NewUniform(c), image.Point{}, draw.Src)
	}
	var out bytes.Buffer
	png.Encode(&out, m) // cannot fail
	return out.Bytes()
}

// pauseBetween waits before the next post, and returns an error if the client has written enough.
func pauseBetween(ctx context.Context, enough <-chan struct{}, pause time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-enough:
		return context.Canceled
	case <-time.After(pause):
		return nil
	}
}

func (c *gatedClient) sendJSON(ctx context.Context, path string, body any, key string, into any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return c.send(ctx, path, "application/json", text, key, into)
}

// send sends a request until it gets a final response, through any number of restarts.
func (c *gatedClient) send(ctx context.Context, path, contentType string, body []byte, key string, into any) error {
	ctx, cancel := context.WithTimeout(ctx, retryLimit)
	defer cancel()
	for {
		status, response, err := c.sendOnce(ctx, path, contentType, body, key)
		switch {
		case err == nil && status < 300:
			return json.Unmarshal(response, into)
		case err == nil && status < 500 && status != http.StatusTooManyRequests && status != http.StatusConflict:
			return &child.StatusError{Request: "POST " + path, Status: status, Body: string(response)}
		}
		if waited := sleep(ctx, 10*time.Millisecond); waited != nil {
			return fmt.Errorf("POST %s: no response: %d %s %w", path, status, response, err)
		}
	}
}

func (c *gatedClient) sendOnce(ctx context.Context, path, contentType string, body []byte, key string) (int, []byte, error) {
	d := c.world.daemon()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+d.Address+"/api/v1"+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Authorization", "Bearer "+d.Key)
	r.Header.Set("Content-Type", contentType)
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp.StatusCode, text, err
}
