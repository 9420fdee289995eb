package publish

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
)

// Credentials are the credentials of an account, by field name.
type Credentials map[string]string

// OpenCredentials decrypts the credentials of an account with open, which gets the
// account's id. They are nil for an account without credentials. Errors do not contain
// credentials.
func OpenCredentials(open func(sealed []byte, owner string) ([]byte, error), a schedctl.Account) (Credentials, error) {
	if len(a.Credentials) == 0 {
		return nil, nil
	}
	plain, err := open(a.Credentials, a.ID)
	var c Credentials
	if err == nil && json.Unmarshal(plain, &c) != nil {
		// The error of the decoder could quote the credentials.
		err = errors.New("not a JSON object of strings")
	}
	if err != nil {
		return nil, fmt.Errorf("open the credentials of %s: %w", a.ID, err)
	}
	return c, nil
}

// IsSecret reports whether a credential must not be shown. Unlisted credentials are part
// of a session and therefore secret.
func IsSecret(p Publisher, name string) bool {
	return !slices.ContainsFunc(p.Fields(), func(f Field) bool { return f.Name == name && !f.Secret })
}

// Clip cuts valid UTF-8 to at most limit bytes, between two characters.
func Clip(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
