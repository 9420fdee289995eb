package account

import (
	"context"
	"slices"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/daemon/publish"
)

// waysOf returns the kinds of credentials of a platform, or nil if it has only one.
func waysOf(platform string) []publish.Way {
	if p, ok := publishers()[platform].(publish.Chooser); ok {
		return p.Ways()
	}
	return nil
}

// codeLogin returns the publisher of a platform whose login sends the browser back with a
// code, or nil.
func codeLogin(platform string) publish.CodeLogin {
	p, _ := publishers()[platform].(publish.CodeLogin)
	return p
}

// mayLogIn reports whether --login works for a platform.
func mayLogIn(platform string) bool { return platform == loginPlatform || codeLogin(platform) != nil }

// loginPlatforms lists the platforms for which --login works.
func loginPlatforms() []string {
	return slices.DeleteFunc(PlatformNames(), func(name string) bool { return !mayLogIn(name) })
}

// chooseWay decides which kind of credentials to prompt for. It asks if the given values
// leave a choice.
func (w *wizard) chooseWay(ctx context.Context) error {
	ways := w.possibleWays()
	if len(ways) == 0 || slices.ContainsFunc(ways, w.complete) {
		return nil // the daemon refuses what fits no way
	}
	if len(ways) > 1 {
		label := ways[0].Label
		choices := make([]cli.Choice, len(ways))
		for i, way := range ways {
			choices[i] = cli.Choice{Value: way.Label, Label: way.Label}
		}
		if err := w.Ask(ctx, []cli.Question{{Title: "How to connect", Value: &label, Choices: choices}}); err != nil {
			return err
		}
		ways = slices.DeleteFunc(ways, func(way publish.Way) bool { return way.Label != label })
	}
	w.use(ways[0])
	return nil
}

// possibleWays returns the ways that accept the given credentials.
func (w *wizard) possibleWays() []publish.Way {
	return slices.DeleteFunc(w.fittingWays(), func(way publish.Way) bool { return way.Login != w.login && (w.login || w.appOf != "") })
}

// bareSecret returns the field that a secret alone is the value of, if the platform has
// several: the only one that a way lacks. It is empty if that is not clear.
func (c *connection) bareSecret() (name string) {
	for _, way := range c.fittingWays() {
		missing := slices.DeleteFunc(slices.Clone(way.Needs), func(name string) bool { return c.values[name] != "" })
		isSecret := func(f publish.Field) bool { return len(missing) == 1 && f.Name == missing[0] }
		if way.Login || !slices.ContainsFunc(c.secrets(), isSecret) {
			continue
		}
		if name != "" {
			return ""
		}
		name = missing[0]
	}
	return name
}

// fittingWays returns the ways that accept the given credentials.
func (c *connection) fittingWays() []publish.Way {
	all := waysOf(c.platform)
	inWay := func(name string) bool {
		return slices.ContainsFunc(all, func(way publish.Way) bool { return accepts(way, name) })
	}
	return slices.DeleteFunc(slices.Clone(all), func(way publish.Way) bool {
		for name, value := range c.values {
			if value != "" && inWay(name) && !accepts(way, name) {
				return true
			}
		}
		return false
	})
}

func accepts(way publish.Way, name string) bool {
	return slices.Contains(way.Needs, name) || slices.Contains(way.Wants, name)
}

// complete reports whether nothing that a way needs is missing.
func (w *wizard) complete(way publish.Way) bool {
	return !way.Login && !slices.ContainsFunc(way.Needs, func(name string) bool { return w.field(name) != nil && w.values[name] == "" })
}

// use limits the fields to those of a way, in its order, and to those that no way has.
func (w *wizard) use(way publish.Way) {
	var fields []publish.Field
	for i, name := range slices.Concat(way.Needs, way.Wants) {
		if f := w.field(name); f != nil {
			f.Required = i < len(way.Needs)
			fields = append(fields, *f)
		}
	}
	for _, f := range w.fields {
		inWay := slices.ContainsFunc(waysOf(w.platform), func(way publish.Way) bool { return accepts(way, f.Name) })
		if !inWay {
			fields = append(fields, f)
		}
	}
	w.fields, w.codeLogin = fields, way.Login
}

// withoutApp removes the fields that another account provides.
func (c *connection) withoutApp() {
	c.fields = slices.DeleteFunc(slices.Clone(c.fields), func(f publish.Field) bool { return f.App })
}
