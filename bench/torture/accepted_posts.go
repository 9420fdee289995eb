package main

import (
	"cmp"
	"encoding/json"
	"slices"
)

// acceptedPosts are the posts that a network has accepted, in this order. It reads the
// APIs of Mastodon and Bluesky. A network that recognizes a repeat returns the same id.
type acceptedPosts []acceptedPost

type acceptedPost struct{ id, text string }

// add adds the post of a request that the network has accepted.
func (a *acceptedPosts) add(request, response []byte) {
	var sent struct {
		Status string
		Record struct{ Text string }
	}
	var got struct{ ID, URI string }
	json.Unmarshal(request, &sent)
	json.Unmarshal(response, &got)
	p := acceptedPost{id: cmp.Or(got.ID, got.URI), text: cmp.Or(sent.Status, sent.Record.Text)}
	if p.id != "" && !slices.Contains(*a, p) {
		*a = append(*a, p)
	}
}

// acceptedWith returns the ids of the accepted posts with a text.
func (g *networkGate) acceptedWith(text string) (ids []string) {
	for _, p := range g.allAccepted() {
		if p.text == text {
			ids = append(ids, p.id)
		}
	}
	return ids
}

// allAccepted returns the accepted posts.
func (g *networkGate) allAccepted() acceptedPosts {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.accepted)
}
