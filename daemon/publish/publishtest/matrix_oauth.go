package publishtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

const matrixDeviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

// metadata is the document of the authorization server.
func (f *FakeMatrix) metadata() (int, string) {
	if !f.OAuth {
		return 404, `{"errcode":"M_UNRECOGNIZED","error":"Legacy authentication is in use on this homeserver."}`
	}
	grants, at := []string{"authorization_code", "refresh_token"}, f.URL+"/oauth2/"
	document := map[string]any{
		"issuer": f.URL + "/", "authorization_endpoint": at + "auth", "token_endpoint": at + "token", "registration_endpoint": at + "clients/register",
		"revocation_endpoint": at + "revoke", "response_types_supported": []string{"code"}, "response_modes_supported": []string{"query", "fragment"},
		"code_challenge_methods_supported": []string{"S256"},
	}
	if f.Device {
		document["device_authorization_endpoint"], grants = at+"device", append(grants, matrixDeviceGrant)
	}
	document["grant_types_supported"] = grants
	body, _ := json.Marshal(document)
	return 200, string(body)
}

// oauth serves the authorization server.
func (f *FakeMatrix) oauth(header http.Header, r *http.Request, endpoint string, body []byte) (int, string) {
	header.Set("Content-Type", "application/json")
	switch endpoint {
	case "clients/register":
		return f.registerClient(body)
	case "auth":
		return f.authorizePage(header, r.URL.Query())
	case "device":
		return f.startDevice(form(body))
	case "link":
		code := r.URL.Query().Get("code")
		f.devices[code] = strings.TrimPrefix(f.devices[code], "waiting ")
		return 200, "You can close this page."
	case "token":
		return f.token(form(body))
	}
	return 404, `{"error":"not_found"}`
}

// registerClient registers a native client (MSC2966).
func (f *FakeMatrix) registerClient(body []byte) (int, string) {
	var in struct {
		URI       string   `json:"client_uri"`
		Kind      string   `json:"application_type"`
		Auth      string   `json:"token_endpoint_auth_method"`
		Redirects []string `json:"redirect_uris"`
		Grants    []string `json:"grant_types"`
	}
	if json.Unmarshal(body, &in) != nil || !strings.HasPrefix(in.URI, "https://") || in.Kind != "native" || in.Auth != "none" ||
		len(in.Redirects) == 0 || !slices.Contains(in.Grants, "authorization_code") || !slices.Contains(in.Grants, "refresh_token") {
		return 400, `{"error":"invalid_client_metadata","error_description":"The value of one of the client metadata fields is invalid."}`
	}
	for _, address := range in.Redirects {
		if u, err := url.Parse(address); err != nil || u.Port() != "" {
			return 400, `{"error":"invalid_redirect_uri","error_description":"The value of one or more redirection URIs is invalid."}`
		}
	}
	id := fmt.Sprint("client-", len(f.clients)+1)
	f.clients[id] = matrixClient{in.Redirects, in.Grants}
	return 201, fmt.Sprintf(`{"client_id":%q}`, id)
}

// authorizePage is the page on which the user agrees.
func (f *FakeMatrix) authorizePage(header http.Header, query url.Values) (int, string) {
	client, known := f.clients[query.Get("client_id")]
	redirect, err := url.Parse(query.Get("redirect_uri"))
	if !known || err != nil || query.Get("code_challenge_method") != "S256" || query.Get("state") == "" {
		return 400, "invalid_request"
	}
	without := *redirect
	without.Host = redirect.Hostname() // any port of the loopback address is accepted
	if !slices.Contains(client.redirects, without.String()) {
		return 400, "invalid redirect_uri"
	}
	return authorize(header, query, query.Get("client_id"), false, f.codes)
}

func (f *FakeMatrix) startDevice(values url.Values) (int, string) {
	if client, known := f.clients[values.Get("client_id")]; !f.Device || !known || !slices.Contains(client.grants, matrixDeviceGrant) {
		return 400, `{"error":"unauthorized_client"}`
	}
	code := fmt.Sprint("device-code-", len(f.devices)+1)
	f.devices[code] = "waiting " + values.Get("scope")
	return 200, fmt.Sprintf(`{"device_code":%q,"user_code":"ABCD","verification_uri":%q,"verification_uri_complete":%q,"expires_in":600,"interval":1}`,
		code, f.URL+"/oauth2/link", f.URL+"/oauth2/link?code="+code)
}

// token serves the three grants.
func (f *FakeMatrix) token(values url.Values) (int, string) {
	client, scope := values.Get("client_id"), ""
	if _, known := f.clients[client]; !known {
		return 401, `{"error":"invalid_client","error_description":"Client authentication failed"}`
	}
	const invalid = `{"error":"invalid_grant","error_description":"The provided access grant is invalid, expired, or revoked."}`
	switch values.Get("grant_type") {
	case "refresh_token":
		refresh, s, ok := f.renew(values.Get("refresh_token"), client)
		if !ok {
			return 400, invalid
		}
		return 200, f.grant(refresh, s)
	case "authorization_code":
		a, ok := redeem(values, f.codes)
		if !ok || a.challenge == "" {
			return 400, invalid
		}
		scope = a.scope
	case matrixDeviceGrant:
		scope = f.devices[values.Get("device_code")]
		if scope == "" {
			return 400, invalid
		}
		if strings.HasPrefix(scope, "waiting ") {
			return 400, `{"error":"authorization_pending"}`
		}
		delete(f.devices, values.Get("device_code"))
	default:
		return 400, `{"error":"unsupported_grant_type"}`
	}
	if f.Scope != "" {
		scope = f.Scope
	}
	_, device, _ := strings.Cut(scope, "urn:matrix:client:device:")
	refresh, s := f.issue(device, client, scope, "")
	return 200, f.grant(refresh, s)
}

func (f *FakeMatrix) grant(refresh string, s *matrixSession) string {
	return fmt.Sprintf(`{"token_type":"Bearer","access_token":%q,"refresh_token":%q,"expires_in":%d,"scope":%q}`, s.access, refresh, f.Seconds, s.scope)
}
