package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/schedctl/schedctl"
)

// lastRef stands for the last post, account, webhook or notification that this user
// created on this machine with the daemon or context in use.
const lastRef = "@last"

// noun is a kind of thing that [lastRef] can stand for.
type noun struct {
	word    string
	command string // the group of the commands about it
	prefix  schedctl.Prefix
}

var (
	postNoun         = noun{"post", "post", schedctl.PostPrefix}
	accountNoun      = noun{"account", "account", schedctl.AccountPrefix}
	webhookNoun      = noun{"webhook", "webhook", schedctl.WebhookPrefix}
	notificationNoun = noun{"notification", "notify", schedctl.NotificationPrefix}
)

// lastFile returns the file that holds the last id, empty without a state directory.
// Each daemon or context has its own file.
func (a *app) lastFile(n noun) string {
	if a.stateHome == "" || a.peer == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(a.peer))
	return filepath.Join(a.stateHome, "schedctl", "last", hex.EncodeToString(sum[:8])+"-"+n.word)
}

// remember keeps the id of something that was just created. A failure is only
// logged, because the command itself succeeded.
func (a *app) remember(n noun, id string) {
	if err := a.writeLast(n, id); err != nil {
		a.logger().Debug("id not kept for "+lastRef, "error", err)
	}
}

func (a *app) writeLast(n noun, id string) error {
	name := a.lastFile(n)
	if name == "" {
		return nil
	}
	dir := filepath.Dir(name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(dir, ".last-*") // with mode 0600
	if err != nil {
		return err
	}
	_, err = file.WriteString(id + "\n")
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(file.Name(), name)
	}
	if err != nil {
		os.Remove(file.Name())
	}
	return err
}

// last returns the id that lastRef stands for.
func (a *app) last(n noun) (string, error) {
	missing := &failure{
		status: exitNotFound, code: schedctl.NotFound, message: fmt.Sprintf("no %s was made here yet, so there is no %s", n.word, lastRef),
		hint: fmt.Sprintf("see: schedctl %s list", n.command),
	}
	name := a.lastFile(n)
	if name == "" {
		return "", missing
	}
	text, err := os.ReadFile(name)
	id := strings.TrimSpace(string(text))
	if _, ok := schedctl.ParseID(n.prefix, id); err != nil || !ok {
		return "", missing
	}
	return id, nil
}
