package files

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/postfile"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
)

// planFlags are the flags of plan and apply.
type planFlags struct {
	zone             cli.WhenFlags
	named            string // --collection
	Prune, Overwrite bool
	allowDuplicate   bool
}

func (o *planFlags) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.Prune, "prune", false, "cancel the posts of this collection whose files were removed")
	cmd.Flags().BoolVar(&o.Overwrite, "overwrite", false, "also change posts that were changed or canceled outside the files")
	o.addShared(cmd)
	post.AddAllowDuplicate(cmd, &o.allowDuplicate)
}

// addShared defines the flags that lint has as well.
func (o *planFlags) addShared(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.named, post.CollectionFlag, "", "the `name` of the collection, when "+postfile.ConfigName+" does not give it")
	o.zone.AddZone(cmd)
	cmd.Flag("tz").Usage = "the `zone` of times in files that give none"
}

// Planner compares files with posts.
type Planner struct {
	planFlags
	*FileReader
	client *client.Client
	names  post.AccountRefs
	steps  []Step
	copies int // files to create whose post exists outside the collection
}

// newPlanner reads the settings and the accounts.
func newPlanner(ctx context.Context, a *cli.App, files *PostFiles, flags planFlags) (*Planner, error) {
	if err := files.needCollection(); err != nil {
		return nil, err
	}
	r, err := newFileReader(a, files, flags.zone)
	if err != nil {
		return nil, err
	}
	p := &Planner{planFlags: flags, FileReader: r}
	if p.client, err = a.Connect(); err != nil {
		return nil, err
	}
	return p, p.readAccounts(ctx)
}

func newFileReader(a *cli.App, files *PostFiles, zone cli.WhenFlags) (r *FileReader, err error) {
	r = &FileReader{App: a, PostFiles: files}
	if zone.TZ != "" {
		r.zone, err = zone.Zone(a)
	}
	return r, err
}

func (p *Planner) readAccounts(ctx context.Context) error {
	list, err := p.client.Accounts(ctx, client.AccountQuery{})
	p.accounts, p.names = append([]apiv1.Account{}, list...), post.AccountRefsOf(list)
	return err
}

// externalID returns the external id of the post of a file.
func (p *Planner) externalID(id string) string { return p.collection + "/" + id }

// build chooses the action for every file and, when no file has a problem, for
// every post whose file was removed. Faults of files are problems, not errors.
func (p *Planner) build(ctx context.Context) error {
	posts, err := p.collected(ctx)
	if err != nil {
		return err
	}
	moved, err := p.readLock(ctx, posts)
	if err != nil {
		return err
	}
	firstApply := len(posts) == 0
	files := p.all()
	for _, w := range files {
		id := w.File.ID.Text
		s := Step{Change: Change{ID: id, File: w.File.Path}, Wanted: w, Post: posts[id], moved: moved[id]}
		delete(posts, id)
		if p.faults[w.File.Path] == "" {
			if late := p.Decide(&s); late != nil && p.collection != "" {
				p.problemf(w.File, w.File.At.Line, "%s", fixedAdvice(late))
			}
		}
		p.steps = append(p.steps, s)
	}
	p.markRefused()
	if err := p.validateAll(ctx); err != nil {
		return err
	}
	p.markRefused()
	if len(p.problems) > 0 {
		return nil
	}
	p.addOrphans(posts, moved)
	if firstApply {
		p.copies, err = p.countCopies(ctx)
	}
	return err
}

// countCopies returns the number of files whose post exists, but belongs to no
// collection: an earlier version, or another client, has created it.
func (p *Planner) countCopies(ctx context.Context) (n int, err error) {
	missing := map[string]int{}
	for i := range p.steps {
		if s := &p.steps[i]; s.Action == DoCreate {
			missing[s.Wanted.Digest()]++
		}
	}
	if len(missing) == 0 {
		return 0, nil
	}
	for post, err := range p.client.EachPost(ctx, client.PostQuery{Statuses: post.FileStatuses, Limit: post.PageSize}) {
		if err != nil {
			return n, err
		}
		if digest := StateOf(post).Digest(); post.ExternalID == nil && missing[digest] > 0 {
			missing[digest]--
			n++
		}
	}
	return n, nil
}

