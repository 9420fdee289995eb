package outbound

import (
	"fmt"
	"strings"
)

// TokenCheck returns the check of a field that holds a token or a key. foreign maps
// prefixes of other secrets that people confuse with it to a sentence that names the right
// one.
func TokenCheck(field string, foreign map[string]string) func(value string) error {
	return func(value string) error {
		for prefix, advice := range foreign {
			if strings.HasPrefix(value, prefix) {
				return fmt.Errorf("%s: %s", field, advice)
			}
		}
		switch scheme, _, _ := strings.Cut(value, " "); {
		case strings.EqualFold(scheme, "Bearer"):
			return fmt.Errorf("%s: leave out the word Bearer", field)
		case strings.ContainsAny(value, "\"'"):
			return fmt.Errorf("%s: leave out the quotation marks", field)
		case !ValidToken(value):
			return fmt.Errorf("%s contains white space or other characters that it cannot have; copy it again", field)
		}
		return nil
	}
}

// ServerCheck returns the check of a field that holds the address of a server without a
// path, such as example. It does not check whether a policy allows the host.
func ServerCheck(field, example string) func(value string) error {
	return func(value string) error {
		u, err := ParseURL(value)
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", field, err)
		case strings.Trim(u.Path, "/") != "" || u.RawQuery != "":
			return fmt.Errorf("%s must be the address of a server without a path, such as %s", field, example)
		}
		return nil
	}
}
