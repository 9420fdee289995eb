package main

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/postfile"
)

// planFlags are the flags of plan and apply.
type planFlags struct {
	zone             whenFlags
	prune, overwrite bool
	similar          string
	allowDuplicate   bool
}

// What --similar takes.
var similarChoices = []string{"adopt", "new"}

func (o *planFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.prune, "prune", false, "call off the posts whose files were removed")
	f.BoolVar(&o.overwrite, "overwrite", false, "also change what was changed in the daemon since it was applied")
	f.StringVar(&o.similar, "similar", "", "what to do about a post that a file may be, as far as "+postfile.LockName+" does not tell: adopt or new (`text`)")
	o.zone.addZone(cmd)
	cmd.Flag("tz").Usage = "the `zone` of times in files that give none"
	addAllowDuplicate(cmd, &o.allowDuplicate)
	cmd.RegisterFlagCompletionFunc("similar", cobra.FixedCompletions(similarChoices, cobra.ShellCompDirectiveNoFileComp))
}

// planner compares files with posts.
type planner struct {
	planFlags
	*fileReader
	client    *client.Client
	workspace string
	names     references
	twins     *twins
	steps     []step
}

// newPlanner reads a directory, and what is to be known before its files.
func (a *app) newPlanner(ctx context.Context, dir string, flags planFlags) (*planner, error) {
	if flags.similar != "" && !slices.Contains(similarChoices, flags.similar) {
		return nil, oneOf("--similar", flags.similar, similarChoices)
	}
	files, err := readPostFiles(dir)
	if err != nil {
		return nil, err
	}
	p := &planner{planFlags: flags, fileReader: &fileReader{app: a, postFiles: files}}
	if flags.zone.tz != "" {
		if p.fileReader.zone, err = flags.zone.zone(a); err != nil {
			return nil, err
		}
	}
	if p.client, err = a.connect(); err != nil {
		return nil, err
	}
	me, err := p.client.Me(ctx)
	if err != nil {
		return nil, err
	}
	p.workspace, p.twins = me.Workspace.ID, newTwins(p.client)
	list, err := p.client.Accounts(ctx, client.AccountQuery{})
	p.accounts, p.names = append([]apiv1.Account{}, list...), referencesTo(list)
	return p, err
}

// found is what the daemon knows of a file or of a post that had one.
type found struct {
	step
	gone       bool
	twins      []apiv1.Post
	similar    []apiv1.Post
	validation *apiv1.Validation
	err        error
}

// build finds out what is to be done. What is wrong with a file is a problem,
// not an error.
func (p *planner) build(ctx context.Context) error {
	list := p.all()
	if len(p.problems) > 0 {
		return nil
	}
	var all []found
	err := inOrder(ctx, p.begin(list), p.look, func(f found) error {
		all = append(all, f)
		return f.err
	})
	if err != nil {
		return err
	}
	p.claim(all)
	for i := range all {
		p.settle(&all[i])
	}
	return nil
}

// begin yields a step for each file, and one for each post without a file.
func (p *planner) begin(list []wanted) iter.Seq2[step, error] {
	return func(yield func(step, error) bool) {
		has := map[string]bool{}
		for _, w := range list {
			id := w.file.ID.Text
			has[id] = true
			s := step{change: change{ID: id, File: w.file.Path, Differences: []difference{}}, wanted: w}
			s.entry, _ = p.lock.Entry(p.workspace, id)
			if !yield(s, nil) {
				return
			}
		}
		for _, id := range p.lock.IDs(p.workspace) {
			entry, _ := p.lock.Entry(p.workspace, id)
			if has[id] || entry.Gone {
				continue
			}
			if !yield(step{change: change{ID: id, Differences: []difference{}}, entry: entry}, nil) {
				return
			}
		}
	}
}

// look asks the daemon about one step.
func (p *planner) look(ctx context.Context, s step) found {
	f := found{step: s}
	if s.entry.Post != "" && !s.entry.Gone {
		f.PostID = s.entry.Post
		f.post, f.err = patiently(ctx, p.app, func() (apiv1.Post, error) { return p.client.Post(ctx, s.entry.Post) })
		if f.gone = schedctl.CodeOf(f.err) == schedctl.NotFound; f.gone {
			f.err = nil
		}
		if f.err == nil && s.wanted.file != nil && (f.gone || stateOf(f.post).print() != s.wanted.print()) {
			f.validation, f.err = p.validate(ctx, &s.wanted, true)
		}
		return f
	}
	w := &s.wanted
	if f.twins, f.err = p.exact(ctx, w); f.err != nil || len(f.twins) > 0 {
		return f
	}
	if f.similar, f.err = p.alike(ctx, w); f.err != nil {
		return f
	}
	f.validation, f.err = p.validate(ctx, w, p.allowDuplicate || len(f.similar) > 0)
	return f
}

// exact returns the posts that are as a file asks.
func (p *planner) exact(ctx context.Context, w *wanted) ([]apiv1.Post, error) {
	list, err := p.twins.like(ctx, p.app, w.content, w.at, w.accounts)
	return slices.DeleteFunc(slices.Clone(list), func(t apiv1.Post) bool {
		t.Content, t.SocialAccountIDs = w.content, w.accounts
		return stateOf(t).print() != w.print()
	}), err
}

// alike returns posts that wait to go out and may be an earlier form of a file:
// those for the same accounts with the same text at another time and, when the
// lock was lost, those with another text at the same time.
func (p *planner) alike(ctx context.Context, w *wanted) (list []apiv1.Post, err error) {
	lost := !p.lock.Knows(p.workspace)
	add := func(q client.PostQuery) error {
		q.Statuses, q.Limit = []schedctl.Status{schedctl.Draft, schedctl.Scheduled}, pageSize
		for post, err := range p.client.EachPost(ctx, q) {
			if err != nil {
				return err
			}
			have := stateOf(post)
			sameTime := lost && !w.at.IsZero() && have.at.Equal(w.at)
			if slices.Equal(have.accounts, w.accounts) && (sameTime || have.content == w.content) {
				list = append(list, post)
			}
		}
		return nil
	}
	if lost && !w.at.IsZero() {
		err = add(client.PostQuery{After: w.at, Before: w.at.Add(time.Millisecond), Sort: "publish_at"})
	}
	if err == nil {
		err = add(client.PostQuery{Search: searchText(w.content)})
	}
	return list, err
}

// searchText returns a part of a text that is short enough to be searched for.
func searchText(text string) string {
	const most = 100
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most])
	}
	return text
}

// validate asks whether the networks would take what a file asks for. A time
// that has passed is judged elsewhere.
func (p *planner) validate(ctx context.Context, w *wanted, allowDuplicate bool) (*apiv1.Validation, error) {
	create := p.request(w)
	create.AllowDuplicate = allowDuplicate
	if create.PublishAt != nil && w.moment.Check(p.now()) != nil {
		create.PublishAt = nil
	}
	v, err := patiently(ctx, p.app, func() (apiv1.Validation, error) { return p.client.ValidatePost(ctx, create) })
	return &v, err
}

// request returns a file as it is sent.
func (p *planner) request(w *wanted) apiv1.CreatePost {
	create := apiv1.CreatePost{Content: w.content, SocialAccountIDs: w.accounts, AllowDuplicate: p.allowDuplicate}
	if !w.at.IsZero() {
		create.PublishAt = apiv1.At(w.at)
	}
	for _, id := range w.accounts {
		if text, own := w.texts[id]; own {
			create.TargetOverrides = replaced(create.TargetOverrides, id, text)
		}
	}
	return create
}
