package webhook

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/daemon/publish/signing"
)

// listenSecret returns the signing secret of "schedctl listen": the given secret, or
// else a generated one that is stored, so that receivers can keep using it.
func (o *listenOptions) listenSecret(ctx context.Context) (secret string, given bool, err error) {
	if secret, err = signingSecret(ctx, o.App, o.secretFile); secret != "" || err != nil {
		return secret, true, err
	}
	secret, err = KeptSecret(o.App)
	return secret, false, err
}

// KeptSecret reads the stored secret, or generates it.
func KeptSecret(a *cli.App) (string, error) {
	path := filepath.Join(a.ConfigDir(), "listen.secret")
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := makeSecret(path); err != nil {
			return "", fmt.Errorf("keep the signing secret: %w; give one with --secret-file", err)
		}
		text, err = os.ReadFile(path)
	}
	if err != nil {
		return "", fmt.Errorf("read the signing secret: %w", err)
	}
	secret := strings.TrimSpace(string(text))
	if _, err := signing.ParseSecret(secret); err != nil {
		return "", fmt.Errorf("%s: %w; remove the file to get a new one", path, err)
	}
	return secret, nil
}

// makeSecret writes a new secret to a file, unless another process or goroutine
// writes one at the same time.
func makeSecret(path string) error {
	fresh := path + "." + rand.Text()
	if err := cli.ReplacePrivate(fresh, []byte(signing.NewSecret()+"\n")); err != nil {
		return err
	}
	defer os.Remove(fresh)
	if err := os.Link(fresh, path); err != nil && !errors.Is(err, fs.ErrExist) {
		return os.Rename(fresh, path) // the file system has no links
	}
	return nil
}
