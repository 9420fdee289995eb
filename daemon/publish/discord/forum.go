package discord

import (
	"encoding/json"
	"strings"

	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// maxThreadName is the maximum length of the name of a thread in characters.
const maxThreadName = 100

// startsThread reports whether a request starts a thread in a forum.
func (w webhook) startsThread(r publish.Request) bool {
	return r.Part == 0 && w.thread == "" && r.Account.Options.Bool("forum")
}

// threadName returns the name of the thread that a request starts: the first line of its
// text, or the name of its first file.
func threadName(r publish.Request) string {
	name, _, _ := strings.Cut(strings.TrimSpace(r.Content), "\n")
	if name == "" && len(r.Files) > 0 {
		name = publish.PublicName(r.Files[0])
	}
	if runes := []rune(name); len(runes) > maxThreadName {
		name = string(runes[:maxThreadName-1]) + "…"
	}
	return strings.TrimSpace(name)
}

// reference is the Ref of a receipt: the id of the webhook, which can read the message,
// and the thread that the message started in a forum.
type reference struct{ webhook, thread string }

func (f reference) String() string { return strings.TrimSpace(f.webhook + " " + f.thread) }

func parseReference(text string) (f reference) {
	f.webhook, f.thread, _ = strings.Cut(text, " ")
	return f
}

// newReference returns the reference of a message in a response.
func newReference(w webhook, r publish.Request, a outbound.Response) reference {
	f := reference{webhook: w.id}
	var message struct {
		ChannelID any `json:"channel_id"`
	}
	if w.startsThread(r) && json.Unmarshal(a.Body, &message) == nil {
		f.thread = parseSnowflake(message.ChannelID)
	}
	return f
}

// inThreadOf returns the webhook for the thread to which a part belongs.
func (w webhook) inThreadOf(r publish.Request) webhook {
	if w.thread == "" && r.Part > 0 && r.Root != nil {
		w.thread = parseSnowflake(parseReference(r.Root.Ref).thread)
	}
	return w
}
