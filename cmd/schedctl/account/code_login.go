package account

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"time"

	"github.com/schedctl/schedctl/cmd/schedctl/account/authcode"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// defaultLoginPort is the port in the address that people register in their developer app.
const defaultLoginPort = 21847

// loginTimeout is how long a login waits for the person.
const loginTimeout = 10 * time.Minute

var errLoginTimeout = cli.NewFailure(cli.ExitTimedOut, cli.CodeTimedOut, "the browser did not come back within %s; log in again", loginTimeout)

// logInWithCode logs in with a browser, and stores the tokens in the connection. This
// program contacts the network, because the person chose it here; it may be on any network.
func (w *wizard) logInWithCode(ctx context.Context) error {
	calls := outbound.Client(outbound.AllowPrivate)
	defer calls.CloseIdleConnections()
	login, err := codeLogin(w.platform).CodeLogin(ctx, calls, w.credentials())
	if err != nil {
		return w.loginFailure(ctx, err)
	}
	flow := authcode.New(login, w.loginPort, cli.VersionText())
	tokens, err := w.tokensOf(ctx, calls, flow, login.DeviceURL != "")
	if err != nil {
		return err
	}
	maps.Copy(w.values, tokens)
	return nil
}

// tokensOf waits until the person has allowed the login, on this machine or, with a device
// grant, on any other.
func (w *wizard) tokensOf(ctx context.Context, calls *http.Client, flow *authcode.Flow, device bool) (publish.Credentials, error) {
	if device {
		ctx, end := context.WithTimeoutCause(ctx, loginTimeout, errLoginTimeout)
		defer end()
		tokens, err := flow.Device(ctx, calls, func(address string) {
			w.Messagef("open this page in a browser, on any machine, and allow schedctl to post; it continues here:\n\n  %s\n", address)
			w.openBrowser(ctx, address)
		})
		if err != nil {
			return nil, w.loginFailure(ctx, err)
		}
		return tokens, nil
	}
	code, err := w.awaitCode(ctx, flow)
	if err != nil {
		return nil, err
	}
	tokens, err := flow.Exchange(ctx, calls, code)
	if err != nil {
		return nil, w.loginFailure(ctx, err)
	}
	return tokens, nil
}

// forgetTokens makes the next attempt log in again.
func (w *wizard) forgetTokens() {
	delete(w.values, publish.LoginAccess)
	delete(w.values, publish.LoginRefresh)
}

// errBrowser ends the prompt when the browser has come back.
var errBrowser = errors.New("the browser has come back")

// awaitCode opens the page of the login, and returns the code: from the browser, or from the
// address that the person pastes, whichever comes first.
func (w *wizard) awaitCode(ctx context.Context, flow *authcode.Flow) (code string, err error) {
	ctx, end := context.WithTimeoutCause(ctx, loginTimeout, errLoginTimeout)
	defer end()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	callback, err := authcode.Listen(flow, w.loginPort)
	came := make(chan struct{}) // code and err are those of the browser
	var fromBrowser string
	var failure error
	if err == nil {
		defer callback.Close()
		go func() {
			defer close(came)
			if fromBrowser, failure = callback.Wait(ctx); ctx.Err() == nil {
				stop(errBrowser)
			}
		}()
	}
	w.openLogin(ctx, flow, err)
	code, err = w.pastedCode(ctx, flow)
	if errors.Is(context.Cause(ctx), errBrowser) {
		<-came
		code, err = fromBrowser, failure
		w.Messagef("")
	}
	if _, refused := errors.AsType[*publish.Error](err); refused {
		return "", &loginError{err}
	}
	return code, err
}

// openLogin says where to log in, and opens the browser if there is one. unheard is why this
// program cannot wait for the browser, or nil.
func (w *wizard) openLogin(ctx context.Context, flow *authcode.Flow, unheard error) {
	w.Messagef("open this page in a browser, and allow schedctl to post:\n\n  %s\n", flow.URL())
	if unheard != nil {
		w.Messagef("port %d of this machine is in use, so the last page will not load: copy its address, and paste it here", w.loginPort)
	} else {
		w.Messagef("then return here; if the last page does not load, copy its address and paste it here")
	}
	w.openBrowser(ctx, flow.URL())
}

// openBrowser opens an address in the browser, if there is one.
func (w *wizard) openBrowser(ctx context.Context, address string) {
	if w.noBrowser || !w.OutTerminal || !w.HasBrowser() {
		return
	}
	go func() { // its errors do not matter: the address is on the screen
		_ = cli.OpenAddress(ctx, address)
	}()
}

// pastedCode prompts for the address of the page that did not load until its code is valid.
func (w *wizard) pastedCode(ctx context.Context, flow *authcode.Flow) (string, error) {
	for {
		w.Prompt("Waiting for the browser, or for an address: ")
		text, err := w.ReadLine(ctx)
		if err != nil {
			return "", err
		}
		if text == "" {
			continue
		}
		code, err := flow.Pasted(text)
		if _, ended := errors.AsType[*publish.Error](err); err == nil || ended {
			return code, err
		}
		w.Messagef("%v", err)
	}
}
