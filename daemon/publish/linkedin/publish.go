package linkedin

import (
	"cmp"
	"context"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// Check counts Unicode code points before escaping.
func (p *Publisher) Check(a schedctl.Account, content publish.Content) publish.Check {
	most := maxText
	if isComment(content.Kind) {
		a.Limits.MaxCharacters, most = maxComment, maxComment
	}
	c := publish.MeasuredMessage(a, content, utf8.RuneCountInString(content.Text), most, "characters", checkOptions(a.Options))
	if isComment(content.Kind) && len(content.Media) > 0 {
		c.Problems = append(c.Problems, publish.Contentf("media", "the parts after the first one are comments on LinkedIn, and comments take no media here; move the files to the first part"))
	}
	c.RefuseWarning(content, "LinkedIn")
	c.RefuseVisibility(content, "LinkedIn")
	c.WarnLanguage(content, "LinkedIn")
	return c
}

func isComment(kind schedctl.PartKind) bool {
	return kind == schedctl.PartReply || kind == schedctl.PartComment
}

// ThreadRules allows threads: the parts after the first one are comments on the post.
func (p *Publisher) ThreadRules(schedctl.Account) publish.ThreadRules { return publish.ThreadRules{} }

// post is the request body of a post.
type post struct {
	Author       string       `json:"author"`
	Commentary   string       `json:"commentary"`
	Visibility   string       `json:"visibility"`
	Distribution distribution `json:"distribution"`
	Content      *postContent `json:"content,omitempty"`
	Lifecycle    string       `json:"lifecycleState"`
	NoReshare    bool         `json:"isReshareDisabledByAuthor"`
}

type distribution struct {
	Feed     string   `json:"feedDistribution"`
	Entities []string `json:"targetEntities"`
	Channels []string `json:"thirdPartyDistributionChannels"`
}

type postContent struct {
	Media   *attached `json:"media,omitempty"`
	Multi   *multi    `json:"multiImage,omitempty"`
	Article *article  `json:"article,omitempty"`
}

type multi struct {
	Images []attached `json:"images"`
}

type attached struct {
	ID    string `json:"id"`
	Alt   string `json:"altText,omitempty"`
	Title string `json:"title,omitempty"`
}

// Publish makes a post, or a comment on the first part.
func (p *Publisher) Publish(ctx context.Context, r publish.Request) (schedctl.Receipt, error) {
	if err := publish.CheckRequest(p, &r); err != nil {
		return schedctl.Receipt{}, err
	}
	if err := publish.CheckReplyIDs(&r); err != nil {
		return schedctl.Receipt{}, err
	}
	a, err := p.parseAuthor(r)
	if err != nil {
		return schedctl.Receipt{}, err
	}
	var response outbound.Response
	if r.Part > 0 {
		response, err = p.comment(ctx, a, r)
	} else {
		response, err = p.post(ctx, a, r)
	}
	if err != nil {
		return schedctl.Receipt{}, err
	}
	if response.Status < 200 || response.Status > 299 {
		return schedctl.Receipt{}, postRefusal(response, p.now(), a, r)
	}
	receipt, ok := receiptOf(cmp.Or(response.Header.Get("X-Restli-Id"), commentOf(response, r)), r)
	if !ok {
		return schedctl.Receipt{}, outbound.Unconfirmed(response, "LinkedIn accepted the request but named no post; check the account for the post")
	}
	return receipt, nil
}

// parseAuthor parses the credentials of a request. The author must be known.
func (p *Publisher) parseAuthor(r publish.Request) (access, error) {
	a, err := p.parseCredentials(r.Credentials, r.Account.Options)
	if err == nil && a.author == "" {
		err = &publish.Error{
			Kind: schedctl.KindAuth, Code: fieldAuthor, Outcome: schedctl.OutcomeNotPublished,
			Message: "schedctl does not know the person of the access token yet; verify the account",
		}
	}
	return a, err
}

// bodyOf returns the body of a post.
func bodyOf(a access, r publish.Request) post {
	body := post{
		Author: a.author, Commentary: escape(r.Content), Visibility: "PUBLIC", Lifecycle: "PUBLISHED",
		Distribution: distribution{Feed: "MAIN_FEED", Entities: []string{}, Channels: []string{}},
	}
	switch {
	case len(r.Files) == 1:
		f := r.Files[0]
		body.Content = &postContent{Media: &attached{ID: f.Upload.ID, Alt: f.AltText}}
		if class := f.Class(); class == schedctl.MediaVideo || class == schedctl.MediaDocument {
			body.Content.Media = &attached{ID: f.Upload.ID, Title: publish.PublicName(f)}
		}
	case len(r.Files) > 1:
		body.Content = &postContent{Multi: &multi{}}
		for _, f := range r.Files {
			body.Content.Multi.Images = append(body.Content.Multi.Images, attached{ID: f.Upload.ID, Alt: f.AltText})
		}
	}
	return body
}

var (
	postURN   = pattern.Lazy(`^urn:li:(?:share|ugcPost):[0-9]{1,30}$`)
	commentID = pattern.Lazy(`^(?:urn:li:comment:\((?:urn:li:)?[A-Za-z]{1,30}:[0-9]{1,30},([0-9]{1,30})\)|([0-9]{1,30}))$`)
)

// receiptOf returns the receipt for an id in a response, which may be escaped as in an
// address. The id of a comment is a number, or a URN that ends in it; the receipt has the
// number.
func receiptOf(id string, r publish.Request) (schedctl.Receipt, bool) {
	id = strings.TrimSpace(id)
	if plain, err := url.PathUnescape(id); err == nil {
		id = plain
	}
	if r.Part == 0 {
		return schedctl.Receipt{ID: id, URL: postURL(id)}, postURN().MatchString(id)
	}
	m := commentID().FindStringSubmatch(id)
	if m == nil {
		return schedctl.Receipt{}, false
	}
	return schedctl.Receipt{ID: m[1] + m[2], URL: postURL(r.Root.ID), Ref: r.Root.ID}, true
}
