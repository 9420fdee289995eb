package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/schedctl/schedctl"
)

// LastRef is the argument that names the last post, account, queue or other object of
// a [Noun] that this user created on this machine with the current daemon or context, and
// with the current key.
const LastRef = "@last"

// Noun is a kind of thing that [LastRef] can stand for.
type Noun struct {
	Word    string
	Command string // the group of the commands about it
	Prefix  schedctl.Prefix
}

var (
	PostNoun         = Noun{"post", "post", schedctl.PostPrefix}
	AccountNoun      = Noun{"account", "account", schedctl.AccountPrefix}
	WebhookNoun      = Noun{"webhook", "webhook", schedctl.WebhookPrefix}
	NotificationNoun = Noun{"notification", "notify", schedctl.NotificationPrefix}
	MediaNoun        = Noun{"upload", "media", schedctl.MediaPrefix}
	QueueNoun        = Noun{"queue", "queue", schedctl.QueuePrefix}
	SourceNoun       = Noun{"source", "source", schedctl.SourcePrefix}
	BlackoutNoun     = Noun{"blackout", "blackout", schedctl.BlackoutPrefix}
	SeriesNoun       = Noun{"series", "series", schedctl.SeriesPrefix}
	FeedNoun         = Noun{"calendar feed", "calendar feed", schedctl.CalendarFeedPrefix}
	ShareNoun        = Noun{"share", "share", schedctl.SharePrefix}
)

// lastFile returns the file that holds the last id, empty without a state directory.
// Each daemon or context has its own file for each key.
func (a *App) lastFile(n Noun) string { return a.lastFileOf(a.user, n) }

func (a *App) lastFileOf(user string, n Noun) string {
	if a.StateHome == "" || user == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(user))
	return filepath.Join(a.StateHome, "schedctl", "last", hex.EncodeToString(sum[:8])+"-"+n.Word)
}

// RememberID stores the id of a new object. A failure is only logged, because the
// command itself succeeded.
func (a *App) RememberID(n Noun, id string) {
	if err := a.writeLast(n, id); err != nil {
		a.Logger().Debug("id not kept for "+LastRef, "error", err)
	}
}

func (a *App) writeLast(n Noun, id string) error {
	name := a.lastFile(n)
	if name == "" {
		return nil
	}
	dir := filepath.Dir(name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if former := a.lastFileOf(a.peer, n); former != name {
		os.Remove(former) // earlier versions kept one file for all keys
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

// LastID returns the id that lastRef stands for.
func (a *App) LastID(n Noun) (string, error) {
	missing := NewFailure(ExitNotFound, schedctl.NotFound, "no %s was created on this machine with this key yet, so there is no %s", n.Word, LastRef).
		WithHint(fmt.Sprintf("see: schedctl %s list", n.Command))
	name := a.lastFile(n)
	if name == "" {
		return "", missing
	}
	text, err := os.ReadFile(name)
	id := strings.TrimSpace(string(text))
	if _, ok := schedctl.ParseID(n.Prefix, id); err != nil || !ok {
		return "", missing
	}
	return id, nil
}
