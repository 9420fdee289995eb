package meta

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// ContainerLife is how long Meta keeps a container.
const ContainerLife = 24 * time.Hour

// Containers is an API that publishes in two steps. A container is created first. It is not
// visible, and can be published once, by its id. Its status says whether it was.
type Containers struct {
	API

	Version string // of the API
	User    string // the id of the account, or "me"
	Create  string // the edge of the user for new containers
	Edge    string // the edge that publishes them
	Status  string // the field of a container with its status

	// Refuse returns the error for a response, as [API].Refusal does.
	Refuse func(r outbound.Response, purpose publish.Purpose, hidden ...string) *publish.Error
}

// The statuses of a container
// (https://developers.facebook.com/docs/threads/troubleshooting). The others are EXPIRED
// and ERROR.
const (
	StatusInProgress = "IN_PROGRESS"
	StatusFinished   = "FINISHED"
	StatusPublished  = "PUBLISHED"
)

// New creates a container for a post and returns its id. Errors have the outcome
// not_published, because a container is not visible.
func (c Containers) New(ctx context.Context, r publish.Request, form url.Values) (string, error) {
	id, err := c.send(ctx, r, form, c.Create)
	if err == nil {
		return id, nil
	}
	e := publish.AsError(publish.NotPublished(err))
	if of := c.Platform + MayHavePublished; strings.HasPrefix(e.Message, of) {
		says := c.Platform + " responded with an error"
		if e.HTTPStatus == http.StatusForbidden {
			e.Kind, says = schedctl.KindContent, c.Platform+" refused "+string(r.Purpose())
		}
		e.Message = says + strings.TrimPrefix(e.Message, of)
	}
	return "", e
}

// Publish publishes the container of a request and returns the id of the post. The outcome
// of an error is unknown unless Meta certainly did not publish. A container that it does
// not have, or cannot publish, is [publish.StageLost].
func (c Containers) Publish(ctx context.Context, r publish.Request) (schedctl.Receipt, error) {
	if !ObjectID(r.Stage) {
		return schedctl.Receipt{}, publish.StageLost(0, "the post was not staged")
	}
	id, err := c.send(ctx, r, url.Values{"creation_id": {r.Stage}}, c.Edge)
	if err != nil {
		e := publish.AsError(err)
		if e.Kind == schedctl.KindContent && e.Outcome == schedctl.OutcomeNotPublished {
			e = publish.StageLost(e.HTTPStatus, e.Message)
		}
		return schedctl.Receipt{}, e
	}
	return schedctl.Receipt{ID: id, URL: c.permalink(ctx, id)}, nil
}

// send sends a request that creates an object, and returns its id.
func (c Containers) send(ctx context.Context, r publish.Request, form url.Values, edge string) (string, error) {
	response, err := c.Post(ctx, form, c.Version, c.User, edge)
	if err != nil {
		return "", err
	}
	if response.Status != http.StatusOK {
		return "", c.Refuse(response, r.Purpose(), r.Texts()...)
	}
	id := CreatedID(response)
	if id == "" {
		return "", outbound.Unconfirmed(response, c.Platform+" accepted the request but named no post; check the account for the post")
	}
	return id, nil
}

// permalink asks for the URL of a post. It is empty if that fails, because the post is
// published anyway.
func (c Containers) permalink(ctx context.Context, id string) string {
	var post OwnPost
	if c.For(publish.PurposeLookup).Read(ctx, &post, url.Values{"fields": {"permalink"}}, c.Version, id) != nil {
		return ""
	}
	return post.url()
}

// StatusOf asks for the status of a container. It is empty if the container does not exist.
func (c Containers) StatusOf(ctx context.Context, id string) (string, error) {
	if !ObjectID(id) {
		return "", nil
	}
	var container map[string]any
	err := c.For(publish.PurposeStatus).Read(ctx, &container, url.Values{"fields": {c.Status}}, c.Version, id)
	if err != nil {
		if code, _, _ := strings.Cut(publish.AsError(err).Code, "/"); code == "100" {
			return "", nil
		}
		return "", err
	}
	status, _ := container[c.Status].(string)
	return status, nil
}

