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

// The platform with a login in a browser, the field with its server, and the secret
// that the login returns.
const (
	loginPlatform = "mastodon"
	loginServer   = "instance_url"
	loginSecret   = "access_token"
)

// loginError is a failed login. The person can try again.
type loginError struct{ err error }

func (e *loginError) Error() string {
	return "the login did not work: " + publish.AsError(e.err).Message
}

func (e *loginError) Unwrap() error { return e.err }

// logIn asks for the server and the kind of login, logs in with a browser if wanted,
// and returns the fields that are still missing.
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

// browse opens the login page of the server and returns the token for the code that
// the page shows. This program contacts the server, because the person chose it here;
// it may be on any network.
func (w *wizard) browse(ctx context.Context) (token string, err error) {
	calls := outbound.Client(outbound.AllowPrivate)
	defer calls.CloseIdleConnections()
	login, err := mastodon.StartLogin(ctx, calls, w.values[loginServer], cli.VersionText())
	if err != nil {
		return "", w.loginFailure(ctx, err)
	}
	w.Messagef("open this page in a browser, allow schedctl to post, and copy the code that it shows:\n\n  %s\n", login.URL)
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
