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
	{"environment", "The variables that are looked at", alone(environmentText)},
	{"exit-codes", "What the exit statuses mean", alone(exitCodesText)},
	{"formatting", "What results look like, and the fields of --json", formattingText},
	{"idempotency", "How a command is repeated without a second post", alone(func() string { return idempotencyTopic })},
}

// alone is for a text that tells of no command.
func alone(text func() string) func(*cobra.Command) string {
	return func(*cobra.Command) string { return text() }
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

A key that is given with a time such as "in 2h", which is another one whenever it is
asked for, and with the same text stands for the same post: it is shown as it is,
and not moved.

Without --idempotency-key every command makes a key of its own. Under it the
command repeats by itself what gets no answer, a few times, which is safe; to call
the command again makes a second post.

In a job of GitHub Actions, GitLab CI, Forgejo or Gitea Actions the key of "post
create", "post schedule" and "post publish" follows from

  server, repository or project, workflow, job, and the run or pipeline, but not
  from which attempt it is
  the command as it was typed: text, --to, --at, --in, --now, --tz, --override; of
  a file or a pipe, what is in it

A job that is run again within 24 hours therefore posts nothing twice, and goes on
where it stopped: what an earlier attempt has made is shown as it is now, with exit
status 0, whatever "in 2h" means this time and even when it was called off since. A
post that was deleted since is status 6. That also means:

  other words are another post; a text with the time of day in it is a new one in
  each attempt
  the same command twice in a job is one post, be it in a loop or in two steps;
  where two are meant, tell them apart: --idempotency-key "$GITHUB_RUN_ID-second"
  the jobs of a matrix have one name for GitHub, Forgejo and Gitea, and so have
  those of a workflow that is called twice: the same command in each of them is
  one post; GitLab gives each of parallel jobs a name of its own
  a new run of the workflow makes new posts

"schedctl apply" and imports with ids find their posts by external ids, which never
expire. Use them for jobs that may run again after days.

What happens between the daemon and a network is another matter: an attempt is on
disk before the network is called, and one whose outcome nobody knows is not
repeated blindly. See "schedctl post retry --help".`