// Staged asks for the status of a container, as [publish.Stager] describes.
func (c Containers) Staged(ctx context.Context, s publish.Stage) (publish.Stage, error) {
	status, err := c.StatusOf(ctx, s.ID)
	switch {
	case err != nil:
		return s, err
	case status == StatusFinished:
		s.Ready = true
	case status == StatusPublished:
		return s, publish.StagePublished()
	case status != StatusInProgress:
		return s, c.Lost()
	}
	return s, nil
}

// Lost returns the error for a container that has failed or expired, or does not exist.
func (c Containers) Lost() error {
	return publish.StageLost(0, c.Platform+" could not process the post, or has dropped it")
}

// OwnPost is a post of the account in a list.
type OwnPost struct {
	ID        string `json:"id"`
	Text      string `json:"text"`    // on Threads
	Caption   string `json:"caption"` // on Instagram
	Kind      string `json:"media_type"`
	Permalink string `json:"permalink"`
	Timestamp string `json:"timestamp"`
	RepliedTo struct {
		ID string `json:"id"`
	} `json:"replied_to"`
}

func (o OwnPost) url() string {
	if u, err := outbound.ParseURL(o.Permalink); err == nil && u.Scheme == "https" {
		return o.Permalink
	}
	return ""
}

// Search is where and how to look for a post among those of the account.
type Search struct {
	Edge   string // of the user
	Fields string // to ask for
	Same   func(OwnPost) bool
}

// clockDifference is how far the clocks of Meta and of this machine may differ.
const clockDifference = 2 * time.Minute

// Find asks whether the container of a request was published, and searches for its post, as
// [publish.Finder] describes.
func (c Containers) Find(ctx context.Context, r publish.Request, since time.Time, s Search) (schedctl.Receipt, bool, error) {
	status, err := c.StatusOf(ctx, r.Stage)
	if publish.NotKnown(err) {
		status, err = "", nil // the posts show it; the container is published at most once
	}
	if err != nil || status == StatusInProgress || status == StatusFinished {
		return schedctl.Receipt{}, false, publish.UnknownOutcome(err)
	}
	receipt, found, err := c.search(ctx, r, since, s)
	if err == nil && !found && status == StatusPublished {
		err = &publish.Error{Kind: schedctl.KindPlatform, Message: c.Platform + " has published the post, and does not list it yet; schedctl will ask again"}
	}
	return receipt, found, publish.UnknownOutcome(err)
}

// search looks through the newest posts of the account.
func (c Containers) search(ctx context.Context, r publish.Request, since time.Time, s Search) (schedctl.Receipt, bool, error) {
	query := url.Values{"fields": {s.Fields}, "limit": {"100"}}
	if !since.IsZero() {
		since = since.Add(-clockDifference)
	}
	var list struct {
		Data []OwnPost `json:"data"`
	}
	if err := c.For(publish.PurposeLookup).Read(ctx, &list, query, c.Version, c.User, s.Edge); err != nil {
		return schedctl.Receipt{}, false, err
	}
	for i := len(list.Data) - 1; i >= 0; i-- { // the oldest first
		o := list.Data[i]
		if !ObjectID(o.ID) || !s.Same(o) || ParseTime(o.Timestamp).Before(since) {
			continue
		}
		taken, err := r.IsTaken(o.ID)
		if err != nil {
			return schedctl.Receipt{}, false, err
		}
		if taken {
			continue
		}
		return schedctl.Receipt{ID: o.ID, URL: o.url()}, true, nil
	}
	return schedctl.Receipt{}, false, nil
}

// SameText reports whether two texts are the same post: Meta trims white space.
func SameText(a, b string) bool {
	return strings.Join(strings.Fields(a), " ") == strings.Join(strings.Fields(b), " ")
}

// Quota is how many posts an account may have in a period, as Meta reports it.
type Quota struct {
	Total    int `json:"quota_total"`
	Duration int `json:"quota_duration"` // in seconds
}

// Limits returns the number of posts and the period, or other if the quota has none.
func (q Quota) Limits(other int) (posts int, window time.Duration) {
	if q.Total > 0 && q.Duration > 0 && q.Duration <= 30*24*3600 {
		return q.Total, time.Duration(q.Duration) * time.Second
	}
	return other, 24 * time.Hour
}
