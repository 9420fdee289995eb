package x

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// maxCashtags is how many cashtags a post may have.
const maxCashtags = 1

// cashtag matches a cashtag at the start of a word.
var cashtag = pattern.Lazy(`(?:^|[^\p{L}\p{N}_$])\$[A-Za-z]{1,6}\b`)

// linkCost warns about what X charges
// (https://docs.x.com/x-api/getting-started/pricing).
const linkCost = "X charges $0.20 for a post with a link, and $0.015 for one without"

// Check measures the text as X does.
func (p *Publisher) Check(a schedctl.Account, content publish.Content) publish.Check {
	length, links := weighted(content.Text)
	c := publish.MeasuredMessage(a, content, length, maxText, "characters", nil)
	c.RefuseWarning(content, "X")
	c.RefuseVisibility(content, "X")
	c.WarnLanguage(content, "X")
	c.WarnPreview(content, "X")
	if len(cashtag().FindAllString(content.Text, maxCashtags+1)) > maxCashtags {
		c.Problems = append(c.Problems, publish.Contentf("too_many_cashtags", "X allows one cashtag in a post, such as $XYZ, and this one has more; remove some"))
	}
	if links > 0 {
		c.Warnings = append(c.Warnings, linkCost)
	}
	return c
}

// ThreadRules allows threads: each part replies to the one before it.
func (p *Publisher) ThreadRules(schedctl.Account) publish.ThreadRules { return publish.ThreadRules{} }

// PollRules returns the limits of polls.
func (p *Publisher) PollRules(schedctl.Account) publish.PollRules {
	return publish.PollRules{
		MaxOptions: 4, MaxOption: 25, MinTime: 5 * time.Minute, MaxTime: 7 * 24 * time.Hour, NoMultiple: true, NoHiding: true,
	}
}

// post is the request body (https://docs.x.com/x-api/posts/create-post).
type post struct {
	Text  string `json:"text,omitempty"`
	Reply *reply `json:"reply,omitempty"`
	Media *media `json:"media,omitempty"`
	Poll  *poll  `json:"poll,omitempty"`
}

type reply struct {
	To string `json:"in_reply_to_tweet_id"`
}

type media struct {
	IDs []string `json:"media_ids"`
}

type poll struct {
	Options []string `json:"options"`
	Minutes int      `json:"duration_minutes"`
}

// Publish makes a post. The body has no fields that X adds later, so that an equal
// request stays equal.
func (p *Publisher) Publish(ctx context.Context, r publish.Request) (schedctl.Receipt, error) {
	if err := publish.CheckRequest(p, &r); err != nil {
		return schedctl.Receipt{}, err
	}
	a, err := p.parseCredentials(r.Credentials)
	if err != nil {
		return schedctl.Receipt{}, err
	}
	if err := publish.CheckReplyIDs(&r); err != nil {
		return schedctl.Receipt{}, err
	}
	u := a.endpoint(nil, "tweets")
	response, err := outbound.Post(ctx, p.client, u.String(), p.jsonHeader(a, u), outbound.EncodeJSON(bodyOf(r)))
	if err != nil {
		return schedctl.Receipt{}, err
	}
	if response.Status < 200 || response.Status > 299 {
		return schedctl.Receipt{}, postRefusal(response, p.now(), a, r)
	}
	id, ok := parseCreated(response)
	if !ok {
		return schedctl.Receipt{}, outbound.Unconfirmed(response, "X accepted the request but named no post; check the account for the post")
	}
	return schedctl.Receipt{ID: id, URL: postURL(r.Account, id)}, nil
}

// bodyOf returns the body of a request.
func bodyOf(r publish.Request) post {
	body := post{Text: r.Content}
	if r.Parent != nil {
		body.Reply = &reply{r.Parent.ID}
	}
	if len(r.Files) > 0 {
		body.Media = &media{}
		for _, f := range r.Files {
			body.Media.IDs = append(body.Media.IDs, f.Upload.ID)
		}
	}
	if r.Poll != nil {
		body.Poll = &poll{r.Poll.Options, int(r.Poll.ExpiresIn / time.Minute)}
	}
	return body
}

// parseCreated returns the id of the post in a response.
func parseCreated(r outbound.Response) (string, bool) {
	var body struct {
		Data struct {
			ID any `json:"id"`
		} `json:"data"`
	}
	// Unmarshal continues after a member of an unexpected type.
	_ = json.Unmarshal(r.Body, &body)
	id, _ := body.Data.ID.(string)
	return id, !r.Cut && numericID().MatchString(id)
}

// postRefusal returns the error of a refused post.
func postRefusal(response outbound.Response, now time.Time, a access, r publish.Request) error {
	hidden := r.Texts()
	if r.Poll != nil {
		hidden = append(hidden, r.Poll.Options...)
	}
	e := refusal(response, r.Purpose(), now, a, hidden...)
	says := strings.ToLower(e.Error())
	full := strings.ToLower(string(response.Body))
	switch {
	case response.Status < 400 || response.Status > 499:
	case r.Part > 0 && strings.Contains(full, "deleted or not visible"):
		return publish.ParentMissing(response.Status)
	case len(r.Files) > 0 && response.Status == http.StatusBadRequest && (strings.Contains(says, "media id") || strings.Contains(full, "media.media_ids")):
		return uploadLost(response.Status)
	}
	return e
}

// basicLogin returns the value of the header Authorization without its scheme.
func basicLogin(user, password string) string {
	return base64.StdEncoding.EncodeToString([]byte(url.QueryEscape(user) + ":" + url.QueryEscape(password)))
}
