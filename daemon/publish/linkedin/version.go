package linkedin

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// newestVersion is the newest version of the API that this program knows.
const newestVersion = 202610

// A request tries at most 24 versions. LinkedIn leaves out months: 202512 never existed.
const (
	maxVersions = 24
	newerMonths = 12
	olderMonths = 11
)

// monthFrom returns the version of a number of months after newestVersion, or before it.
func monthFrom(months int64) int64 {
	n := int64(newestVersion/100*12+newestVersion%100-1) + months
	return n/12*100 + n%12 + 1
}

// versions returns the versions to try, in order: the option, the one that LinkedIn has
// accepted last, the newest that is known, those after it, and those before it.
func (p *Publisher) versions(a access) []int64 {
	var list []int64
	add := func(v int64) {
		if v > 0 && !slices.Contains(list, v) && len(list) < maxVersions {
			list = append(list, v)
		}
	}
	if v, err := strconv.ParseInt(a.version, 10, 64); err == nil {
		add(v)
	}
	add(p.version.Load())
	for months := range int64(newerMonths + 1) {
		add(monthFrom(months))
	}
	for months := range int64(olderMonths) {
		add(monthFrom(-months - 1))
	}
	return list
}

// send sends a request with each version until LinkedIn has it. LinkedIn responds to a
// version that has ended, or that does not exist, with 426, and does nothing.
func (p *Publisher) send(ctx context.Context, a access, method, address string, body []byte, header http.Header) (outbound.Response, error) {
	var requests int
	return p.sendCounted(ctx, a, method, address, body, header, &requests)
}

// sendCounted is send that also counts the requests.
func (p *Publisher) sendCounted(ctx context.Context, a access, method, address string, body []byte, header http.Header, requests *int) (outbound.Response, error) {
	var last outbound.Response
	for i, version := range p.versions(a) {
		*requests++
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
