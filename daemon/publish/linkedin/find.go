package linkedin

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

const (
	pageSize = "50"
	maxPages = 10

	// tolerance is how long before the start of an attempt, by LinkedIn's clock, its post
	// may have been made.
	tolerance = time.Minute
)

func itoa(n int) string { return strconv.Itoa(n) }

// CanFind reports whether the account is that of an organization.
func (p *Publisher) CanFind(c publish.Credentials) bool {
	return strings.TrimSpace(c[fieldOrganization]) != ""
}

// Find looks for the post among those of the organization, or for a comment among those
// of the post. Two that may be the one stay in doubt. Errors are an [*publish.Error] with
// an unknown outcome.
func (p *Publisher) Find(ctx context.Context, r publish.Request, since time.Time) (schedctl.Receipt, bool, error) {
	receipt, found, err := p.find(ctx, r, since)
	if err != nil {
		return schedctl.Receipt{}, false, publish.UnknownOutcome(err)
	}
	return receipt, found, nil
}

func (p *Publisher) find(ctx context.Context, r publish.Request, since time.Time) (receipt schedctl.Receipt, found bool, err error) {
	a, err := p.parseAuthor(r)
	if err != nil {
		return receipt, false, err
	}
	if !a.organization() {
		return receipt, false, publish.CannotAsk("LinkedIn lets no app read the posts of a person")
	}
	if r.Part > 0 && (r.Root == nil || r.Root.ID == "") {
		return receipt, false, publish.CannotAsk("schedctl does not know the post that this comment belongs to")
	}
	matches := map[string]bool{}
	for page := range maxPages {
		list, skew, err := p.list(ctx, a, r, page)
		if err != nil {
			return receipt, false, err
		}
		older := false
		for _, l := range list {
			match, ok, err := l.match(a, r, since, skew)
			if err != nil {
				return receipt, false, err
			}
			older = older || !since.IsZero() && l.created > 0 && l.before(since.Add(skew-2*time.Hour))
			if ok {
				matches[match.ID], receipt = true, match
			}
		}
		if len(list) == 0 || older && r.Part == 0 {
			return receipt, len(matches) == 1, doubt(len(matches))
		}
	}
	return schedctl.Receipt{}, false, doubt(2)
}

// doubt returns an error if several posts may be the one.
func doubt(matches int) error {
	return publish.Doubtful(matches, "several posts on LinkedIn may be this one, or there are too many to search; check them, and retry with force if none of them is")
}

// list reads a page of the posts of the organization, or of the comments on a post. skew
// is how far LinkedIn's clock is ahead.
func (p *Publisher) list(ctx context.Context, a access, r publish.Request, page int) (list []listed, skew time.Duration, err error) {
	size, _ := strconv.Atoi(pageSize)
	address, header := postsOf(a, page*size), http.Header{"X-Restli-Method": {"FINDER"}}
	if r.Part > 0 {
		query := url.Values{"count": {pageSize}, "start": {itoa(page * size)}}
		address, header = a.endpoint(query.Encode(), "socialActions", r.Root.ID, "comments"), nil
	}
	response, err := p.send(ctx, a, http.MethodGet, address, nil, header)
	if err != nil {
		return nil, 0, err
	}
	if response.Status != http.StatusOK {
		return nil, 0, refusal(response, publish.PurposeLookup, p.now(), a, r.Content, escape(r.Content))
	}
	list, ok := parsePosts(response)
	if !ok {
		return nil, 0, unreadable(response)
	}
	return list, response.ClockSkew(p.now()), nil
}

// listed is a post or a comment.
type listed struct {
	id      string
	author  string
	text    string // as it is shown
	created int64  // in Unix milliseconds, or 0
	files   int
}

// parsePosts reads a page. ok is false if an element cannot be read, because it may be
// the one.
func parsePosts(response outbound.Response) (list []listed, ok bool) {
	var body struct {
		Elements []struct {
			ID         string `json:"id"`
			Author     string `json:"author"`
			Actor      string `json:"actor"`
			Commentary string `json:"commentary"`
			Message    *struct {
				Text string `json:"text"`
			} `json:"message"`
			CreatedAt int64 `json:"createdAt"`
			Created   struct {
				Time int64 `json:"time"`
			} `json:"created"`
			Content *struct {
				Media *struct {
					ID string `json:"id"`
				} `json:"media"`
				Multi *struct {
					Images []json.RawMessage `json:"images"`
				} `json:"multiImage"`
			} `json:"content"`
		} `json:"elements"`
	}
	if response.Cut || json.Unmarshal(response.Body, &body) != nil || body.Elements == nil {
		return nil, false
	}
	for _, e := range body.Elements {
		l := listed{id: e.ID, author: e.Author + e.Actor, text: unescape(e.Commentary), created: max(e.CreatedAt, e.Created.Time)}
		if e.Message != nil {
			l.text = e.Message.Text
		}
		switch {
		case e.Content != nil && e.Content.Multi != nil:
			l.files = len(e.Content.Multi.Images)
		case e.Content != nil && e.Content.Media != nil:
			l.files = 1
		}
		if e.ID == "" || len(e.ID) > 255 {
			return nil, false
		}
		list = append(list, l)
	}
	return list, true
}

func (l listed) before(t time.Time) bool { return time.UnixMilli(l.created).Before(t) }

// match returns the receipt of a post or comment that may be that of a request whose attempt
// started at since.
func (l listed) match(a access, r publish.Request, since time.Time, skew time.Duration) (receipt schedctl.Receipt, ok bool, err error) {
	early := !since.IsZero() && l.created > 0 && l.before(since.Add(skew-tolerance))
	if receipt, ok = receiptOf(l.id, r); !ok || early || l.author != a.author || l.files != len(r.Files) || plain(l.text) != plain(r.Content) {
		return receipt, false, nil
	}
	taken, err := r.IsTaken(receipt.ID)
	return receipt, !taken, err
}
