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
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/media"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
	"github.com/schedctl/schedctl/cmd/schedctl/snippet"
)

// planFlags are the flags of plan and apply.
type planFlags struct {
	zone             cli.WhenFlags
	named            string // --collection
	prune, overwrite bool
	pruneAll         bool // also if prune would remove most of the posts
	allowOlder       bool // also if a later commit was applied
	listAll          bool // list unchanged files in a pipe
	allowDuplicate   bool
	checkOnly        bool   // refusals that depend on the key are warnings
	approvedBy       string // the address of the pull request that was the review
	submit           bool   // posts with a time become drafts that wait for an approval
}

func (o *planFlags) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.prune, "prune", false, "cancel posts and delete series, queues and blackouts that left the files")
	cmd.Flags().BoolVar(&o.pruneAll, "prune-all", false, "prune, even if that removes more than half of the open posts")
	cmd.Flags().BoolVar(&o.overwrite, "overwrite", false, "also change posts that were changed or canceled outside the files")
	cmd.Flags().BoolVar(&o.allowOlder, "allow-older", false, "accept a commit that is older than the last applied one")
	cmd.Flags().BoolVar(&o.listAll, "all", false, "also list unchanged files in a pipe")
	cmd.Flags().StringVar(&o.approvedBy, "approved-by", "", "the `URL` of the merged pull request that was the review of these files")
	cmd.Flags().BoolVar(&o.submit, "submit", false, "make drafts with a proposed time, and submit them for approval")
	o.addShared(cmd)
	post.AddAllowDuplicate(cmd, &o.allowDuplicate)
}

// check returns an error for flags that contradict each other.
func (o *planFlags) check() error {
	if o.submit && o.approvedBy != "" {
		return cli.UsageError("--submit asks for an approval, and --approved-by gives one: use either")
	}
	return nil
}

// addShared defines the flags that lint has as well.
func (o *planFlags) addShared(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.named, post.CollectionFlag, "", "the `name` of the collection, when "+postfile.ConfigName+" does not give it")
	o.zone.AddZone(cmd)
	cmd.Flag("tz").Usage = "the time `zone` for files that give none"
}

// planner compares files with posts and decides what to change.
type planner struct {
	planFlags
	*fileReader
	client *client.Client
	names  AccountRefs
	steps  []step

	settings    []setting
	series      []setting           // recurring posts
	otherSeries []apiv1.Series      // of other collections, that have not ended
	blackouts   []schedctl.Blackout // as they will be, if the settings change any

	key      schedctl.APIKey    // of the client: its id, and what it may do
	refusals []refusal          // of the problems
	warnings []postfile.Problem // of the daemon

	owner       apiv1.ApplyCollection // whose files these are
	submitted   map[string]bool       // the ids of files of series for which --submit asks for an approval
	collections map[string]bool       // the names of those of the workspace, if they were read
	pruned      pruned
	copies      int // files to create whose post exists outside the collection
	assets      assets
}

// newPlanner reads the settings and the accounts.
func newPlanner(ctx context.Context, a *cli.App, files *postFiles, flags planFlags) (*planner, error) {
	if err := files.needCollection(); err != nil {
		return nil, err
	}
	r, err := newFileReader(a, files, flags.zone)
	if err != nil {
		return nil, err
	}
	flags.prune = flags.prune || flags.pruneAll
	p := &planner{planFlags: flags, fileReader: r}
	if p.client, err = a.Connect(); err != nil {
		return nil, err
	}
	if err := p.readOwner(ctx); err != nil {
		return nil, err
	}
	return p, p.readSettings(ctx)
}

func newFileReader(a *cli.App, files *postFiles, zone cli.WhenFlags) (r *fileReader, err error) {
	r = &fileReader{App: a, postFiles: files, media: media.DefaultConfig, inspected: map[string]mediaFile{}, paths: map[string]string{}}
	if zone.TZ != "" {
		r.zone, err = zone.Zone(a)
	}
	return r, err
}

// readSettings reads the accounts, what the key may do and, if files list media, the limits of the daemon.
func (p *planner) readSettings(ctx context.Context) error {
	list, err := p.client.Accounts(ctx, client.AccountQuery{})
	p.accounts, p.names = append([]apiv1.Account{}, list...), AccountRefsOf(list)
	p.groups, p.snippets = account.GroupsOf(ctx, p.client), snippet.NewTexts(ctx, p.client)
	if err == nil {
		p.key, err = readKey(ctx, p.client)
	}
	if err == nil {
		err = p.readQueues(ctx)
	}
	if err != nil || !p.usesMedia() {
		return err
	}
	config, err := p.client.MediaConfig(ctx)
	if err == nil {
		p.media = config
	}
	return err
}

