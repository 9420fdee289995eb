package account

import (
	"context"
	"slices"
	"strings"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/mastodon"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// The platform that a person can log in to with a browser, the field that says
// where, and the secret that comes of it.
const (
	loginPlatform = "mastodon"
	loginServer   = "instance_url"
	loginSecret   = "access_token"
)

// loginError is a login that did not work and can be tried again.
type loginError struct{ err error }

func (e *loginError) Error() string {
	return "the login did not work: " + publish.AsError(e.err).Message
}

func (e *loginError) Unwrap() error { return e.err }

// logIn asks where and how to log in, does it when it is by browser, and returns
// the fields that are still to be asked for.
func (w *wizard) logIn(ctx context.Context, names []string) (rest []string, err error) {
	if slices.Contains(names, loginServer) {
		if err := w.askFields(ctx, []string{loginServer}); err != nil {
			return nil, err
		}
	}
	browser := "browser"
	if !w.login {
		err := w.Ask(ctx, []cli.Question{{Title: "How to log in", Value: &browser, Choices: []cli.Choice{
			{Value: "browser", Label: "with a browser, which shows a code to type here"},
			{Value: "token", Label: "with an access token from the settings of the server"},
		}}})
		if err != nil {
			return nil, err
		}
	}
	done := []string{loginServer}
	if browser == "browser" {
		token, err := w.browse(ctx)
		if err != nil {
			return nil, err
		}
		w.values[loginSecret] = token
		done = append(done, loginSecret)
	}
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return slices.Contains(done, n) }), nil
}

// browse sends the person to the server's own page and returns the token for
// the code that is shown there. The server is called from here, where the person
// chose it, and may be on any network.
func (w *wizard) browse(ctx context.Context) (token string, err error) {
	calls := outbound.Client(outbound.AllowPrivate)
	defer calls.CloseIdleConnections()
	login, err := mastodon.StartLogin(ctx, calls, w.values[loginServer], cli.VersionText())
	if err != nil {
		return "", w.loginFailure(ctx, err)
	}
	w.Messagef("open this page in a browser, allow schedctl to post, and copy the code that it shows:\n\n  %s\n", cli.Printable(login.URL))
	var code string
	if err := w.Ask(ctx, []cli.Question{{Title: "Code", Required: true, Value: &code}}); err != nil {
		return "", err
	}
	if token, err = login.Finish(ctx, strings.TrimSpace(code)); err != nil {
		return "", w.loginFailure(ctx, err)
	}
	return token, nil
}

func (w *wizard) loginFailure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return &loginError{err}
}
