package x

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

const (
	pageSize = "100"
	maxPages = 8

	// maxClockSkew is how much the clocks of X and of this machine may differ, also
	// because one was set between an attempt and the search for its post.
	maxClockSkew = 2 * time.Hour

	// tolerance is how long before the start of an attempt, by X's clock, its post may
	// have been made.
	tolerance = time.Minute
)

// firstID is the time of X's ids: an id is the number of milliseconds since then, times
// 2 to the power of 22, and more.
const firstID = 1288834974657

// idAt returns an id that is smaller than those of all posts since t.
func idAt(t time.Time) string {
	return strconv.FormatInt(max(t.UnixMilli()-firstID, 0)<<22, 10)
}

// Find looks for the post of a request among the posts of the account since two hours
// before the attempt. Two posts that may be the one stay in doubt. Errors are an
// [*publish.Error] with an unknown outcome, unless a new session may help.
func (p *Publisher) Find(ctx context.Context, r publish.Request, since time.Time) (schedctl.Receipt, bool, error) {
	receipt, found, err := p.find(ctx, r, since)
	if err != nil {
		e := *publish.AsError(err)
		if e.Code != publish.CodeSessionExpired {
			e.Outcome = schedctl.OutcomeUnknown
		}
		return schedctl.Receipt{}, false, &e
	}
	return receipt, found, nil
}

func (p *Publisher) find(ctx context.Context, r publish.Request, since time.Time) (receipt schedctl.Receipt, found bool, err error) {
	a, err := p.parseCredentials(r.Credentials)
	if err != nil {
		return receipt, false, err
	}
	owner := a.owner
	if !numericID().MatchString(owner) {
		u, _, err := p.readUser(ctx, a)
		if err != nil {
			return receipt, false, err
		}
		owner = u.id
	}
	query := url.Values{"max_results": {pageSize}, "tweet.fields": {"created_at,note_tweet,entities,referenced_tweets,attachments"}}
	if !since.IsZero() {
		query.Set("since_id", idAt(since.Add(-maxClockSkew)))
	}
	matches := map[string]bool{}
	for range maxPages {
		page, err := p.timeline(ctx, a, r, owner, query)
		if err != nil {
			return receipt, false, err
		}
		for _, l := range page.posts {
			if ok, err := l.matches(r, since, page.skew); err != nil {
				return receipt, false, err
			} else if ok {
				matches[l.id] = true
				receipt = schedctl.Receipt{ID: l.id, URL: postURL(r.Account, l.id)}
			}
		}
		if page.next == "" {
			return receipt, len(matches) == 1, doubt(len(matches))
		}
		query.Set("pagination_token", page.next)
	}
	return schedctl.Receipt{}, false, &publish.Error{
		Kind: schedctl.KindUnknown, Code: "incomplete", Outcome: schedctl.OutcomeUnknown,
		Message: "the account has too many newer posts to search; check on X whether the post is published",
	}
}

// doubt returns an error if several posts may be the one.
func doubt(matches int) error {
	return publish.Doubtful(matches, "several posts on X may be this one; check them, and retry with force if none of them is")
}

// timelinePage is a page of the posts of an account.
type timelinePage struct {
	posts []listed
	next  string
	skew  time.Duration // of X's clock
}

// timeline reads a page of the posts of an account
// (https://docs.x.com/x-api/users/get-posts).
func (p *Publisher) timeline(ctx context.Context, a access, r publish.Request, owner string, query url.Values) (timelinePage, error) {
	u := a.endpoint(query, "users", owner, "tweets")
	response, err := p.get(ctx, a, u)
	if err != nil {
		return timelinePage{}, err
	}
	if response.Status != http.StatusOK {
		return timelinePage{}, refusal(response, publish.PurposeLookup, p.now(), a, r.Content)
	}
	page, ok := parseTimeline(response)
	if !ok {
		return timelinePage{}, outbound.Unconfirmed(response, "X did not list the posts of the account; schedctl will ask again")
	}
	page.skew = response.ClockSkew(p.now())
	return page, nil
}

// listed is a post of the account.
type listed struct {
	id      string
	text    string // in the form of plain
	created time.Time
	replyTo string
	repost  bool
	files   int
}

// entity is a link in a text.
type entity struct {
	URL      string `json:"url"`
	Expanded string `json:"expanded_url"`
	MediaKey string `json:"media_key"`
}

// listedBody is a post in a response.
type listedBody struct {
	ID       string    `json:"id"`
	Text     string    `json:"text"`
	Created  time.Time `json:"created_at"`
	Entities struct {
		URLs []entity `json:"urls"`
	} `json:"entities"`
	Note struct {
		Text     string `json:"text"`
		Entities struct {
			URLs []entity `json:"urls"`
		} `json:"entities"`
	} `json:"note_tweet"`
	Referenced []struct {
		Type string `json:"type"`
		ID   string `json:"id"`
	} `json:"referenced_tweets"`
	Attachments *struct {
		MediaKeys []string `json:"media_keys"`
	} `json:"attachments"`
}

// parseTimeline reads a page. ok is false if a post cannot be read, because it may be the
// one.
func parseTimeline(response outbound.Response) (page timelinePage, ok bool) {
	var body struct {
		Data []listedBody    `json:"data"`
		Meta json.RawMessage `json:"meta"`
	}
	if response.Cut || json.Unmarshal(response.Body, &body) != nil || body.Meta == nil {
		return page, false
	}
	var meta struct {
		Next string `json:"next_token"`
	}
	if json.Unmarshal(body.Meta, &meta) != nil || len(meta.Next) > 255 {
		return page, false
	}
	page.next = meta.Next
	for _, b := range body.Data {
		if !numericID().MatchString(b.ID) {
			return page, false
		}
		page.posts = append(page.posts, b.listed())
	}
	return page, true
}

func (b listedBody) listed() listed {
	l := listed{id: b.ID, created: b.Created, text: shownText(b.Text, b.Entities.URLs)}
	if b.Note.Text != "" { // a long post, whose text is cut
		l.text = shownText(b.Note.Text, append(b.Note.Entities.URLs, b.Entities.URLs...))
	}
	for _, reference := range b.Referenced {
		switch reference.Type {
		case "replied_to":
			l.replyTo = reference.ID
		case "retweeted":
			l.repost = true
		}
	}
	if b.Attachments != nil {
		l.files = len(b.Attachments.MediaKeys)
	}
	return l
}

// matches reports whether a post may be that of a request whose attempt started at since.
// skew is how far X's clock is ahead.
func (l listed) matches(r publish.Request, since time.Time, skew time.Duration) (bool, error) {
	parent := ""
	if r.Parent != nil {
		parent = r.Parent.ID
	}
	early := !since.IsZero() && !l.created.IsZero() && l.created.Before(since.Add(skew-tolerance))
	if l.repost || early || l.replyTo != parent || l.files != len(r.Files) || l.text != plain(r.Content) {
		return false, nil
	}
	taken, err := r.IsTaken(l.id)
	return !taken, err
}
