package api

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// contentChecks caches the check results of one request. Accounts with equal
// settings share a check, so a text is measured once for all of them. A
// contentChecks belongs to one goroutine.
type contentChecks struct {
	server  *Server
	known   map[checkKey]publish.Check
	lengths map[string]int // code points, by text
	frozen  bool           // only cached results may be used
}

// checkKey holds all inputs of [publish.Publisher.Check].
type checkKey struct {
	platform string
	limits   schedctl.Limits
	options  string // as JSON
	content  string
}

func (s *Server) newContentChecks() *contentChecks {
	return &contentChecks{server: s, known: make(map[checkKey]publish.Check), lengths: make(map[string]int)}
}

// errUnmeasured is the error of frozen checks for a text without a cached result.
var errUnmeasured = errors.New("a text was not measured before the transaction")

// check returns the check result for the content of an account, and its problems as
// faults of a request. It returns the error of a ctx that ended.
func (k *contentChecks) check(ctx context.Context, c accountContent) (publish.Check, []schedctl.FieldError, error) {
	p, ok := k.server.publishers[c.account.Platform]
	if !ok {
		return publish.Measured(utf8.RuneCountInString(c.content), 0, "characters"), nil, nil
	}
	a := c.account
	if k.tooLong(c.content) {
		check := publish.Measured(k.lengths[c.content], a.Limits.MaxCharacters, a.Limits.Unit)
		return check, c.faults(check), nil
	}
	a.Options, a.Credentials = a.OptionsFor(c.options), nil
	options, err := json.Marshal(a.Options)
	if err != nil {
		return publish.Check{}, nil, err
	}
	key := checkKey{a.Platform, a.Limits, string(options), c.content}
	check, known := k.known[key]
	if !known {
		if k.frozen {
			return publish.Check{}, nil, errUnmeasured
		}
		if err := ctx.Err(); err != nil {
			return publish.Check{}, nil, err
		}
		check = p.Check(a, c.content)
		k.known[key] = check
	}
	check.Warnings = slices.Clone(check.Warnings)
	return check, c.faults(check), nil
}

// tooLong reports whether a text is longer than any post may be. Such a text is not
// measured by the rules of networks. Its length is counted in code points.
func (k *contentChecks) tooLong(content string) bool {
	n, known := k.lengths[content]
	if !known {
		n = utf8.RuneCountInString(content)
		k.lengths[content] = n
	}
	return n > schedctl.MaxContent
}
