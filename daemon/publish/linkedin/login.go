package linkedin

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/schedctl/schedctl/daemon/publish"
)

// The permissions that publishing needs, as a person and as an organization, and those that
// comments with the current API need, which LinkedIn gives few apps.
var (
	personScopes         = []string{"openid", "profile", "w_member_social"}
	organizationScopes   = []string{"w_organization_social", "r_organization_social"}
	personComments       = []string{"w_member_social_feed"}
	organizationComments = []string{"w_organization_social_feed", "r_organization_social_feed"}
)

// optionalScopes are the permissions that a login asks for only if LinkedIn has approved the
// app for them, because it refuses the whole login for one that the app does not have.
var optionalScopes = []struct {
	field                string
	person, organization []string
	without              string // what happens without them
}{
	{fieldComments, personComments, organizationComments, "comments may fail"},
	{fieldAnalytics, []string{scopePersonResults}, []string{scopeOrganizationResults}, "schedctl reads no numbers of posts"},
}

// scopesOf returns the permissions that an account needs.
func scopesOf(organization bool) []string {
	if organization {
		return organizationScopes
	}
	return personScopes
}

// Ways lists the token of the developer portal, and a login.
func (p *Publisher) Ways() []publish.Way {
	return []publish.Way{
		{Label: "with a token of the developer portal", Needs: []string{fieldToken}, Wants: []string{fieldOrganization, fieldClient, fieldClientSecret}},
		{Label: "with a browser", Needs: []string{fieldClient, fieldClientSecret}, Wants: []string{fieldOrganization}, Login: true},
	}
}

// CodeLogin returns the login of LinkedIn
// (https://learn.microsoft.com/linkedin/shared/authentication/authorization-code-flow). A
// server in api_url serves the pages of the login as well.
func (p *Publisher) CodeLogin(_ context.Context, _ *http.Client, c publish.Credentials) (publish.Login, error) {
	for _, f := range p.Fields() {
		if err := f.CheckValue(c[f.Name]); err != nil {
			return publish.Login{}, publish.Contentf(f.Name, "%s", err)
		}
	}
	for _, name := range []string{fieldClient, fieldClientSecret} {
		if strings.TrimSpace(c[name]) == "" {
			return publish.Login{}, publish.Contentf(name, "%s is missing; a login needs it. It is on the tab Auth of your app", name)
		}
	}
	base := publicLogin
	if given := strings.TrimSpace(c[fieldAPI]); given != "" {
		base = given
	}
	base = strings.TrimRight(base, "/") + "/oauth/v2/"
	organization := strings.TrimSpace(c[fieldOrganization]) != ""
	login := publish.Login{
		Network: "LinkedIn", AuthorizeURL: base + "authorization", TokenURL: base + "accessToken",
		ClientID: strings.TrimSpace(c[fieldClient]), ClientSecret: strings.TrimSpace(c[fieldClientSecret]),
		Scopes: scopesOf(organization),
	}
	for _, optional := range optionalScopes {
		if strings.TrimSpace(c[optional.field]) == "" {
			continue
		}
		more := optional.person
		if organization {
			more = optional.organization
		}
		login.Scopes = slices.Concat(login.Scopes, more)
		advice := "log in without " + optional.field + "=" + approved + ", or request the product that has " + strings.Join(more, " and ") +
			" in the developer portal; without, " + optional.without + ", and posts are published"
		if login.Refused != "" {
			advice = login.Refused + "; or " + advice
		}
		login.Refused = advice
	}
	return login, nil
}
