package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/schedctl/schedctl/client/apiv1"
)

// mediaStory is an acknowledged post with pictures for one account.
type mediaStory struct {
	server *mediaServer
	post   string
	text   string
	files  []shownFile
}

// mediaAuthor uploads pictures and posts them to one network. It is for one goroutine.
type mediaAuthor struct {
	*gatedClient
	world  *mediaWorld
	server *mediaServer
}

// snacListed is how many statuses of a user snac lists, less some. If more follow a
// request whose outcome is unknown, the outcome stays unknown.
const snacListed = 12

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
		pause := time.Duration(100+a.random.IntN(300)) * time.Millisecond
		if a.gate.name == "snac" && a.posts >= snacListed {
			pause = 8 * time.Second
		}
		if pauseBetween(ctx, enough, pause) != nil {
			return nil
		}
	}
}

// writePost creates one post with pictures that no other post has.
func (a *mediaAuthor) writePost(ctx context.Context) error {
	n := a.posts + 1
	account, err := a.connect(ctx, n)
	if err != nil {
		return err
	}
	s := &mediaStory{server: a.server, text: fmt.Sprintf("Post %d with pictures for %s", n, a.gate.name)}
	body := apiv1.CreatePost{Content: s.text, SocialAccountIDs: []string{account}, PublishAt: apiv1.Now()}
	if a.random.IntN(2) == 0 {
		body.PublishAt = apiv1.At(time.Now().Add(time.Duration(200+a.random.IntN(1500)) * time.Millisecond))
	}
	for range 1 + a.random.IntN(4) {
		media, file, err := a.upload(ctx, fmt.Sprintf("picture %d of post %d", a.files+1, n))
		if err != nil {
			return err
		}
		s.files, body.Media = append(s.files, file), append(body.Media, media)
	}
	if s.post, err = a.create(ctx, body); err != nil {
		return err
	}
	a.world.storyMu.Lock()
	defer a.world.storyMu.Unlock()
	a.world.stories = append(a.world.stories, s)
	return nil
}

// postOfAlt returns the part of an alt text that says to which post the picture belongs.
func postOfAlt(alt string) string {
	_, post, _ := strings.Cut(alt, " of ")
	return post
}
