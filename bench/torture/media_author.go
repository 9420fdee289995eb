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
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/bench/child"
	"github.com/schedctl/schedctl/client/apiv1"
)

// mediaStory is an acknowledged post with pictures for one account.
type mediaStory struct {
	gate  *runningGate
	post  string
	text  string
	files []shownFile
}

// mediaAuthor uploads pictures and posts them to one network. It retries each request
// until it gets a final response. It is for one goroutine.
type mediaAuthor struct {
	world  *mediaWorld
	gate   *runningGate
	random *rand.Rand
	posts  int
	files  int
	shared string // the account of a network that recognizes repeats
}

// work posts until enough is closed, and finishes the current post.
func (a *mediaAuthor) work(ctx context.Context, enough <-chan struct{}) error {
	for {
		select {
		case <-enough:
			return nil
		default:
		}
		if err := a.writePost(ctx); err != nil {
			return err
		}
		if err := a.rest(ctx, enough); err != nil {
			return nil
		}
	}
}

// rest waits before the next post. snac lists only the newest statuses of a user: if too
// many follow a request whose outcome is unknown, the outcome stays unknown.
func (a *mediaAuthor) rest(ctx context.Context, enough <-chan struct{}) error {
	pause := time.Duration(100+a.random.IntN(300)) * time.Millisecond
	if a.gate.listed > 0 && a.posts >= a.gate.listed {
		pause = 8 * time.Second
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-enough:
		return nil
	case <-time.After(pause):
		return nil
	}
}

// writePost creates one post with pictures that no other post has.
func (a *mediaAuthor) writePost(ctx context.Context) error {
	a.posts++
	account, err := a.connect(ctx)
	if err != nil {
		return err
	}
	s := &mediaStory{gate: a.gate, text: fmt.Sprintf("Post %d with pictures for %s", a.posts, a.gate.name)}
	body := apiv1.CreatePost{Content: s.text, SocialAccountIDs: []string{account}, PublishAt: apiv1.Now()}
	if a.random.IntN(2) == 0 {
		body.PublishAt = apiv1.At(time.Now().Add(time.Duration(200+a.random.IntN(1500)) * time.Millisecond))
	}
	for range 1 + a.random.IntN(4) {
		asset, file, err := a.upload(ctx)
		if err != nil {
			return err
		}
		s.files = append(s.files, file)
		body.Media = append(body.Media, apiv1.PostMedia{ID: asset, AltText: &file.alt})
	}
	var made apiv1.PostEnvelope
	err = a.sendJSON(ctx, "/posts", body, fmt.Sprintf("%s-post-%d", a.gate.name, a.posts), &made)
	if refused := (*child.StatusError)(nil); errors.As(err, &refused) && strings.Contains(refused.Body, string(schedctl.InvalidPublishAt)) {
		body.PublishAt = apiv1.Now() // the daemon was not running at the time of the post
		err = a.sendJSON(ctx, "/posts", body, fmt.Sprintf("%s-post-%d-now", a.gate.name, a.posts), &made)
	}
	if err != nil {
		return err
	}
	s.post = made.Post.ID
	a.world.storyMu.Lock()
	defer a.world.storyMu.Unlock()
	a.world.stories = append(a.world.stories, s)
	return nil
}

// connect returns an account. On a network that is asked about interrupted calls, each
// post has its own account: an unresolved attempt delays its account by a minute.
func (a *mediaAuthor) connect(ctx context.Context) (string, error) {
	if a.shared != "" {
		return a.shared, nil
	}
	account := a.gate.account(a.gate.url)
	account.Name, account.Options = fmt.Sprintf("%s %d", a.gate.name, a.posts), map[string]any{"pacing": "0s"}
	var made apiv1.AccountEnvelope
	err := a.sendJSON(ctx, "/social-accounts", account, fmt.Sprintf("%s-account-%d", a.gate.name, a.posts), &made)
	if a.gate.retries {
		a.shared = made.SocialAccount.ID
	}
	return made.SocialAccount.ID, err
}

// upload uploads a new picture and returns the id of its asset.
func (a *mediaAuthor) upload(ctx context.Context) (id string, f shownFile, err error) {
	a.files++
	picture := newPicture(a.random)
	sum := sha256.Sum256(picture)
	f = shownFile{sha256: hex.EncodeToString(sum[:]), alt: fmt.Sprintf("picture %d of post %d", a.files, a.posts)}
	query := url.Values{"file_name": {fmt.Sprintf("picture-%d.png", a.files)}}
	var made apiv1.MediaEnvelope
	err = a.send(ctx, "/media?"+query.Encode(), "image/png", picture, "", &made)
	return made.MediaAsset.ID, f, err
}

// postOfAlt returns the part of an alt text that says to which post the picture belongs.
func postOfAlt(alt string) string {
	_, post, _ := strings.Cut(alt, " of ")
	return post
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

func (a *mediaAuthor) sendJSON(ctx context.Context, path string, body any, key string, into any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return a.send(ctx, path, "application/json", text, key, into)
}

// send sends a request until it gets a final response, through any number of restarts.
func (a *mediaAuthor) send(ctx context.Context, path, contentType string, body []byte, key string, into any) error {
	ctx, cancel := context.WithTimeout(ctx, retryLimit)
	defer cancel()
	for {
		status, response, err := a.sendOnce(ctx, path, contentType, body, key)
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

func (a *mediaAuthor) sendOnce(ctx context.Context, path, contentType string, body []byte, key string) (int, []byte, error) {
	d := a.world.daemon()
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
