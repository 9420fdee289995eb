// Package daemon runs the parts of schedctl together: the API, the timer loop, the
// deliverer that publishes, and the webhook dispatcher. It only knows how they start,
// stop and learn of each other's commits. The caller opens the store.
package daemon

import (
	"cmp"
	"context"
	"crypto/rand"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/daemon/clock"
	"github.com/schedctl/schedctl/daemon/connect"
	"github.com/schedctl/schedctl/daemon/deliver"
	"github.com/schedctl/schedctl/daemon/forecast"
	"github.com/schedctl/schedctl/daemon/media"
	"github.com/schedctl/schedctl/daemon/media/variant"
	"github.com/schedctl/schedctl/daemon/metrics"
	"github.com/schedctl/schedctl/daemon/node"
	"github.com/schedctl/schedctl/daemon/notify"
	"github.com/schedctl/schedctl/daemon/planner"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/all"
	"github.com/schedctl/schedctl/daemon/publish/feed"
	"github.com/schedctl/schedctl/daemon/publish/linkcard"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/results"
	"github.com/schedctl/schedctl/daemon/schedule"
	"github.com/schedctl/schedctl/daemon/seal"
	"github.com/schedctl/schedctl/daemon/source"
	"github.com/schedctl/schedctl/daemon/source/fetch"
	"github.com/schedctl/schedctl/daemon/usecase"
	"github.com/schedctl/schedctl/daemon/webhook"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/blob"
)

// Config is what a daemon runs with. Store, Sealer and Logger are required.
type Config struct {
	Store       storage.Store
	DataDir     string // where admin.key and daemon.json are written
	Sealer      *seal.Sealer
	Listen      string       // host:port, or unix:///path
	Listener    net.Listener // where to serve instead of Listen, if not nil
	Outbound    outbound.Policy
	Blobs       blob.Store    // the bytes of media; nil for a daemon without media
	Media       media.Limits  // of uploads; media.DefaultLimits if it is the zero value
	RateLimit   api.RateLimit // of one API key; the zero value is no limit
	MaxLateness time.Duration // how late a target may still be published
	PublicURL   string        // how others reach the daemon; the listen address when empty

	// TrustedProxies are the proxies whose X-Forwarded-For names the clients.
	TrustedProxies []netip.Prefix

	Logger  *slog.Logger
	Version string

	// NoResults turns off the readings of what became of published posts.
	NoResults bool

	// Admit, if not nil, returns an error when daemons must not use the store. It is
	// called after the daemon has joined the nodes of the store and before it does
	// anything else. It is called again before a node with an expired lease rejoins,
	// which is retried until there is no error.
	Admit func(context.Context, storage.Store) error

	// Started, if not nil, is called when everything has started that can fail, before the
	// daemon answers requests.
	Started func()

	// Supervise, if not nil, runs alongside the daemon. It must return when ctx ends,
	// which is when the daemon starts to stop. Its error ends the daemon. ready
	// returns why the daemon cannot publish, or nil.
	Supervise func(ctx context.Context, ready func(context.Context) error) error
}

// clockFile is the file in the data directory that holds the last trusted time.
const clockFile = "clock.json"

// DefaultMaxLateness is how late a target may still be published by default.
const DefaultMaxLateness = 24 * time.Hour

