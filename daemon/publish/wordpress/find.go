package wordpress

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// findable are the statuses in which a post may be. A post in the trash has another slug.
const findable = "publish,future,draft,pending,private"

// Find asks for the post by its slug. Errors are an [*publish.Error] with an unknown
// outcome.
func (p *Publisher) Find(ctx context.Context, r publish.Request, _ time.Time) (schedctl.Receipt, bool, error) {
	s, err := p.parseCredentials(r.Credentials)
	if err == nil {
		var receipt schedctl.Receipt
		var found bool
		if receipt, found, err = p.find(ctx, s, r); err == nil {
			return receipt, found, nil
		}
	}
	return schedctl.Receipt{}, false, publish.UnknownOutcome(err)
}

// find asks for the post by its slug. The outcome of errors is not_published, because the
// request only reads.
func (p *Publisher) find(ctx context.Context, s site, r publish.Request) (schedctl.Receipt, bool, error) {
	slug := slugOf(r)
	query := url.Values{"context": {"edit"}, "slug": {slug}, "status": {findable}, "_fields": {"id,slug,link,content"}}
	a, err := outbound.Get(ctx, p.client, s.endpoint(query, "posts"), p.header(s))
	if err != nil {
		return schedctl.Receipt{}, false, notPublished(err)
	}
	if !ok(a) {
		return schedctl.Receipt{}, false, notPublished(refusal(a, publish.PurposeLookup, time.Now(), s.hidden(r.Credentials, hiddenTexts(r)...)...))
	}
	var list []stored
	if json.Unmarshal(a.Body, &list) != nil || strings.TrimSpace(string(a.Body)) == "null" {
		return schedctl.Receipt{}, false, notPublished(outbound.Unconfirmed(a, "the site did not list its posts; schedctl will ask again"))
	}
	for _, post := range list {
		if receipt, ok := post.receipt(r); ok && post.Slug == slug {
			return receipt, true, nil
		}
	}
	return schedctl.Receipt{}, false, nil
}