// markRefused refuses the files that have problems.
func (p *Planner) markRefused() {
	for i := range p.steps {
		if s := &p.steps[i]; p.faults[s.File] != "" {
			s.Action, s.Message, s.Differences = isRefused, p.faults[s.File], nil
		}
	}
}

// addOrphans adds the open posts without a file.
func (p *Planner) addOrphans(posts map[string]apiv1.Post, moved map[string]bool) {
	for _, id := range slices.Sorted(maps.Keys(posts)) {
		s := Step{Change: Change{ID: id}, Post: posts[id], moved: moved[id]}
		if s.Post.Status == schedctl.Draft || s.Post.Status == schedctl.Scheduled {
			p.Decide(&s)
			p.steps = append(p.steps, s)
		}
	}
}

// collected returns the posts of the collection by the ids of their files.
func (p *Planner) collected(ctx context.Context) (map[string]apiv1.Post, error) {
	posts := map[string]apiv1.Post{}
	if p.collection == "" {
		return posts, nil
	}
	for post, err := range p.client.EachPost(ctx, client.PostQuery{Collection: p.collection, Limit: post.PageSize}) {
		if err != nil {
			return nil, err
		}
		if id, ours := strings.CutPrefix(cli.Deref(post.ExternalID), p.externalID("")); ours {
			posts[id] = post
		}
	}
	return posts, nil
}

// validateAll checks with the networks the posts that change.
func (p *Planner) validateAll(ctx context.Context) error {
	return cli.RunEachInOrder(ctx, p.steps, func(ctx context.Context, s *Step) error {
		if !s.does() {
			return nil
		}
		create := p.request(s)
		v, err := p.client.ValidateChange(ctx, s.PostID, create)
		s.problems = ContentProblems(s.Wanted.File, v, p.names)
		return err
	}, func(s Step, err error) error {
		if err != nil && post.IsLineError(err) {
			p.problemf(s.Wanted.File, s.Wanted.File.Content.Line, "%v", err)
			return nil
		}
		p.addProblems(s.problems...)
		return err
	})
}

// request returns the post of a file as it is sent.
func (p *Planner) request(s *Step) apiv1.CreatePost {
	w := s.Wanted
	create := apiv1.CreatePost{
		Content: w.Content, SocialAccountIDs: w.Accounts, TargetOverrides: w.APIOverrides(), Labels: w.Labels,
		AllowDuplicate: p.allowDuplicate,
	}
	if w.At != "" {
		create.PublishAt = apiv1.At(w.Moment.Time)
	}
	return create
}

// ContentProblems returns the objections of networks, at the line of the text in
// question.
func ContentProblems(f *postfile.File, v apiv1.Validation, names post.AccountRefs) (list []postfile.Problem) {
	for _, text := range post.ProblemMessages(v.Problems) {
		list = append(list, f.Problemf(f.Content.Line, "%s", cli.OneLine(text)))
	}
	for _, acct := range v.Accounts {
		name := cli.FirstNonEmpty(names[acct.SocialAccountID], acct.SocialAccountID)
		line := f.Content.Line
		at := slices.IndexFunc(f.Overrides, func(o postfile.Override) bool {
			return o.Account.Text == name || o.Account.Text == acct.SocialAccountID || strings.HasSuffix(name, ":"+o.Account.Text)
		})
		if at >= 0 {
			line = f.Overrides[at].Account.Line
		}
		for _, text := range post.ProblemMessages(acct.Problems) {
			list = append(list, f.Problemf(line, "%s: %s", name, cli.OneLine(text)))
		}
	}
	return list
}
