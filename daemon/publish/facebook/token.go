package facebook

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/meta"
)

// scopes are the permissions that a token needs.
var scopes = []string{"pages_manage_posts", "pages_read_engagement", "pages_show_list"}

// typePage is the type of the token of a Page.
const typePage = "PAGE"

// token is what Facebook knows about a token
// (https://developers.facebook.com/docs/graph-api/reference/debug_token). The zero value
// is for a token that it does not describe.
type token struct {
	App     any      `json:"app_id"` // a text with a number
	Type    string   `json:"type"`
	Valid   bool     `json:"is_valid"`
	Ends    int64    `json:"expires_at"` // in Unix seconds; 0 if it does not end
	Scopes  []string `json:"scopes"`
	Profile string   `json:"profile_id"` // of a Page
	Granted []struct {
		Scope   string   `json:"scope"`
		Targets []string `json:"target_ids"` // empty for all
	} `json:"granular_scopes"`
	Error meta.Error `json:"error"`
}

// debug asks what Facebook knows about a token. Facebook responds only to developers of the
// app, so the tokens of other people are used without these checks.
func (a access) debug(ctx context.Context, text string) (token, error) {
	var body struct {
		Data token `json:"data"`
	}
	api := a.API
	api.Token = text
	response, err := api.ReadResponse(ctx, &body, url.Values{"input_token": {text}}, version, "debug_token")
	switch known := body.Data; {
	case err != nil && meta.ErrorOf(response).Code == meta.CodeParameter:
		return token{Valid: true}, nil
	case err != nil:
		return token{}, err
	case !known.Valid && known.Type == "" && known.Error.Code == 0:
		return token{}, publish.Contentf(meta.FieldAPI, "%.200q does not respond like the API of Facebook; check %s", a.Base.Host, meta.FieldAPI)
	case !known.Valid && known.Error.Subcode == meta.SubcodeExpired:
		return token{}, publish.Hold(publish.HoldExpired, a.Platform, 0, "")
	case !known.Valid:
		return token{}, publish.Hold(publish.HoldRevoked, a.Platform, 0, "")
	default:
		return known, nil
	}
}

// check returns an error if the token belongs to a different Page, lacks a permission, or has
// it for other Pages only.
func (t token) check(id string) error {
	switch {
	case t.Type == "":
		return nil
	case t.Type == typePage && t.Profile != "" && t.Profile != id:
		return publish.Contentf(fieldPage, "the token belongs to a different Page; set %s to %.40q, or use a token of this Page", fieldPage, t.Profile)
	}
	var missing []string
	for _, scope := range scopes {
		if !slices.Contains(t.Scopes, scope) {
			missing = append(missing, scope)
		}
	}
	if len(missing) > 0 {
		return holdScope("the token lacks the permissions " + strings.Join(missing, ", ") + ": create one with " + strings.Join(scopes, ", ") + ", and reconnect the account")
	}
	for _, g := range t.Granted {
		if slices.Contains(scopes, g.Scope) && len(g.Targets) > 0 && !slices.Contains(g.Targets, id) {
			return holdScope("the token has the permission " + g.Scope + " for other Pages only: create one, select the Page when Facebook asks for it, and reconnect the account")
		}
	}
	return nil
}

func holdScope(message string) *publish.Error {
	e := publish.Hold(publish.HoldScope, "Facebook", 0, "")
	e.Message = message
	return e
}
