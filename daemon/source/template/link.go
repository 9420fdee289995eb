package template

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/schedctl/schedctl/daemon/publish/pattern"
	"github.com/schedctl/schedctl/daemon/source/feed"
)

// LinkOptions say how the link of an item is changed before it is shown.
type LinkOptions struct {
	Strip bool // remove the parameters that track readers

	// Params are added to the link: names and values. A value is a template with .Platform,
	// .Source and .Version.
	Params map[string]string
}

const (
	maxParams     = 20
	maxParamValue = 200  // bytes, of the template and of what it gives
	maxLink       = 2048 // bytes
)

var paramName = pattern.Lazy(`^[A-Za-z0-9_.~-]{1,64}$`)

// Check returns why the options cannot be used, or nil. The error is fit for users.
func (o LinkOptions) Check() error {
	if len(o.Params) > maxParams {
		return fmt.Errorf("a link can have %d parameters at most", maxParams)
	}
	for _, name := range slices.Sorted(maps.Keys(o.Params)) {
		if !paramName().MatchString(name) {
			return fmt.Errorf("%.70q is no name of a parameter; use letters, digits, dots, dashes and underscores", name)
		}
		if _, err := paramTemplate(o.Params[name]); err != nil {
			return fmt.Errorf("the parameter %s: %w", name, err)
		}
	}
	return nil
}

func paramTemplate(text string) (*Template, error) {
	if len(text) > maxParamValue {
		return nil, fmt.Errorf("its value has %d bytes; the limit is %d", len(text), maxParamValue)
	}
	return parseFor(text, []string{"Platform", "Source", "Version"})
}

// Link returns the link as the post shows it. It is empty for an empty link. Parameters whose
// value is empty are left out. A parameter of the same name is replaced. All others keep their
// place and their spelling. The error is fit for users.
func (o LinkOptions) Link(d Data) (string, error) {
	if d.Link == "" {
		return "", nil
	}
	link := d.Link
	if o.Strip {
		link = feed.StripTracking(link)
	}
	u, err := url.Parse(link)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
		return "", errors.New("the link of the item is no address that starts with https:// or http://")
	}
	if len(o.Params) == 0 {
		return link, nil
	}
	added := url.Values{}
	for name, value := range o.Params {
		t, err := paramTemplate(value)
		if err != nil {
			return "", fmt.Errorf("the parameter %s: %w", name, err)
		}
		output, err := t.execute(d)
		if err != nil {
			return "", fmt.Errorf("the parameter %s: %w", name, err)
		}
		if text := split(output).join(); text != "" {
			added.Set(name, text[:min(len(text), maxParamValue)])
		}
	}
	if link = withParams(u, added); len(link) > maxLink {
		return "", fmt.Errorf("the link has %d bytes with its parameters; the limit is %d", len(link), maxLink)
	}
	return link, nil
}

// withParams returns a URL with parameters, which replace those of the same name.
func withParams(u *url.URL, added url.Values) string {
	if len(added) == 0 {
		return u.String()
	}
	var kept []string
	for pair := range strings.SplitSeq(u.RawQuery, "&") {
		name, _, _ := strings.Cut(pair, "=")
		if plain, err := url.QueryUnescape(name); err == nil {
			name = plain
		}
		if pair != "" && !added.Has(name) {
			kept = append(kept, pair)
		}
	}
	u.RawQuery = strings.Join(append(kept, added.Encode()), "&")
	return u.String()
}
