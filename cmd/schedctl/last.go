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

// lastRef stands for the last post, account or webhook that this user has made on
// this machine with the daemon or context in use.
const lastRef = "@last"

// The nouns that can be named with lastRef.
const (
	lastPost    = "post"
	lastAccount = "account"
	lastWebhook = "webhook"
)

// lastFile returns the file that holds the id of the last one, empty when none is
// kept. There is a file for each daemon or context, in the state directory.
func (a *app) lastFile(noun string) string {
	if a.stateHome == "" || a.peer == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(a.peer))
	return filepath.Join(a.stateHome, "schedctl", "last", hex.EncodeToString(sum[:8])+"-"+noun)
}

// remember keeps the id of something that was just made. A failure is logged and
// nothing else: the command has done what it was to do.
func (a *app) remember(noun, id string) {
	if err := a.writeLast(noun, id); err != nil {
		a.logger().Debug("id not kept for "+lastRef, "error", err)
	}
}

func (a *app) writeLast(noun, id string) error {
	name := a.lastFile(noun)
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
func (a *app) last(noun string, prefix schedctl.Prefix) (string, error) {
	missing := &failure{
		status: exitNotFound, code: schedctl.NotFound, message: fmt.Sprintf("no %s was made here yet, so there is no %s", noun, lastRef),
		hint: fmt.Sprintf("see: schedctl %s list", noun),
	}
	name := a.lastFile(noun)
	if name == "" {
		return "", missing
	}
	text, err := os.ReadFile(name)
	id := strings.TrimSpace(string(text))
	if _, ok := schedctl.ParseID(prefix, id); err != nil || !ok {
		return "", missing
	}
	return id, nil
}
