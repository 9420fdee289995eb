package facebook

import (
	"context"
	"net/url"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/meta"
)

const (
	pageSize = "100"
	maxPages = 10

	// tolerance is how long before the start of an attempt, by Facebook's clock, its post
	// may have been made.
	tolerance = time.Minute
)

// Find looks for the post among those of the Page. Two that may be the one stay in doubt.
// Errors are an [*publish.Error] with an unknown outcome.
func (p *Publisher) Find(ctx context.Context, r publish.Request, since time.Time) (schedctl.Receipt, bool, error) {
	receipt, found, err := p.find(ctx, r, since)
	if err != nil {
		return schedctl.Receipt{}, false, publish.UnknownOutcome(err)
	}
	return receipt, found, nil
}

func (p *Publisher) find(ctx context.Context, r publish.Request, since time.Time) (receipt schedctl.Receipt, found bool, err error) {
	a, err := p.parseCredentials(r.Credentials)
	if err != nil {
		return receipt, false, err
	}
	matches, after := map[string]bool{}, ""
	for range maxPages {
		list, skew, err := p.list(ctx, a, after)
		if err != nil {
			return receipt, false, err
		}
		earliest, older := time.Time{}, false
		if !since.IsZero() {
			earliest = since.Add(skew - tolerance)
		}
		for _, l := range list.Data {
			// Posts that the Page dates back may be between newer ones.
			older = older || !earliest.IsZero() && l.before(earliest.Add(-2*time.Hour))
			ok, err := l.matches(r, earliest)
			if err != nil {
				return receipt, false, err
			}
			if ok {
				matches[l.ID] = true
				receipt = receiptOf(l.id())
			}
		}
		if after = list.Paging.Cursors.After; after == "" || list.Paging.Next == "" || older {
			if len(matches) == 0 && hasVideo(r) {
				return receipt, false, p.checkUnlisted(ctx, a, r, since)
			}
			return receipt, len(matches) == 1, doubt(len(matches))
		}
	}
	return schedctl.Receipt{}, false, doubt(2)
}

// doubt returns an error if several posts may be the one.
func doubt(matches int) error {
	return publish.Doubtful(matches, "several posts on the Page may be this one, or there are too many to search; check them, and retry with force if none of them is")
}

// listing is a page of the posts of a Page.
type listing struct {
	Data   []listed `json:"data"`
	Paging struct {
		Cursors struct {
			After string `json:"after"`
		} `json:"cursors"`
		Next string `json:"next"`
	} `json:"paging"`
}

// listed is a post of the Page.
type listed struct {
	ID          string `json:"id"`
	Message     string `json:"message"`
	Created     string `json:"created_time"`
	Attachments struct {
		Data []attachment `json:"data"`
	} `json:"attachments"`
}

// attachment is what a post shows.
type attachment struct {
	Type   string `json:"media_type"`
	Target struct {
		ID string `json:"id"`
	} `json:"target"`
}

// list reads a page of the posts. skew is how far Facebook's clock is ahead
// (https://developers.facebook.com/docs/graph-api/reference/page/published_posts).
func (p *Publisher) list(ctx context.Context, a access, after string) (list listing, skew time.Duration, err error) {
	query := url.Values{"fields": {"id,message,created_time,attachments{media_type,target{id}}"}, "limit": {pageSize}}
	if after != "" {
		query.Set("after", after)
	}
	response, err := a.For(publish.PurposeLookup).ReadResponse(ctx, &list, query, version, a.page, "published_posts")
	if err != nil {
		return listing{}, 0, err
	}
	if list.Data == nil {
		return listing{}, 0, unconfirmed(response)
	}
	for _, l := range list.Data {
		if !meta.ObjectID(l.ID) { // it may be the one
			return listing{}, 0, unconfirmed(response)
		}
	}
	return list, response.ClockSkew(p.now()), nil
}

func (l listed) before(t time.Time) bool {
	at := meta.ParseTime(l.Created)
	return !at.IsZero() && at.Before(t)
}

// id returns the id that the receipt of the post has: that of its video, or of the post.
func (l listed) id() string {
	for _, a := range l.Attachments.Data {
		if a.Type == "video" && meta.ObjectID(a.Target.ID) {
			return a.Target.ID
		}
	}
	return l.ID
}

// hasFiles reports whether the post shows photos or a video.
func (l listed) hasFiles() bool {
	return slices.ContainsFunc(l.Attachments.Data, func(a attachment) bool { return a.Type == "photo" || a.Type == "album" || a.Type == "video" })
}

// matches reports whether a post may be that of a request whose attempt started at
// earliest. A post with files may be listed before its files are.
func (l listed) matches(r publish.Request, earliest time.Time) (bool, error) {
	files := len(r.Files) > 0
	switch {
	case !earliest.IsZero() && l.before(earliest), plain(l.Message) != plain(r.Content):
		return false, nil
	case l.hasFiles() != files && (!files || plain(r.Content) == ""):
		return false, nil
	}
	taken, err := r.IsTaken(l.id())
	return !taken, err
}
