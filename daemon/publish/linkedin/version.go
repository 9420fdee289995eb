package linkedin

import (
	"context"
	"net/http"
	"strconv"

	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// newestVersion is the newest version of the API that this program knows.
const newestVersion = 202610

// maxVersions limits how many versions one request tries.
const maxVersions = 24

// nextVersion returns the version of the month after that of a version.
func nextVersion(v int64) int64 {
	if v%100 >= 12 {
		return (v/100+1)*100 + 1
	}
	return v + 1
}

// versions returns the versions to try, in order: the option, and then the newest version
// that is known or was accepted, and the versions after it.
func (p *Publisher) versions(a access) []int64 {
	var list []int64
	if v, err := strconv.ParseInt(a.version, 10, 64); err == nil {
		list = append(list, v)
	}
	v := int64(newestVersion)
	if accepted := p.version.Load(); accepted > v {
		v = accepted
	}
	for len(list) < maxVersions {
		list = append(list, v)
		v = nextVersion(v)
	}
	return list
}

// send sends a request with each version until LinkedIn has it. LinkedIn responds to a
// version that has ended, or that does not exist, with 426, and does nothing.
func (p *Publisher) send(ctx context.Context, a access, method, address string, body []byte, header http.Header) (outbound.Response, error) {
	var last outbound.Response
	for i, version := range p.versions(a) {
		h := p.header(a)
		h.Set("LinkedIn-Version", strconv.FormatInt(version, 10))
		for name := range header {
			h.Set(name, header.Get(name))
		}
		var err error
		if method == http.MethodGet {
			last, err = outbound.Get(ctx, p.client, address, h)
		} else {
			h.Set("Content-Type", "application/json")
			last, err = outbound.Post(ctx, p.client, address, h, body)
		}
		if err != nil {
			return last, err
		}
		if last.Status != http.StatusUpgradeRequired {
			if explicit := i == 0 && a.version != ""; !explicit && last.Status < 300 {
				p.version.Store(version)
			}
			return last, nil
		}
	}
	return last, holdWith(publish.HoldVersion, last.Status, "LinkedIn no longer has the versions of its API that this program knows: upgrade schedctl, or set the option api_version to a version that LinkedIn documents, then verify the account")
}

// header returns the headers of a request without a version.
func (p *Publisher) header(a access) http.Header {
	h := outbound.Header(p.userAgent, a.token)
	h.Set("X-Restli-Protocol-Version", "2.0.0")
	return h
}
