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

// contentChecks are what networks say of the texts of one request. Accounts that differ
// in nothing a network looks at share a check: a text is measured once, however
// many accounts it goes to. A checks belongs to one goroutine.
type contentChecks struct {
	server  *Server
	known   map[checkKey]publish.Check
	lengths map[string]int // code points, by text
	frozen  bool           // nothing more may be measured
}

// checkKey is all that [publish.Publisher.Check] looks at.
type checkKey struct {
	platform string
	limits   schedctl.Limits
	options  string // as JSON
	content  string
}

func (s *Server) newContentChecks() *contentChecks {
	return &contentChecks{server: s, known: make(map[checkKey]publish.Check), lengths: make(map[string]int)}
}

// errUnmeasured is returned by frozen checks for a text that was not measured.
var errUnmeasured = errors.New("a text was not measured before the transaction")

// check returns what the network of a parcel's account says of it, and its
// problems as faults of a request. It returns the error of a ctx that ended.
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
		check = p.Check(a, publish.Text(c.content))
		k.known[key] = check
	}
	check.Warnings = slices.Clone(check.Warnings)
	return check, c.faults(check), nil
}

// tooLong reports whether a text is longer than that of any post. Such a one is
// not measured by the rules of networks: its length is in code points, whatever
// they count.
func (k *contentChecks) tooLong(content string) bool {
	n, known := k.lengths[content]
	if !known {
		n = utf8.RuneCountInString(content)
		k.lengths[content] = n
	}
	return n > schedctl.MaxContent
}