// Run serves and publishes until ctx ends. Then it stops the parts in order: the API,
// the timer loop, the deliverer, the webhook dispatcher. Work in progress gets a few
// seconds to finish. Run returns nil after such a stop, and an error when the daemon
// could not start or a part failed. The caller closes the store.
func Run(ctx context.Context, cfg Config) error {
	listener := cfg.Listener
	if listener == nil {
		var err error
		if listener, err = listen(cfg.Listen); err != nil {
			return err
		}
	}
	defer listener.Close()
	member, leave, err := join(ctx, cfg, listener)
	if err != nil {
		return err
	}
	defer leave()
	youngest, err := prepareStore(ctx, cfg)
	if err != nil {
		return err
	}
	watched := clock.Open(filepath.Join(cfg.DataDir, clockFile), youngest, cfg.Logger)
	watched.Leap() // stores the time before clients can find the daemon
	self := apiv1.Announced{URL: clientURL(listener), Secret: rand.Text()}
	d := assemble(cfg, listener, self, member, watched)
	remove, err := announce(cfg.DataDir, self, cfg.Logger)
	if err != nil {
		return err
	}
	defer remove()
	cfg.Logger.Info("daemon started", "url", clientURL(listener), "version", cfg.Version, "data_dir", cfg.DataDir)
	warnAddress(ctx, cfg.Store, d.publishers, cfg.Logger)
	if cfg.Started != nil {
		cfg.Started()
	}
	stages := d.stages(listener)
	if cfg.Supervise != nil {
		stages = slices.Insert(stages, 0, []part{{"supervise", func(ctx context.Context) error { return cfg.Supervise(ctx, d.ready) }}})
	}
	err = runStages(ctx, stages)
	cfg.Logger.Info("daemon stopped")
	return err
}

func admit(ctx context.Context, cfg Config) error {
	if cfg.Admit == nil {
		return nil
	}
	return cfg.Admit(ctx, cfg.Store)
}

// prepareStore checks that the daemon may use the store, and creates what the first
// start needs. It returns the time of the newest event.
func prepareStore(ctx context.Context, cfg Config) (youngest time.Time, err error) {
	if err := admit(ctx, cfg); err != nil {
		return time.Time{}, err
	}
	if youngest, err = resumeIDs(ctx, cfg.Store); err != nil {
		return time.Time{}, err
	}
	if err := bootstrap(ctx, cfg); err != nil {
		return time.Time{}, err
	}
	if err := checkSealer(ctx, cfg); err != nil {
		return time.Time{}, err
	}
	sealWebhookURLs(ctx, cfg.Store, cfg.Sealer, cfg.Logger)
	return youngest, nil
}

// daemon holds the parts of a running daemon.
type daemon struct {
	member     *node.Member // nil when no other daemon can use the store
	self       loneNode
	planner    *planner.Planner
	announcer  *forecast.Announcer
	loop       *schedule.Loop
	publishers publish.Registry
	connector  *connect.Connector
	deliverer  *deliver.Deliverer
	dispatcher *webhook.Dispatcher
	api        *api.Server
	metrics    *metrics.Metrics
	probe      *probe
	collector  *mediaCollector // nil without media
	results    *results.Reader // nil if no results are read
	sources    *source.Runner
	store      storage.Store
	clock      *clock.Clock
	log        *slog.Logger
}

