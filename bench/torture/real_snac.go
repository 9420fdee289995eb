package main

import (
	"context"
	"net/url"
	"path/filepath"

	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// snacServer is a snac, a server of the Mastodon API.
type snacServer struct {
	publishtest.Snac
	gate *networkGate
}

func (s *snacServer) kind() string { return "snac" }

func (s *snacServer) start(dir string) error {
	down, err := startServer("snac", filepath.Join(dir, "snac"), 1, nil, &s.Snac)
	if err != nil {
		return err
	}
	s.gate = &networkGate{name: "snac", down: down, account: mastodonAccount(s.AccessToken)}
	return s.gate.forwardTo(s.URL)
}

// read returns the files of a status.
func (s *snacServer) read(ctx context.Context, id string) ([]shownFile, error) {
	p, err := s.show(ctx, acceptedPost{id: id})
	return p.files, err
}

// show returns a status. snac does not show the text as it was written, or the root of a
// thread.
func (s *snacServer) show(ctx context.Context, accepted acceptedPost) (shownPost, error) {
	p := shownPost{id: accepted.id, text: accepted.text}
	var status struct {
		ReplyTo string                              `json:"in_reply_to_id"`
		Media   []struct{ URL, Description string } `json:"media_attachments"`
	}
	if err := getJSON(ctx, s.URL+"/api/v1/statuses/"+url.PathEscape(p.id), s.AccessToken, &status); err != nil {
		return p, err
	}
	p.parent = status.ReplyTo
	for _, m := range status.Media {
		sum, err := sumOf(ctx, m.URL)
		if err != nil {
			return p, err
		}
		p.files = append(p.files, shownFile{sum, m.Description})
	}
	return p, nil
}

// showAll returns the accepted statuses, oldest first. snac lists only the newest.
func (s *snacServer) showAll(ctx context.Context) (posts []shownPost, err error) {
	for _, accepted := range s.gate.allAccepted() {
		p, err := s.show(ctx, accepted)
		if err != nil {
			return nil, err
		}
		posts = append(posts, p)
	}
	return posts, nil
}
