package main

import "github.com/spf13/cobra"

// topic is a help text that belongs to no command.
type topic struct {
	name, short string
	text        func(root *cobra.Command) string
}

// topics are in the order in which the help lists them. How times are written is
// the help of the command time.
var topics = []topic{
	{"environment", "The variables that are looked at", fixedText(environmentText())},
	{"exit-codes", "What the exit statuses mean", fixedText(exitCodesText())},
	{"formatting", "What results look like, and the fields of --json", formattingText},
	{"idempotency", "How a command is repeated without a second post", fixedText(idempotencyTopic)},
}

func fixedText(text string) func(*cobra.Command) string {
	return func(*cobra.Command) string { return text }
}

// idempotencyTopic is "schedctl help idempotency".
const idempotencyTopic = `A command that got no answer may or may not have done its work. To repeat it
without doing the work twice, give it an idempotency key:

  schedctl post create "1.0 is out" --to blog --now --idempotency-key release-1.0

The daemon keeps the answer under the key for 24 hours, in the same transaction
as the post itself. Within that time

  the same key and the same request   give the first answer again; nothing is done
  the same key and another request    are refused: IDEMPOTENCY_KEY_REUSED, status 6
  the same key while the first runs   waits for it a little, then
                                      IDEMPOTENCY_IN_PROGRESS, status 6

A request that was refused has done nothing and is not kept. A key has 1 to 255
visible ASCII characters, and belongs to its workspace and to the kind of the
request.

Without --idempotency-key every command makes a key of its own. Under it the
command repeats by itself what gets no answer, a few times, which is safe; to call
the command again makes a second post.

What happens between the daemon and a network is another matter: an attempt is on
disk before the network is called, and one whose outcome nobody knows is not
repeated blindly. See "schedctl post retry --help".`
