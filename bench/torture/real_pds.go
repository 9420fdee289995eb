package main

import (
	"context"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// pdsServer is a personal data server of Bluesky.
type pdsServer struct {
	publishtest.PDS
	gate *networkGate
}

func (s *pdsServer) kind() string { return "pds" }

func (s *pdsServer) start(dir string) error {
	down, err := startServer("pds", filepath.Join(dir, "pds"), 2, []string{"ACCESS_TTL="}, &s.PDS)
	if err != nil {
		return err
	}
	s.gate = &networkGate{name: "pds", down: down, retries: true, account: func(url string, _ int) apiv1.AddAccount {
		return apiv1.AddAccount{Platform: "bluesky", Credentials: map[string]string{
			"service_url": url, "identifier": s.Handle, "app_password": s.AppPassword,
		}}
	}}
	return s.gate.forwardTo(s.URL)
}

const pdsPosts = "app.bsky.feed.post"

// pdsRecord is a post that the server stores.
type pdsRecord struct {
	URI   string
	Value struct {
		Text  string
		Reply struct{ Root, Parent struct{ URI string } }
		Embed struct {
			Images []struct {
				Alt   string
				Image struct {
					Ref struct {
						Link string `json:"$link"`
					}
				}
			}
		}
	}
}

// read returns the files of a post.
func (s *pdsServer) read(ctx context.Context, uri string) ([]shownFile, error) {
	var record pdsRecord
	query := url.Values{"repo": {s.DID}, "collection": {pdsPosts}, "rkey": {uri[strings.LastIndexByte(uri, '/')+1:]}}
	if err := getJSON(ctx, s.URL+"/xrpc/com.atproto.repo.getRecord?"+query.Encode(), "", &record); err != nil {
		return nil, err
	}
	return s.files(ctx, record)
}

func (s *pdsServer) files(ctx context.Context, record pdsRecord) (files []shownFile, err error) {
	for _, m := range record.Value.Embed.Images {
		blob := url.Values{"did": {s.DID}, "cid": {m.Image.Ref.Link}}
		sum, err := sumOf(ctx, s.URL+"/xrpc/com.atproto.sync.getBlob?"+blob.Encode())
		if err != nil {
			return nil, err
		}
		files = append(files, shownFile{sum, m.Alt})
	}
	return files, nil
}

// showAll returns the posts in the order of their keys.
func (s *pdsServer) showAll(ctx context.Context) (posts []shownPost, err error) {
	for cursor := ""; ; {
		query := url.Values{"repo": {s.DID}, "collection": {pdsPosts}, "limit": {"100"}}
		if cursor != "" {
			query.Set("cursor", cursor)
		}
		var page struct {
			Records []pdsRecord
			Cursor  string
		}
		if err := getJSON(ctx, s.URL+"/xrpc/com.atproto.repo.listRecords?"+query.Encode(), "", &page); err != nil {
			return nil, err
		}
		for _, r := range page.Records {
			files, err := s.files(ctx, r)
			if err != nil {
				return nil, err
			}
			posts = append(posts, shownPost{id: r.URI, text: r.Value.Text, parent: r.Value.Reply.Parent.URI, root: r.Value.Reply.Root.URI, files: files})
		}
		if cursor = page.Cursor; cursor == "" || len(page.Records) == 0 {
			slices.Reverse(posts) // newest first
			return posts, nil
		}
	}
}
