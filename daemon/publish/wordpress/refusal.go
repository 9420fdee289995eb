package wordpress

import (
	"encoding/json"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/pattern"
)

// codeMissingScope is the code of a user who may not do what a post needs.
const codeMissingScope = "missing_scope"

// errorCode matches the codes of WordPress and its plugins.
var errorCode = pattern.Lazy(`^[a-z][a-z0-9_-]{1,63}$`)

const newPassword = "create an application password in the user's profile in WordPress, and reconnect the account with it"

// errorMeanings are codes of the REST API that say more than the HTTP status.
var errorMeanings = map[string]struct {
	kind    schedctl.ErrorKind
	message string
}{
	"application_passwords_disabled":          {schedctl.KindAuth, "the site does not allow application passwords; it needs https, and no plugin may turn them off"},
	"application_passwords_disabled_for_user": {schedctl.KindAuth, "the site does not allow this user application passwords; ask its administrator"},
	"incorrect_password":                      {schedctl.KindAuth, "WordPress refused the application password; " + newPassword},
	"invalid_email":                           {schedctl.KindAuth, "WordPress knows no user with this e-mail address; reconnect the account with another username"},
	"invalid_username":                        {schedctl.KindAuth, "WordPress knows no user with this name; reconnect the account with another username"},
	"rest_login_required":                     {schedctl.KindAuth, "a plugin of the site closes the REST API; allow it for users who are logged in"},
	"rest_not_logged_in": {schedctl.KindAuth, "WordPress did not accept the login: " + newPassword +
		"; if it is correct, the web server may remove the header Authorization"},
	"rest_no_route": {schedctl.KindPlatform, "the site has no REST API of WordPress here; check the address of the account"},
}

// missingRights are the codes of a user who may not make a post.
var missingRights = map[string]bool{
	"rest_cannot_create": true, "rest_cannot_edit_others": true, "rest_cannot_publish": true, "rest_cannot_assign_term": true,
}

// missingScope returns the error of a user who may not publish.
func missingScope(status int) *publish.Error {
	return &publish.Error{
		Kind: schedctl.KindAuth, Code: codeMissingScope, HTTPStatus: status, Outcome: schedctl.OutcomeNotPublished,
		Message: "the user may not publish posts: give the user the role Author or Editor in WordPress, or set the option status to draft or pending, then verify the account",
	}
}

// refusal returns the error for a response that is not 2xx.
func refusal(a outbound.Response, purpose publish.Purpose, now time.Time, hidden ...string) *publish.Error {
	e := outbound.Refusal(a, purpose, now)
	code := codeOf(a)
	if a.Status < 400 || code == "" {
		return outbound.WithErrorText(e, outbound.ErrorText(a, hidden...))
	}
	if a.Status < 500 && e.Code == "" {
		e.Code = code
	}
	if missingRights[code] && a.Status < 500 {
		return missingScope(a.Status)
	}
	if m, known := errorMeanings[code]; known && a.Status != 429 {
		e.Kind, e.Code, e.Message, e.Outcome = m.kind, code, m.message, schedctl.OutcomeNotPublished
	}
	return outbound.WithErrorText(e, outbound.ErrorText(a, hidden...))
}

// codeOf returns the code in an error of the API, or the empty string.
func codeOf(a outbound.Response) string {
	var body struct {
		Code any `json:"code"`
	}
	_ = json.Unmarshal(a.Body, &body)
	code, _ := body.Code.(string)
	if !errorCode().MatchString(code) {
		return ""
	}
	return code
}
