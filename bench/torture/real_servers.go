package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// mediaServers are the networks of a world with media, each behind its gate.
type mediaServers []*runningGate

// runningGate is a gate with its network.
type runningGate struct {
	*mediaGate
	fake *mediaFake   // nil for a real server
	down func() error // stops a real server
}

func (s mediaServers) stop() {
	for _, g := range s {
		g.mediaGate.stop()
		if g.down != nil {
			g.down()
		}
	}
}

// startMediaServers starts the fake and the real servers that are installed. missing
// says which are not. The caller must stop the servers, even after an error.
func (h *harness) startMediaServers() (servers mediaServers, missing string, err error) {
	fake := newMediaFake(h.random("media/fake"))
	g := &runningGate{fake: fake, mediaGate: &mediaGate{
		name: "fake", upstream: fake.handler(), account: mastodonAccount("token"), read: fake.read,
	}}
	servers = append(servers, g)
	for _, start := range []struct {
		kind string
		run  func(dir string) (*runningGate, error)
	}{{"snac", startSnac}, {"pds", startPDS}} {
		if err := publishtest.MissingServer(start.kind); err != nil {
			if os.Getenv("SCHEDCTL_REQUIRE_ALL") == "1" {
				return servers, "", err
			}
			missing += fmt.Sprintf("Without %s: %v. ", start.kind, err)
			continue
		}
		dir, err := h.newDir()
		if err != nil {
			return servers, missing, err
		}
		g, err := start.run(dir)
		if err != nil {
			return servers, missing, err
		}
		servers = append(servers, g)
	}
	for _, g := range servers {
		if err := g.serve(h.random("media/gate/" + g.name)); err != nil {
			return servers, missing, err
		}
	}
	return servers, missing, nil
}

func mastodonAccount(token string) func(string) apiv1.AddAccount {
	return func(url string) apiv1.AddAccount {
		return apiv1.AddAccount{Platform: "mastodon", Credentials: map[string]string{"instance_url": url, "access_token": token}}
	}
}

func startSnac(dir string) (*runningGate, error) {
	var s publishtest.Snac
	down, err := publishtest.StartServer("snac", filepath.Join(dir, "snac"), freePorts(1), nil, &s)
	if err != nil {
		return nil, err
	}
	g := &runningGate{down: down, mediaGate: &mediaGate{name: "snac", listed: 12, account: mastodonAccount(s.AccessToken)}}
	g.read = func(ctx context.Context, id string) (files []shownFile, err error) {
		var status struct {
			Media []struct{ URL, Description string } `json:"media_attachments"`
		}
		if err := getJSON(ctx, s.URL+"/api/v1/statuses/"+url.PathEscape(id), s.AccessToken, &status); err != nil {
			return nil, err
		}
		for _, m := range status.Media {
			sum, err := sumOf(ctx, m.URL)
			if err != nil {
				return nil, err
			}
			files = append(files, shownFile{sum, m.Description})
		}
		return files, nil
	}
	return g, g.forwardTo(s.URL)
}

func startPDS(dir string) (*runningGate, error) {
	var s publishtest.PDS
	down, err := publishtest.StartServer("pds", filepath.Join(dir, "pds"), freePorts(2), []string{"ACCESS_TTL="}, &s)
	if err != nil {
		return nil, err
	}
	g := &runningGate{down: down, mediaGate: &mediaGate{name: "pds", retries: true, account: func(url string) apiv1.AddAccount {
		return apiv1.AddAccount{Platform: "bluesky", Credentials: map[string]string{
			"service_url": url, "identifier": s.Handle, "app_password": s.AppPassword,
		}}
	}}}
	g.read = func(ctx context.Context, uri string) (files []shownFile, err error) {
		var record struct {
			Value struct {
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
		query := url.Values{"repo": {s.DID}, "collection": {"app.bsky.feed.post"}, "rkey": {uri[strings.LastIndexByte(uri, '/')+1:]}}
		if err := getJSON(ctx, s.URL+"/xrpc/com.atproto.repo.getRecord?"+query.Encode(), "", &record); err != nil {
			return nil, err
		}
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
	return g, g.forwardTo(s.URL)
}

// freePorts returns ports that the system does not use for outgoing connections.
func freePorts(count int) (ports []string) {
	for len(ports) < count {
		port := strconv.Itoa(12_000 + rand.IntN(20_000))
		if l, err := net.Listen("tcp", "127.0.0.1:"+port); err == nil {
			l.Close()
			ports = append(ports, port)
		}
	}
	return ports
}

// fetch requests a page.
func fetch(ctx context.Context, address, token string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 300))
		return nil, errors.Join(fmt.Errorf("GET %s: status %d: %s", address, resp.StatusCode, text), resp.Body.Close())
	}
	return resp, nil
}

func getJSON(ctx context.Context, address, token string, into any) error {
	resp, err := fetch(ctx, address, token)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return json.NewDecoder(resp.Body).Decode(into)
}

// sumOf returns the SHA-256 of a file.
func sumOf(ctx context.Context, address string) (string, error) {
	resp, err := fetch(ctx, address, "")
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, resp.Body); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
