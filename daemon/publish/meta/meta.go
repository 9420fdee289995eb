// Package meta has what the APIs of Meta have in common: requests with a token, the errors
// in responses, the limits of requests, ids, times, and tokens that end after 60 days.
package meta

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// The credentials that all platforms of Meta have.
const (
	FieldToken = "access_token"
	FieldAPI   = "api_url"
)

// API is an API of Meta with the token of an account.
type API struct {
	Client    *http.Client
	UserAgent string
	Platform  string   // as users know it, such as "Threads"
	Base      *url.URL // scheme and host
	Token     string
	Purpose   publish.Purpose // of Read; empty for [publish.PurposeIdentity]
	Hidden    []string        // other texts that no error may contain
}

// Parse completes an API with the credentials. public is the address of the platform.
// Errors do not contain secret values.
func (a API) Parse(c publish.Credentials, policy outbound.Policy, public string) (API, error) {
	address := c[FieldAPI]
	if address == "" {
		address = public
	}
	u, err := policy.ParseAddress(address)
	if err != nil {
		return API{}, publish.Contentf(FieldAPI, "%s: %s", FieldAPI, err)
	}
	if !outbound.ValidToken(c[FieldToken]) || c[FieldToken] == "" {
		return API{}, publish.Contentf(FieldToken, "the token contains white space or invalid characters; copy it again")
	}
	a.Base, a.Token = &url.URL{Scheme: u.Scheme, Host: u.Host}, c[FieldToken]
	return a, nil
}

// For returns the API for requests with a purpose that read.
func (a API) For(purpose publish.Purpose) API {
	a.Purpose = purpose
	return a
}

// Read sends a request that only reads. Errors have the outcome not_published.
func (a API) Read(ctx context.Context, into any, query url.Values, path ...string) error {
	_, err := a.ReadResponse(ctx, into, query, path...)
	return err
}

// ReadResponse is [API.Read], and returns the response too.
func (a API) ReadResponse(ctx context.Context, into any, query url.Values, path ...string) (outbound.Response, error) {
	u := a.Base.JoinPath(path...)
	query.Set(FieldToken, a.Token)
	u.RawQuery = query.Encode()
	response, err := outbound.Get(ctx, a.Client, u.String(), outbound.Header(a.UserAgent, ""))
	if err != nil {
		return response, publish.NotPublished(err)
	}
	if response.Status != http.StatusOK {
		return response, publish.NotPublished(a.Refusal(response, cmp.Or(a.Purpose, publish.PurposeIdentity), time.Now()))
	}
	if response.Cut || json.Unmarshal(response.Body, into) != nil {
		return response, publish.NotPublished(outbound.Unconfirmed(response, a.Platform+" did not respond as expected; schedctl will ask again"))
	}
	return response, nil
}

// Post sends a request with a form. It returns every response.
func (a API) Post(ctx context.Context, form url.Values, path ...string) (outbound.Response, error) {
	form.Set(FieldToken, a.Token)
	header := outbound.Header(a.UserAgent, "")
	header.Set("Content-Type", "application/x-www-form-urlencoded")
	return outbound.Post(ctx, a.Client, a.Base.JoinPath(path...).String(), header, []byte(form.Encode()))
}

// PostBody sends a request with a body that contains the token. It returns every response.
func (a API) PostBody(ctx context.Context, body outbound.Body, path ...string) (outbound.Response, error) {
	return outbound.PostBody(ctx, a.Client, a.Base.JoinPath(path...).String(), outbound.Header(a.UserAgent, ""), body)
}

var objectID = pattern.Lazy(`^[0-9]{1,40}(_[0-9]{1,40})?$`)

// ObjectID reports whether a text can be the id of an object.
func ObjectID(id string) bool { return objectID().MatchString(id) }

// CreatedID returns the id of the object in a response, or the empty string.
func CreatedID(response outbound.Response) string {
	var created struct {
		ID string `json:"id"`
	}
	_ = json.Unmarshal(response.Body, &created)
	if response.Cut || !ObjectID(created.ID) {
		return ""
	}
	return created.ID
}

// ParseTime returns a time in a response, or zero.
func ParseTime(text string) time.Time {
	at, _ := time.Parse("2006-01-02T15:04:05-0700", text)
	return at
}