// externalID returns the external id of the post of a file.
func (p *planner) externalID(id string) string { return p.collection + "/" + id }

// build chooses the action for every file. If no file has a problem, it also chooses
// one for every post whose file was removed. Problems of files are collected, not
// returned as errors.
func (p *planner) build(ctx context.Context) error {
	posts, err := p.collected(ctx)
	if err != nil {
		return err
	}
	moved, err := p.readLock(ctx, posts)
	if err != nil {
		return err
	}
	firstApply := len(posts) == 0
	for _, post := range posts {
		if isOpen(post) {
			p.pruned.open++
		}
	}
	files := p.all()
	series, err := p.collectedSeries(ctx)
	if err != nil {
		return err
	}
	for _, s := range series {
		if s.State != schedctl.SeriesEnded {
			p.pruned.open++
		}
	}
	p.series = nil
	for _, w := range files {
		id := w.doc.ID
		if w.series != nil && p.faults[w.doc.Path] == "" {
			s := p.decideSeries(w, series[id])
			p.series = append(p.series, s)
			delete(series, id)
			continue
		}
		s := step{change: change{ID: id, File: w.doc.Path}, wanted: w, post: posts[id], moved: moved[id]}
		delete(posts, id)
		if p.faults[w.doc.Path] == "" {
			if late := p.decide(&s); late != nil && p.collection != "" {
				p.problemf(w.doc, w.doc.Line("at"), "%s", fixedAdvice(late))
			}
		}
		p.steps = append(p.steps, s)
	}
	if err := p.refuseRenamed(ctx, posts, series); err != nil {
		return err
	}
	p.markRefused()
	if p.faults[postfile.ConfigName] == "" {
		if err := p.buildSettings(ctx); err != nil {
			return err
		}
	}
	if err := p.findAssets(ctx); err != nil {
		return err
	}
	p.maySeries(p.series)
	if err := p.validateSeries(ctx, p.series); err != nil {
		return err
	}
	if err := p.validate(ctx, (*step).does); err != nil {
		return err
	}
	p.addTwins()
	p.markRefused()
	if len(p.problems) > 0 {
		return nil
	}
	p.addOrphans(posts, moved)
	withFiles := len(p.series)
	p.addOrphanSeries(series)
	if err := p.mayRemove(ctx); err != nil {
		return err
	}
	p.maySeries(p.series[withFiles:])
	if firstApply {
		p.copies, err = p.countCopies(ctx)
	}
	return err
}

// countCopies returns the number of files whose post exists, but belongs to no
// collection: an earlier version, or another client, has created it.
func (p *planner) countCopies(ctx context.Context) (n int, err error) {
	missing := map[string]int{}
	for i := range p.steps {
		if s := &p.steps[i]; s.Action == doCreate {
			missing[s.wanted.digest()]++
		}
	}
	if len(missing) == 0 {
		return 0, nil
	}
	for post, err := range p.client.EachPost(ctx, client.PostQuery{Statuses: fileStatuses, Limit: post.PageSize}) {
		if err != nil {
			return n, err
		}
		if digest := stateOf(post).digest(); post.ExternalID == nil && missing[digest] > 0 {
			missing[digest]--
			n++
		}
	}
	return n, nil
}

// markRefused refuses the files that have problems.
func (p *planner) markRefused() {
	for i := range p.steps {
		if s := &p.steps[i]; p.faults[s.File] != "" {
			s.Action, s.Message, s.Differences = isRefused, p.faults[s.File], nil
		}
	}
	for i := range p.series {
		if s := &p.series[i]; p.faults[s.File] != "" {
			s.Action, s.Message, s.Differences = isRefused, p.faults[s.File], nil
		}
	}
}

// addOrphans adds the open posts without a file.
func (p *planner) addOrphans(posts map[string]apiv1.Post, moved map[string]bool) {
	for _, id := range slices.Sorted(maps.Keys(posts)) {
		s := step{change: change{ID: id}, post: posts[id], moved: moved[id]}
		if isOpen(s.post) {
			p.decide(&s)
			p.steps = append(p.steps, s)
		}
	}
}

func isOpen(p apiv1.Post) bool { return p.Status == schedctl.Draft || p.Status == schedctl.Scheduled }

// collected returns the posts of the collection by the ids of their files.
func (p *planner) collected(ctx context.Context) (map[string]apiv1.Post, error) {
	posts := map[string]apiv1.Post{}
	if p.collection == "" {
		return posts, nil
	}
	for post, err := range p.client.EachPost(ctx, client.PostQuery{Collection: p.collection, Archived: "all", Limit: post.PageSize}) {
		if err != nil {
			return nil, err
		}
		if id, ours := strings.CutPrefix(cli.Deref(post.ExternalID), p.externalID("")); ours {
			posts[id] = post
		}
	}
	return posts, nil
}
