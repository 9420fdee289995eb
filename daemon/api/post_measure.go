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

// checks are what networks say of the texts of one request. Accounts that differ
// in nothing a network looks at share a check: a text is measured once, however
// many accounts it goes to. A checks belongs to one goroutine.
type checks struct {
	server *Server
	known  map[checkKey]publish.Check
	frozen bool // nothing more may be measured
}

// checkKey is all that [publish.Publisher.Check] looks at.
type checkKey struct {
	platform string
	limits   schedctl.Limits
	options  string // as JSON
	content  string
}

func (s *Server) newChecks() *checks {
	return &checks{server: s, known: make(map[checkKey]publish.Check)}
}

// errUnmeasured is returned by frozen checks for a text that was not measured.
var errUnmeasured = errors.New("a text was not measured before the transaction")

// measure returns what the network of a parcel's account says of it, and its
// problems as faults of a request. It returns the error of a ctx that ended.
func (k *checks) measure(ctx context.Context, c parcel) (publish.Check, []schedctl.FieldError, error) {
	p, ok := k.server.publishers[c.account.Platform]
	if !ok {
		return publish.Measured(utf8.RuneCountInString(c.content), 0, "characters"), nil, nil
	}
	a := c.account
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
		check = checkBounded(p, a, c.content)
		k.known[key] = check
	}
	faults := make([]schedctl.FieldError, len(check.Problems))
	for i, problem := range check.Problems {
		faults[i] = c.fault(check, problem)
	}
	check.Warnings = slices.Clone(check.Warnings)
	return check, faults, nil
}

// checkBounded asks the publisher, unless the content is longer than that of any
// post: then its length is in code points, whatever the network counts.
func checkBounded(p publish.Publisher, a schedctl.Account, content string) publish.Check {
	if n := utf8.RuneCountInString(content); n > schedctl.MaxContent {
		return publish.Measured(n, a.Limits.MaxCharacters, a.Limits.Unit)
	}
	return p.Check(a, content)
}