func assemble(cfg Config, listener net.Listener, announced apiv1.Announced, member *node.Member, watched *clock.Clock) *daemon {
	publicURL := cfg.PublicURL
	if publicURL == "" {
		publicURL = clientURL(listener)
	}
	d := &daemon{member: member, self: newLoneNode(cfg), store: cfg.Store, log: cfg.Logger, clock: watched, probe: newProbe(cfg.Store, cfg.Logger)}
	client := outbound.Client(cfg.Outbound)
	fitter := variant.NewFitter(variant.DefaultMemory)
	cards := linkcard.New(outbound.FetchClient(cfg.Outbound), fitter, cfg.Version)
	publishers := all.Publishers(all.Config{Client: client, Outbound: cfg.Outbound, PublicURL: publicURL, Version: cfg.Version, Cards: cards})
	d.publishers = publishers
	d.connector = newConnector(cfg, publishers, member)
	sender := notify.New(notify.Config{
		Store: cfg.Store, Publishers: publishers, Credentials: d.connector, Sealer: cfg.Sealer, Outbound: cfg.Outbound, Logger: cfg.Logger, Version: cfg.Version,
		PublicURL: strings.TrimRight(cfg.PublicURL, "/"), LinkReview: usecase.LinkReview,
	})
	d.dispatcher = d.newDispatcher(cfg, client, sender)
	d.metrics = metrics.New(metrics.Config{
		Store: cfg.Store, Backlog: d.dispatcher.Backlog, ClockDoubted: func() bool { return watched.Leap().InDoubt() }, NoResults: cfg.NoResults, Logger: cfg.Logger, Version: cfg.Version,
	})
	signer := media.NewSigner(cfg.Sealer.DeriveKey(media.SigningPurpose))
	var source *mediaSource
	if cfg.Blobs != nil {
		source = newMediaSource(cfg.Store, cfg.Blobs, fitter, signer, publishers, publicURL)
	}
	d.deliverer = d.newDeliverer(cfg, publishers, source)
	d.planner, d.announcer = d.newPlanner(cfg), d.newAnnouncer(cfg, publishers)
	d.results = d.newResults(cfg)
	var files *media.Service
	if cfg.Blobs != nil {
		files = media.New(media.Config{Blobs: cfg.Blobs, Limits: cfg.Media, Outbound: cfg.Outbound})
	}
	d.sources = d.newSources(cfg, publishers, files)
	newLoop := schedule.New
	if member != nil {
		newLoop = schedule.NewWindow
		member.SetLag(d.deliverer.Lag)
	}
	d.loop = newLoop(dueSource{cfg.Store}, d.deliverer.Enqueue, cfg.Logger)
	readers := storage.NewReaders(cfg.Store)
	var links http.Handler
	if files != nil {
		links = &mediaLinks{readers, files, source, cfg.Logger}
		d.collector = &mediaCollector{media.Collector{Store: cfg.Store, Blobs: cfg.Blobs, Used: cfg.Media.Keep, Retention: files.Retention()}, d.metrics, cfg.Logger, time.Time{}}
	}
	d.api = api.New(api.Config{
		Media: files, Sources: d.sources, Cards: cards, Signer: signer, PublicURL: publicURL, External: strings.TrimRight(cfg.PublicURL, "/"), TrustedProxies: cfg.TrustedProxies,
		Store: cfg.Store, Readers: readers, Publishers: publishers, Connector: d.connector, Notifier: sender, Sealer: cfg.Sealer, Outbound: cfg.Outbound, Clock: watched,
		RateLimit: cfg.RateLimit, MaxLateness: cmp.Or(cfg.MaxLateness, DefaultMaxLateness), NoResults: cfg.NoResults, Feeds: feed.Handler(feedSource{readers, files}, publicURL, cfg.Logger), MediaLinks: links,
		Agents:  serveAgents(cfg),
		Metrics: rejectRebinding(listener, d.metrics.Handler()), Observe: d.countRequest, Ready: d.ready, Warning: d.planner.Warning, Announced: announced, Nodes: d.nodes, Logger: cfg.Logger, Version: cfg.Version,
	})
	cfg.Store.Notify(d.committed)
	return d
}

func (d *daemon) newPlanner(cfg Config) *planner.Planner {
	config := planner.Config{Store: cfg.Store, Clock: d.clock, MaxLateness: cmp.Or(cfg.MaxLateness, DefaultMaxLateness), Logger: cfg.Logger, Observe: d.countSweep}
	if d.member != nil {
		config.Member = d.member
	}
	return planner.New(config)
}

func (d *daemon) newAnnouncer(cfg Config, publishers publish.Registry) *forecast.Announcer {
	cases := usecase.Service{Publishers: publishers, MaxLateness: cmp.Or(cfg.MaxLateness, DefaultMaxLateness)}
	if cfg.Blobs != nil {
		cases.Blobs = cfg.Blobs
	}
	config := forecast.Config{Store: cfg.Store, Clock: d.clock, Cases: &cases, Logger: cfg.Logger}
	if d.member != nil {
		config.Member = d.member
	}
	return forecast.New(config)
}

// newResults returns the reader of results, with connections that publishing does not need.
func (d *daemon) newResults(cfg Config) *results.Reader {
	if cfg.NoResults {
		return nil
	}
	config := results.Config{
		Store: cfg.Store, Sessions: d.connector, Clock: d.clock, Logger: cfg.Logger,
		Publishers: all.Publishers(all.Config{Client: outbound.Client(cfg.Outbound), Outbound: cfg.Outbound, Version: cfg.Version}),
		Verify:     d.refused, Observe: d.countReading,
	}
	if d.member != nil {
		config.Member = d.member
	}
	return results.New(config)
}

