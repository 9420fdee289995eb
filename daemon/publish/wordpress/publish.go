package wordpress

import (
	"context"
	"encoding/json"
	"html"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// Check counts Unicode code points; WordPress has no limit.
func (p *Publisher) Check(a schedctl.Account, content publish.Content) publish.Check {
	c := publish.MeasuredMessage(a, content, utf8.RuneCountInString(content.Text), 0, "characters", checkOptions(a.Options))
	c.RefuseWarning(content, "WordPress")
	c.RefuseVisibility(content, "WordPress")
	c.WarnLanguage(content, "WordPress")
	if content.Preview.Mode == schedctl.PreviewCard {
		c.Warnings = append(c.Warnings, "posts on WordPress have no link cards; that of this post is not sent")
	}
	return c
}

// post is the request body
// (https://developer.wordpress.org/rest-api/reference/posts/#create-a-post).
type post struct {
	Title      string `json:"title"`
	Content    string `json:"content"`
	Status     string `json:"status"`
	Slug       string `json:"slug"`
	Categories []int  `json:"categories,omitempty"`
}

// Publish makes a post. From the second attempt on, it first asks whether the site has
// the post.
func (p *Publisher) Publish(ctx context.Context, r publish.Request) (schedctl.Receipt, error) {
	if err := publish.CheckRequest(p, &r); err != nil {
		return schedctl.Receipt{}, err
	}
	s, err := p.parseCredentials(r.Credentials)
	if err != nil {
		return schedctl.Receipt{}, err
	}
	if r.Attempt > 1 {
		if receipt, found, err := p.find(ctx, s, r); err != nil || found {
			return receipt, err
		}
	}
	ids, err := p.categoryIDs(ctx, r.Purpose(), s, r.Credentials, r.Account.Options)
	if err != nil {
		return schedctl.Receipt{}, err
	}
	title, text := split(r.Content, r.Account.Options)
	media, err := mediaBlocks(r.Files)
	if err != nil {
		return schedctl.Receipt{}, err
	}
	body := outbound.EncodeJSON(post{
		Title: escape(title), Content: blocks(text) + media, Status: statusOf(r.Account.Options), Slug: slugOf(r), Categories: ids,
	})
	header := p.header(s)
	header.Set("Content-Type", "application/json")
	a, err := outbound.Post(ctx, p.client, s.endpoint(nil, "posts"), header, body)
	if err != nil {
		return schedctl.Receipt{}, err
	}
	return readResponse(a, r, s, time.Now())
}

// stored is a post in a response.
type stored struct {
	ID      json.Number `json:"id"`
	Slug    string      `json:"slug"`
	Link    any         `json:"link"`
	Content struct {
		Raw *string `json:"raw"`
	} `json:"content"`
}

// receipt returns the receipt of a post, and whether the post has an id.
func (p stored) receipt(r publish.Request) (schedctl.Receipt, bool) {
	id, err := p.ID.Int64()
	if err != nil || id <= 0 {
		return schedctl.Receipt{}, false
	}
	receipt := schedctl.Receipt{ID: strconv.FormatInt(id, 10), URL: linkOf(p.Link)}
	if p.Content.Raw == nil {
		return receipt, true
	}
	shown, raw := 0, html.UnescapeString(*p.Content.Raw)
	for _, f := range r.Files {
		if strings.Contains(raw, uploadURL(f.Upload)) {
			shown++
		}
	}
	receipt.Degraded = publish.DegradedMedia(len(r.Files), shown)
	return receipt, true
}

// readResponse interprets a response, which contains the post.
func readResponse(a outbound.Response, r publish.Request, s site, now time.Time) (schedctl.Receipt, error) {
	if a.Status < 200 || a.Status > 299 {
		return schedctl.Receipt{}, refusal(a, r.Purpose(), now, s.hidden(r.Credentials, hiddenTexts(r)...)...)
	}
	var body stored
	// Unmarshal continues after a member of an unexpected type.
	_ = json.Unmarshal(a.Body, &body)
	receipt, ok := body.receipt(r)
	if a.Cut || !ok {
		return schedctl.Receipt{}, outbound.Unconfirmed(a, "the site accepted the request but named no post; check the site for the post")
	}
	if body.Slug == slugOf(r)+"-2" {
		receipt.Degraded = schedctl.Degradation{
			Code: "duplicate", Message: "an earlier request of this post was processed late, so the site has the post twice; delete one of the two there",
		}
	}
	return receipt, nil
}

// hiddenTexts returns the texts of a request that no error may contain.
func hiddenTexts(r publish.Request) []string {
	texts := []string{r.Content}
	for _, f := range r.Files {
		texts = append(texts, f.AltText)
	}
	return texts
}

// ok reports whether a response is a success.
func ok(a outbound.Response) bool { return a.Status == http.StatusOK && !a.Cut }
