package files

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

type applyOptions struct {
	*cli.App
	flags    planFlags
	yes, dry bool
}

func NewApply(a *cli.App) *cobra.Command {
	o := &applyOptions{App: a}
	cmd := cli.DeclareJSON[change](&cobra.Command{
		Use:   "apply DIR",
		Short: "Sync posts with the files in a directory",
		Long:  applyHelp,
		Example: `  schedctl apply posts
  schedctl apply posts --prune --yes
  schedctl apply posts --collection website --dry-run
  schedctl apply posts --yes --approved-by https://github.com/me/posts/pull/7`,
		Args: cli.Args(1, 1, "a directory"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	})
	o.flags.add(cmd)
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVar(&o.dry, "dry-run", false, "change nothing; show the changes, as schedctl plan does")
	return cmd
}

// applyHelp explains "schedctl apply" and the files.
const applyHelp = `Create, reschedule and edit posts so that they match the files in a directory. Each
file is one post:

  ---
  id: launch
  at: 2026-12-08 09:00
  tz: Europe/Berlin
  to: [blog, "mastodon:me"]
  labels: [release]
  media: [{file: images/door.png, alt: "A red door"}]
  override:
    mastodon:me: Version 1.0 is out!
  options:
    mastodon:me: {visibility: unlisted}
  ---
  Version 1.0 is out. Read all about it in the release notes.

"id" is your own name for the post: at most 119 visible ASCII characters. Keep it when
you move the file or change its text. "at" needs a date, and a zone from "tz" or --tz.
In place of "at", "queue: main" takes the next free slot of a queue, and "not_before"
is the earliest time of the slot. Posts take slots in the order of their ids, and keep
them. With "repeat: weekly on tue,thu at 9:00" the file is a series: a recurring post.
"start" is the earliest local time of its first occurrence, and "name" its name; with
"queue" each occurrence takes a slot of its day. Without all these the post is a draft.
"override" is the text for one account, or some of the keys content, media, thread (a
list of parts), poll, content_warning, visibility and language; "options" are its
options for this post. Files end in .md or .markdown; README.md and names that start
with . or _ are skipped.

"media" lists pictures, videos and documents with their alt texts. Paths are relative
to the file and stay inside the directory. A post with media needs no text. Missing
files are uploaded before any post is changed; the same bytes are uploaded once.

These keys are for threads, polls, and how networks show the post:

  thread: true
  part_media: {2: [{file: images/garden.png, alt: "A garden"}]}
  first_comment: Questions? Ask here.
  poll: {options: [Tea, Coffee], for: 1d, multiple: true, hide_totals: true}
  content_warning: Hot drinks
  visibility: unlisted
  language: en
  link_preview: {url: https://example.org, title: Notes, image: images/card.png}

With "thread: true", a line --- in the text starts the next part; write \--- for such a
line of the post itself. "part_media" lists the files of part 2 and later ones, "media"
those of part 1. "first_comment" is a text, or has the keys content and media. A poll
runs for one day unless "for" gives another time. "visibility" is public, unlisted,
followers or direct. "link_preview" is auto, none, or a card.

The file schedctl.yaml in the directory names the collection of the posts:

  collection: website
  queues:
    - name: main
      tz: Europe/Berlin
      slots: [mon-fri 09:00, "sat, sun 10:00"]
      accounts: [blog]
      gap: 30m
      default: true
  blackouts:
    - reason: Christmas
      from: 2026-12-24
      to: 2026-12-27
      tz: Europe/Berlin
      accounts: [blog]
      mode: avoid

apply also creates and changes these queues and blackouts. They belong to the collection
as posts do: one that was changed outside the file is drift, and one that was removed
from the file is deleted with --prune. It finds a queue by its name, and a blackout by
its reason. "accounts" may be left out for all accounts; "mode" is avoid or hold, see
"schedctl blackout --help". A hold with a "label" is about the posts of a campaign.

The daemon stores which post belongs to which file of the collection, so that apply
writes nothing into the directory and works from any checkout. Use a different
collection for each directory. To put existing posts into files, see
"schedctl post export --help".

When one file has a problem, no file is applied (exit status 5). A post that another
client changed or canceled since the last apply is drift: it stays as it is, and the
exit status is 6, unless --overwrite is given. Published and failed posts stay as they
are. With --prune, posts whose files were removed are canceled, and drafts deleted; a
file that comes back makes a new post. --prune refuses to remove more than half of the
open posts if these are more than four, or all of them if the directory has no post
files, unless --prune-all is given. Without a terminal, --yes is required.

The first apply binds the collection to the repository of the files: that of the CI
system, else the remote origin, else "source" in schedctl.yaml. Files of another
repository, and of a commit that is older than the last applied one, are refused (exit
status 6); see "schedctl collection --help" and --allow-older.

Where posts need an approval, a post with a time is refused (exit status 6). With --submit
it becomes a draft with a proposed time that waits for an approval; see "schedctl review
--help". If the merged pull request was the review, give its address with --approved-by,
and a key with posts:approve and posts:write. The audit log has the key and the address.`

func (o *applyOptions) run(ctx context.Context, dir string) error {
	person := o.Asks()
	if !o.yes && !o.dry && !person {
		return cli.UsageError("apply needs --yes when it cannot ask").WithHint("see the changes with: schedctl plan " + dir)
	}
	if err := o.flags.check(); err != nil {
		return err
	}
	files, err := readPostFiles(dir, o.flags.named)
	if err != nil {
		return err
	}
	if files.collection == "" && len(files.problems) == 0 && !o.yes && !o.dry {
		if err := o.proposeCollection(ctx, files); err != nil {
			return err
		}
	}
	p, err := newPlanner(ctx, o.App, files, o.flags)
	if err != nil {
		return err
	}
	if o.dry {
		return p.show(ctx)
	}
	if err := p.build(ctx); err != nil {
		return err
	}
	if len(p.problems) > 0 {
		return p.refused("nothing was applied")
	}
	p.tellNotes()
	if err := p.refusedAll(ctx); err != nil {
		return err
	}
	format := planText
	if p.count((*step).does) > 0 && !o.yes {
		o.Message(string(planText(o.App, p.allSteps(), true)))
		format = resultText
		if err := o.Confirm(ctx, p.question()); err != nil {
			return err
		}
	}
	if err := p.claim(ctx); err != nil {
		return err
	}
	if err := p.uploadAll(ctx); err != nil {
		return err
	}
	if len(p.problems) > 0 {
		return p.refused("nothing was applied")
	}
	if err := p.applySettings(ctx, false); err != nil {
		return err
	}
	failed := p.apply(ctx)
	if failed == nil {
		failed = p.applySettings(ctx, true)
	}
	if err := p.printSteps(format); err != nil {
		return err
	}
	tellCounts(o.App, p.allSteps())
	if failed != nil {
		return failed
	}
	if p.lock != nil {
		p.Messagef("%s is no longer used: delete it", p.lockPath())
	}
	return p.drifted()
}
