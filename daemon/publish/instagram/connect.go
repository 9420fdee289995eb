package instagram

import (
	"context"
	"maps"
	"net/url"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/meta"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// defaultPosts is how many posts an account may have in 24 hours if Instagram does not say.
const defaultPosts = 100

// profile is the account of a token
// (https://developers.facebook.com/docs/instagram-platform/instagram-api-with-instagram-login/get-started).
type profile struct {
	ID       string `json:"user_id"`
	Username string `json:"username"`
	Name     string `json:"name"`
	Type     string `json:"account_type"`
}

// grant is the grant type of a renewal.
const grant = "ig_refresh_token"

// Connect asks who the token belongs to, and how many posts the account may have.
func (p *Publisher) Connect(ctx context.Context, c publish.Connection) (publish.Profile, error) {
	given := c
	given.Credentials = meta.WithoutEnd(c.Credentials)
	delete(given.Credentials, fieldUser)
	if err := publish.CheckFields(p.Fields(), given); err != nil {
		return publish.Profile{}, err
	}
	api, err := p.containers(c.Credentials)
	if err != nil {
		return publish.Profile{}, err
	}
	me, err := readProfile(ctx, api)
	if err != nil {
		return publish.Profile{}, err
	}
	api.User = me.ID
	limits, err := readLimits(ctx, api)
	if err != nil {
		return publish.Profile{}, err
	}
	added, expiry := api.WithEnd(ctx, grant, version, c.Credentials)
	if added == nil && c.Credentials[fieldUser] != me.ID {
		added = maps.Clone(c.Credentials)
	}
	if added != nil {
		added[fieldUser] = me.ID
	}
	return publish.Profile{
		Username: outbound.Label(me.Username), DisplayName: outbound.Label(me.Name), URL: "https://www.instagram.com/" + url.PathEscape(me.Username) + "/",
		Identity: me.ID, Limits: limits, Credentials: added, Expiry: expiry,
	}, nil
}

// readProfile asks who the token belongs to. The documentation shows the account in a list,
// and the API returns it on its own.
func readProfile(ctx context.Context, api meta.Containers) (profile, error) {
	var response struct {
		profile
		Data []profile `json:"data"`
	}
	if err := api.Read(ctx, &response, url.Values{"fields": {"user_id,username,name,account_type"}}, version, "me"); err != nil {
		return profile{}, publish.NeedsScope(err, "Instagram", "instagram_business_basic")
	}
	me := response.profile
	if len(response.Data) > 0 {
		me = response.Data[0]
	}
	switch {
	case !meta.ObjectID(me.ID) || me.Username == "":
		return profile{}, publish.Contentf(meta.FieldAPI, "%.200q does not respond like the API of Instagram; check api_url", api.Base.Host)
	case strings.EqualFold(me.Type, "personal"):
		return profile{}, publish.Contentf(meta.FieldToken,
			"the token belongs to a personal account, and Instagram lets programs publish only to professional ones; switch the account in its settings under \"Account type and tools\", then create a new token")
	}
	return me, nil
}

// readLimits asks how many posts the account may have. It needs the permission to publish,
// so a token without it is refused at connect.
func readLimits(ctx context.Context, api meta.Containers) (schedctl.Limits, error) {
	var quota struct {
		Data []struct {
			Config meta.Quota `json:"config"`
		} `json:"data"`
	}
	limits := schedctl.Limits{MaxCharacters: maxCaption, Unit: "characters"}
	if err := api.Read(ctx, &quota, url.Values{"fields": {"quota_usage,config"}}, version, api.User, "content_publishing_limit"); err != nil {
		return limits, publish.NeedsScope(err, "Instagram", "instagram_business_content_publish")
	}
	var posts meta.Quota
	if len(quota.Data) > 0 {
		posts = quota.Data[0].Config
	}
	limits.Posts, limits.Window = posts.Limits(defaultPosts)
	return limits, nil
}

// Renew implements [publish.Renewer].
func (p *Publisher) Renew(ctx context.Context, c publish.Credentials) (publish.Credentials, publish.Expiry, error) {
	api, err := p.containers(c)
	if err != nil {
		return nil, publish.Expiry{}, err
	}
	return api.Renew(ctx, grant, c)
}
