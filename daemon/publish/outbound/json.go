package outbound

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// Header returns the headers of a request to a JSON API. The token may be empty.
func Header(userAgent, token string) http.Header {
	h := http.Header{"Accept": {"application/json"}, "User-Agent": {userAgent}}
	if token != "" {
		h.Set("Authorization", "Bearer "+token)
	}
	return h
}

// ValidToken reports whether a header can carry the token.
func ValidToken(token string) bool {
	return len(token) <= 2048 && !strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' })
}

// EncodeJSON returns a value as JSON without escapes for HTML. It ignores errors: the
// value must consist of strings, numbers, booleans and times from year 0 to 9999.
func EncodeJSON(value any) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(value)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// AddressError returns an error about the field of an account if err means that the
// client may not connect to the address in the field: a retry would not help.
// Otherwise it returns err.
func AddressError(err error, field string) error {
	if errors.Is(err, ErrPrivateAddress) || errors.Is(err, ErrPlainHTTP) {
		return publish.Contentf(field, "%s", publish.AsError(err).Message)
	}
	return err
}

// Unconfirmed returns the error for a response of success that does not name the
// published post. It may come from a proxy, so the outcome is unknown.
func Unconfirmed(a Response, message string) *publish.Error {
	return &publish.Error{Kind: schedctl.KindPlatform, Message: message, HTTPStatus: a.Status, Outcome: schedctl.OutcomeUnknown}
}
