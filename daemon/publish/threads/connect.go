package threads

import (
	"context"
	"net/url"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/meta"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// defaultPosts is how many posts an account may have in 24 hours if Threads does not say.
const defaultPosts = 250

// grant is the grant type of a renewal.
const grant = "th_refresh_token"

// Connect asks who the token belongs to, and how many posts the account may have.
func (p *Publisher) Connect(ctx context.Context, c publish.Connection) (publish.Profile, error) {
	given := c
	given.Credentials = meta.WithoutEnd(c.Credentials)
	if err := publish.CheckFields(p.Fields(), given); err != nil {
		return publish.Profile{}, err
	}
	api, err := p.api(c.Credentials)
	if err != nil {
		return publish.Profile{}, err
	}
	var me struct {
		ID       string `json:"id"`
		Username string `json:"username"`
		Name     string `json:"name"`
	}
	if err := api.Read(ctx, &me, url.Values{"fields": {"id,username,name"}}, version, "me"); err != nil {
		return publish.Profile{}, publish.NeedsScope(err, "Threads", "threads_basic")
	}
	if me.ID == "" || me.Username == "" {
		return publish.Profile{}, publish.Contentf(meta.FieldAPI, "%.200q does not respond like the API of Threads; check api_url", api.Base.Host)
	}
	limits, err := readLimits(ctx, api)
	if err != nil {
		return publish.Profile{}, err
	}
	held, expiry := api.WithEnd(ctx, grant, version, c.Credentials)
	return publish.Profile{
		Username: outbound.Label(me.Username), DisplayName: outbound.Label(me.Name), URL: "https://www.threads.net/@" + url.PathEscape(me.Username),
		Identity: me.ID, Limits: limits, Credentials: held, Expiry: expiry, Warnings: replyWarnings(ctx, api),
	}, nil
}

// replyWarnings returns a warning if the token lacks the permission to reply, which the quota
// of replies needs. A quota that cannot be read for another reason is not known.
func replyWarnings(ctx context.Context, api meta.API) []string {
	_, err := readQuota(ctx, api, "reply_quota_usage,reply_config")
	if err == nil || publish.AsError(err).Code != string(publish.HoldScope) {
		return nil
	}
	return []string{"threads and first comments need " + scopeReplies + ", which the token lacks; add it to your app, create a new token, and reconnect the account"}
}

// readLimits asks how many posts the account may have. It needs the permission to publish, so
// a token without it is refused at connect.
func readLimits(ctx context.Context, api meta.API) (schedctl.Limits, error) {
	limits := schedctl.Limits{MaxCharacters: maxText, Unit: "characters"}
	q, err := readQuota(ctx, api, "quota_usage,config")
	if err != nil {
		return limits, publish.NeedsScope(err, "Threads", "threads_content_publish")
	}
	limits.Posts, limits.Window = q.Config.Limits(defaultPosts)
	return limits, nil
}

// Renew implements [publish.Renewer].
func (p *Publisher) Renew(ctx context.Context, c publish.Credentials) (publish.Credentials, publish.Expiry, error) {
	api, err := p.api(c)
	if err != nil {
		return nil, publish.Expiry{}, err
	}
	return api.Renew(ctx, grant, c)
}
