package cli

import (
	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/skills"
)

// topic is a help text that belongs to no command.
type topic struct {
	Name, short string
	text        func(root *cobra.Command) string
}

// Topics returns the help topics in the order of the help. The formats of times are in the
// help of the command time.
func Topics() []topic {
	agents := topic{"agents", "What an agent with a shell reads: its skill file", staticTopic(func() string { return skills.Schedctl })}
	mode := topic{"agent-mode", "What is different for an agent with a shell", staticTopic(agentModeText)}
	return append(append([]topic{mode, agents}, connectTopics()...), []topic{
		{"environment", "The environment variables", staticTopic(environmentText)},
		{"exit-codes", "What the exit statuses mean", staticTopic(exitCodesText)},
		{"formatting", "What results look like, and the fields of --json", formattingText},
		{"idempotency", "How a command is repeated without a second post", staticTopic(func() string { return idempotencyTopic })},
	}...)
}

// staticTopic returns a text that does not depend on a command.
func staticTopic(text func() string) func(*cobra.Command) string {
	return func(*cobra.Command) string { return text() }
}

// idempotencyTopic is "schedctl help idempotency".
const idempotencyTopic = `A command that got no response may or may not have done its work. To repeat it
without doing the work twice, give it an idempotency key:

  schedctl post create "1.0 is out" --to blog --now --idempotency-key release-1.0

The daemon keeps the response under the key for 24 hours, in the same transaction
as the post itself. Within that time

  the same key and the same request   return the first response; nothing changes
  the same key and another request    are refused: IDEMPOTENCY_KEY_REUSED, status 6
  the same key while the first runs   waits for it a little, then
                                      IDEMPOTENCY_IN_PROGRESS, status 6

A refused request changes nothing, and its response is not kept. A key has 1 to 255
visible ASCII characters. It is valid for one workspace and one kind of request.

A relative time such as "in 2h" is a different time at every call. With the same key
and the same text it still means the same post: the post is shown and not moved.

Without --idempotency-key every command generates a key. The command uses it to
retry a few times when it gets no response, which is safe. Calling the command again
creates a second post.

In a job of GitHub Actions, GitLab CI, Forgejo or Gitea Actions the key of "post
create", "post schedule" and "post publish" follows from

  the server, repository or project, workflow, job, and the run or pipeline, but
  not the number of the attempt
  the command as typed: text, --to, --at, --in, --now, --tz, --override, the other
  flags of the content, and the content of a file or a pipe

A job that is repeated within 24 hours therefore publishes no post twice and continues
where it stopped. A post of an earlier attempt is shown in its current state, with
exit status 0, even if it was canceled since. A post that was deleted since is
exit status 6. Note that:

  a different text is a different post; a text that contains the time of day is
  new in each attempt
  the same command twice in a job is one post, in a loop or in two steps; for two
  posts give different keys: --idempotency-key "$GITHUB_RUN_ID-second"
  the jobs of a matrix have one name in GitHub, Forgejo and Gitea, and so do the
  jobs of a workflow that is called twice: the same command in each of them is one
  post; GitLab gives parallel jobs different names
  a new run of the workflow creates new posts

"schedctl apply" and imports with ids find their posts by external ids, which never
expire. Use them for jobs that may run again after days.

These keys concern requests to the daemon. Between the daemon and a network, an
attempt is on disk before the network is called, and an attempt with an unknown
outcome is not repeated blindly. See "schedctl post retry --help".`
