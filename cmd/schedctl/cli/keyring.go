package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/zalando/go-keyring"

	"github.com/schedctl/schedctl/daemon/privatefile"
)

// keyStore keeps secrets for the user of this machine.
type keyStore interface {
	Get(service, user string) (string, error)
	Set(service, user, secret string) error
	Delete(service, user string) error
}

// KeyringService is the service name of keys in the keyring.
const KeyringService = "schedctl"

// keyringTime is the longest wait for the keyring: a desktop may ask its user to
// unlock it, and a broken keyring does not respond.
const keyringTime = 20 * time.Second

// desktopKeyring is the keyring of the machine: Secret Service, the keychain of
// macOS or the credential manager of Windows.
type desktopKeyring struct{}

// Get returns a secret.
func (desktopKeyring) Get(service, user string) (secret string, err error) {
	return withinTime(func() (string, error) { return keyring.Get(service, user) })
}

// Set keeps a secret.
func (desktopKeyring) Set(service, user, secret string) error {
	_, err := withinTime(func() (string, error) { return "", keyring.Set(service, user, secret) })
	return err
}

// Delete removes a secret; a missing secret is no error.
func (desktopKeyring) Delete(service, user string) error {
	_, err := withinTime(func() (string, error) { return "", keyring.Delete(service, user) })
	if errors.Is(err, keyring.ErrNotFound) {
		return nil
	}
	return err
}

// withinTime stops waiting for a call after keyringTime. Nothing can stop the call, so
// it ends with the process.
func withinTime(call func() (string, error)) (string, error) {
	type result struct {
		secret string
		err    error
	}
	done := make(chan result, 1)
	go func() {
		secret, err := call()
		done <- result{secret, err}
	}()
	timer := time.NewTimer(keyringTime)
	defer timer.Stop()
	select {
	case r := <-done:
		return r.secret, r.err
	case <-timer.C:
		return "", fmt.Errorf("the keyring did not respond within %s", keyringTime)
	}
}

// keyringUser returns the name of a context's key in the keyring. It contains the URL,
// so that a key is never sent to another daemon with the same context name.
func keyringUser(name, url string) string { return name + " " + url }

// contextKey returns the key of a context, empty for none.
func (a *App) contextKey(name string, ctx SavedContext) (string, error) {
	switch {
	case ctx.KeyFile != "":
		if strings.HasPrefix(ctx.KeyFile, a.ConfigDir()) { // a file that login created; other files belong to the user
			if err := RefuseExposed(ctx.KeyFile, privatefile.Reading); err != nil {
				return "", err
			}
		}
		return ReadKey(ctx.KeyFile)
	case ctx.Key == "":
		return "", nil
	}
	secret, err := a.Keyring.Get(KeyringService, keyringUser(name, ctx.URL))
	if err != nil {
		return "", noKey(fmt.Sprintf("cannot read the key of context %s from the keyring: %v", name, err), loginAdvice(name))
	}
	return CheckKey(secret, "the keyring")
}

func loginAdvice(name string) string { return "log in again with: schedctl login --context " + name }

// KeepKey stores the key of a context in the keyring or, without a keyring or when the
// caller does not want it, in a file that only its owner may read, and reports where.
func (a *App) KeepKey(name string, ctx *SavedContext, key string, useKeyring bool) error {
	*ctx = SavedContext{URL: ctx.URL, Kind: ctx.Kind}
	if useKeyring {
		err := a.Keyring.Set(KeyringService, keyringUser(name, ctx.URL), key)
		if err == nil {
			ctx.Key = keyKeyring
			return nil
		}
		a.Messagef("the keyring cannot be used: %s", OneLine(err.Error()))
	}
	ctx.KeyFile = a.ownKeyFile(name)
	if err := ReplacePrivate(ctx.KeyFile, []byte(key+"\n")); err != nil {
		return fmt.Errorf("keep the key: %w", err)
	}
	a.Messagef("the key is kept in %s, which only you may read", ctx.KeyFile)
	return nil
}

// ownKeyFile is where the key of a context is kept without a keyring.
func (a *App) ownKeyFile(name string) string { return filepath.Join(a.ConfigDir(), "keys", name) }

// ForgetKey removes what [App.KeepKey] stored. A file that the user named stays.
func (a *App) ForgetKey(name string, ctx SavedContext) error {
	switch {
	case ctx.Key == keyKeyring:
		if err := a.Keyring.Delete(KeyringService, keyringUser(name, ctx.URL)); err != nil {
			return OtherError("the key of context %s is still in the keyring: %v", name, err)
		}
	case ctx.KeyFile == a.ownKeyFile(name):
		if err := os.Remove(ctx.KeyFile); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("remove the key: %w", err)
		}
	}
	return nil
}