// refused reports whether the network of an account refuses its credentials. It does not ask
// a network that charges for that.
func (d *daemon) refused(ctx context.Context, a schedctl.Account) bool {
	if p, ok := d.publishers[a.Platform].(publish.PaidCheck); ok && p.PaidCheck() {
		return false
	}
	checked, failure := d.connector.Check(ctx, a)
	return failure == nil && checked.Refused()
}

// newSources returns what reads the feeds of sources and makes their posts.
func (d *daemon) newSources(cfg Config, publishers publish.Registry, files *media.Service) *source.Runner {
	cases := usecase.Service{Publishers: publishers, Limits: media.DefaultLimits, MaxLateness: cmp.Or(cfg.MaxLateness, DefaultMaxLateness)}
	if files != nil { // the interface must be nil otherwise
		cases.Blobs, cases.Limits = cfg.Blobs, files.Limits()
	}
	config := source.Config{
		Store: cfg.Store, Cases: &cases, Clock: d.clock, Logger: cfg.Logger, Open: api.OpenSource(cfg.Sealer.Open), Fetched: d.metrics.SourceFetched, Counted: d.metrics.SourceItem,
		Fetcher: fetch.New(outbound.FetchClient(cfg.Outbound), cfg.Version, strings.TrimRight(cfg.PublicURL, "/")), Files: files,
	}
	if d.member != nil {
		config.Member = d.member
	}
	return source.New(config)
}

func newConnector(cfg Config, publishers publish.Registry, member *node.Member) *connect.Connector {
	config := connect.Config{Store: cfg.Store, Publishers: publishers, Sealer: cfg.Sealer, Logger: cfg.Logger}
	if member != nil { // the interface must be nil otherwise
		config.Member = member
	}
	return connect.New(config)
}

func (d *daemon) newDispatcher(cfg Config, client *http.Client, sender *notify.Sender) *webhook.Dispatcher {
	config := webhook.Config{
		Store: cfg.Store, Client: client, Sealer: cfg.Sealer, Logger: cfg.Logger, Version: cfg.Version, Observe: d.countWebhookAttempt, Clock: d.clock, Notifier: sender,
	}
	if d.member != nil {
		config.Member = d.member
	}
	return webhook.New(config)
}

func (d *daemon) newDeliverer(cfg Config, publishers publish.Registry, source *mediaSource) *deliver.Deliverer {
	config := deliver.Config{
		Store: cfg.Store, Publishers: publishers, Sealer: cfg.Sealer, Sessions: d.connector, Observe: d.countPublishAttempt, Clock: d.clock,
		MaxLateness: cfg.MaxLateness, Owner: d.self.id, Logger: cfg.Logger,
	}
	if source != nil { // the interface must be nil otherwise
		config.Media = source
	}
	if d.member != nil {
		config.Member = d.member
	}
	return deliver.New(config)
}

// committed passes each commit to the parts that wait for it: new due times to the
// timer loop, changed accounts to the deliverer, events to webhooks and event streams.
func (d *daemon) committed(c storage.Commit) {
	if len(c.Due) > 0 {
		d.loop.Add(c.Due)
		d.deliverer.Scheduled(c.Due)
	}
	if c.Missed {
		d.loop.Reread()
	}
	if len(c.Accounts) > 0 {
		d.deliverer.AccountsChanged(c.Accounts)
	}
	d.dispatcher.Committed(c)
	d.api.Committed(c)
	d.metrics.Committed(c)
}

// dueSource lets the loop read the due index.
type dueSource struct{ store storage.Store }

// Due calls fn for every waiting entry from the given one on.
func (s dueSource) Due(ctx context.Context, from schedctl.Due, fn func(schedctl.Due) bool) error {
	return s.store.View(ctx, func(r storage.Reader) error { return r.Due(from, fn) })
}
