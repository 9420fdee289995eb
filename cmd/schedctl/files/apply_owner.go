package files

import (
	"context"
	"errors"
	"fmt"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/postfile"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/repository"
)

// readOwner reads which repository the files are from, and at which commit.
func (p *planner) readOwner(ctx context.Context) (err error) {
	p.owner.Source, err = repository.Source(ctx, p.App, p.dir)
	p.owner.Revision, p.owner.AllowOlder = repository.Revision(ctx, p.App, p.dir), p.allowOlder
	return err
}

// checkOwner returns the error with which the daemon would refuse to apply any files of this
// directory with this key, nil for none. It changes nothing.
func (p *planner) checkOwner(ctx context.Context) error {
	if err := p.checkKey(); err != nil || p.collection == "" {
		return err
	}
	found, err := p.client.Collection(ctx, p.collection)
	if schedctl.CodeOf(err) == schedctl.NotFound {
		return nil // also a daemon without collections
	}
	if err != nil {
		return err
	}
	owner := found.Domain()
	source := cli.FirstNonEmpty(p.owner.Source, "a directory without a repository")
	return p.ownerAdvice(owner.Apply(source, p.owner.Revision.Domain(), p.allowOlder, schedctl.KeyRef{}, p.Now()))
}

// claim announces the apply to the daemon, which binds the collection to the source of the
// files, or refuses. A directory without a source gets one first.
func (p *planner) claim(ctx context.Context) (err error) {
	if p.owner.Source == "" {
		if p.owner.Source, err = repository.WriteSource(p.dir); err != nil {
			return err
		}
		p.Messagef("%s has a new line \"source\", which says whose files these are: keep it with them", p.configPath())
	}
	return p.ownerAdvice(p.announce(ctx))
}

// ownerAdvice adds what to do to an error about the owner of the collection.
func (p *planner) ownerAdvice(err error) error {
	e, ok := errors.AsType[*schedctl.Error](err)
	if !ok {
		return err
	}
	failure := cli.NewFailure(cli.ExitConflict, e.Code, "%s", e.Message)
	switch e.Code {
	case schedctl.SourceMismatch:
		return failure.WithHint(fmt.Sprintf("use another collection; or, if the repository was moved, run: schedctl collection adopt %s %s", p.collection, p.dir))
	case schedctl.OlderRevision:
		return failure.WithHint("apply the latest commit, or give --allow-older")
	}
	return err
}

// pruned is what an apply would remove, for the check of --prune.
type pruned struct {
	open    int // posts that are drafts or scheduled, and series that have not ended
	removed int // of these
}

// checkPrune refuses to remove more than half of the open posts of a collection if these
// are more than four, and all of them if the directory has no post file: the directory is
// probably not the right one.
func (p *planner) checkPrune() error {
	n := p.pruned
	n.removed = p.count(func(s *step) bool { return s.Action == doCancel && s.noun() != "setting" })
	if p.pruneAll || n.removed == 0 {
		return nil
	}
	refuse := func(format string, args ...any) error {
		return cli.NewFailure(cli.ExitConflict, cli.CodeOther, format, args...).
			WithHint("see them with: schedctl plan " + p.dir + " --prune; if that is intended, give --prune-all")
	}
	switch {
	case len(p.files) == 0:
		return refuse("%s has no post files, and --prune would remove all open posts of the collection %s (%d)", p.dir, p.collection, n.removed)
	case n.open > 4 && 2*n.removed > n.open:
		return refuse("--prune would remove %d of the %d open posts of the collection %s", n.removed, n.open, p.collection)
	}
	return nil
}

// refusedAll returns the error with which apply ends before it changes anything, after the
// files were found to be valid.
func (p *planner) refusedAll(ctx context.Context) error {
	if err := p.checkOwner(ctx); err != nil {
		return err
	}
	return p.checkPrune()
}

// question says what an apply does, for the prompt: "Cancel 3 posts and delete 1 series?".
func (p *planner) question() string {
	counts := map[string]int{}
	all := p.allSteps()
	for i := range all {
		if s := &all[i]; s.does() {
			counts[s.verb()+" "+s.noun()]++
		}
	}
	var phrases []string
	for _, verb := range []string{"create", "change", "cancel", "delete"} {
		phrases = append(phrases, nounPhrases(counts, verb+" ")...)
	}
	text := cli.Enumerate(phrases) + "?"
	return string(text[0]-'a'+'A') + text[1:]
}

// nounPhrases returns the numbers of settings, series, posts and drafts in words, each after
// the prefix with which it is counted.
func nounPhrases(counts map[string]int, prefix string) (phrases []string) {
	for _, noun := range []string{"setting", "series", "post", "draft"} {
		switch n := counts[prefix+noun]; {
		case n == 0:
		case noun == "series":
			phrases = append(phrases, fmt.Sprintf("%s%d series", prefix, n))
		default:
			phrases = append(phrases, prefix+cli.Plural(n, noun))
		}
	}
	return phrases
}

func (s *step) verb() string {
	switch {
	case s.Action == doCreate:
		return "create"
	case s.Action != doCancel:
		return "change"
	case s.noun() == "post":
		return "cancel"
	}
	return "delete"
}

func (s *step) noun() string {
	switch {
	case s.File == postfile.ConfigName:
		return "setting"
	case s.series:
		return "series"
	case s.Action == doCancel && s.post.Status == schedctl.Draft:
		return "draft"
	}
	return "post"
}

// announce announces the apply to the daemon. It does nothing for a daemon without collections.
func (p *planner) announce(ctx context.Context) error {
	_, err := p.client.ApplyCollection(ctx, p.collection, p.owner)
	if schedctl.CodeOf(err) == schedctl.NotFound {
		return nil
	}
	return err
}
