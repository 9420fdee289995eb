package api

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/clock"
	"github.com/schedctl/schedctl/daemon/connect"
	"github.com/schedctl/schedctl/daemon/media"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/linkcard"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/seal"
	"github.com/schedctl/schedctl/daemon/source"
	"github.com/schedctl/schedctl/daemon/usecase"
	"github.com/schedctl/schedctl/storage"
)

// prefix is the path below which the versioned routes are.
const prefix = "/api/v1"

// Config holds the dependencies and settings of a [Server].
type Config struct {
	Store      storage.Store
	Publishers publish.Registry
	Connector  *connect.Connector // asks networks about accounts
	Sealer     *seal.Sealer       // seals secrets of webhooks, and responses that contain a secret
	Outbound   outbound.Policy    // which addresses webhooks may have
	Clock      *clock.Clock       // whether the wall clock can be trusted; nil trusts it
	Logger     *slog.Logger       // nil for none

	// Media receives and serves files; nil if the daemon has no place for them. Signer
	// makes the URLs of uploads.
	Media  *media.Service
	Signer *media.Signer

	// Cards fetches the link cards of posts that are submitted for an approval. Nil fetches
	// none.
	Cards *linkcard.Fetcher

	// PublicURL is how the world reaches the daemon, for the URLs of uploads. A request
	// to another host gets URLs with that host.
	PublicURL string

	// External is the public URL that the operator has set, without a slash at its end, or ""
	// for none. Location, the servers of the document and the addresses of calendar feeds
	// follow it.
	External string

	// TrustedProxies are the proxies whose X-Forwarded-For names the clients.
	TrustedProxies []netip.Prefix

	// MaxLateness is how late a target may still be published.
	MaxLateness time.Duration

	// Sources reads the feeds of sources and makes their posts. Nil makes none.
	Sources *source.Runner

	// NoResults says that the daemon reads no results of posts.
	NoResults bool

	// RateLimit is how often one API key may ask; the zero value is no limit.
	RateLimit RateLimit

	// Notifier sends the test messages of notifications.
	Notifier Notifier

	// Readers limits the readers of the store and is shared with the daemon's other
	// handlers. Nil creates a new limit.
	Readers *storage.Readers

	// Feeds serves paths below /feeds/. Nil disables them.
	Feeds http.Handler

	// MediaLinks serves the signed URLs below /media/. Nil disables them.
	MediaLinks http.Handler

	// Agents serves POST /mcp, after the checks of the key, the Host and the Origin. Nil
	// disables it.
	Agents func(http.ResponseWriter, *http.Request, AgentCall)

	// Metrics serves /metrics without authentication. Nil disables it.
	Metrics http.Handler

	// Observe, if not nil, is called after every request. It must not block.
	Observe func(Exchange)

	// Ready returns why the daemon cannot serve, or nil; a nil Ready is always ready.
	// /readyz shows its error.
	Ready func(context.Context) error

	// Warning returns a sentence about a problem that does not keep the daemon from
	// serving, or an empty text; nil for none.
	Warning func(context.Context) string

	// Nodes returns the daemons that use the database, including this one. Nil
	// means an empty list.
	Nodes func() []apiv1.Node

	// Announced is the address that the daemon announces to local clients, and the
	// secret that proves its identity. Without a secret there is no proof.
	Announced apiv1.Announced

	// Version is the daemon's version, for the OpenAPI document.
	Version string
}

// Server serves the HTTP API. It is safe for concurrent use.
type Server struct {
	store      storage.Store
	readers    *storage.Readers
	scans      *scans
	backups    chan struct{}  // one token for each running backup
	shared     storage.Shared // the store if other daemons use it too, else nil
	publishers publish.Registry
	cases      *usecase.Service
	connector  *connect.Connector
	notifier   Notifier
	sources    *source.Runner
	sealer     *seal.Sealer
	outbound   outbound.Policy
	media      *media.Service
	cards      *linkcard.Fetcher
	cardTurns  *scans // by the workspace
	signer     *media.Signer
	publicURL  string
	external   string
	path       string // of the public URL
	agents     bool   // the daemon serves /mcp
	feeds      bool   // the daemon serves /feeds
	metrics    bool   // the daemon serves /metrics
	trusted    []netip.Prefix
	clock      *clock.Clock
	log        *slog.Logger
	ready      func(context.Context) error
	warning    func(context.Context) string
	announced  apiv1.Announced
	nodes      func() []apiv1.Node
	observe    func(Exchange)
	inFlight   *inFlight
	keys       *cache[[32]byte, schedctl.APIKey] // by the hash of the secret
	keysByID   *cache[string, schedctl.APIKey]
	accounts   *cache[accountKey, schedctl.Account]
	responses  *cache[responseKey, response]
	documents  *documents
	visitors   visitors
	used       lastUsed
	shareUses  shareUses
	limits     rateLimits
	hub        *hub
	mux        *http.ServeMux
}

// New returns a server. It starts no goroutine. It panics on conflicting routes,
// which no configuration can cause.
func New(c Config) *Server {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Server{
		store: c.Store, publishers: c.Publishers, connector: c.Connector, notifier: c.Notifier, sources: c.Sources, log: c.Logger, ready: c.Ready, warning: c.Warning, announced: c.Announced, nodes: c.Nodes,
		observe: c.Observe, sealer: c.Sealer, outbound: c.Outbound, media: c.Media, cards: c.Cards, signer: c.Signer, publicURL: c.PublicURL, external: c.External, path: externalPath(c.External), trusted: c.TrustedProxies, agents: c.Agents != nil, feeds: c.Feeds != nil, metrics: c.Metrics != nil, clock: c.Clock, readers: c.Readers,
		inFlight: newInFlight(), mux: http.NewServeMux(),
		keys:      newCache[[32]byte, schedctl.APIKey](maxCachedKeys, cachedKeyTTL),
		keysByID:  newCache[string, schedctl.APIKey](maxCachedKeys, cachedKeyTTL),
		accounts:  newCache[accountKey, schedctl.Account](maxCachedAccounts, cachedAccountTTL),
		responses: newCache[responseKey, response](maxCachedResponses, 0),
	}
	if s.readers == nil {
		s.readers = storage.NewReaders(c.Store)
	}
	s.scans, s.backups = newScans(s.readers.Max()), make(chan struct{}, maxBackups)
	s.shared, _ = c.Store.(storage.Shared)
	s.cardTurns = &scans{perKey: maxCardsOfWorkspace, keys: map[string]*keyScans{}}
	s.cases = &usecase.Service{Publishers: c.Publishers, Connector: c.Connector, Limits: media.DefaultLimits, FetchCard: s.fetchCard, MaxLateness: c.MaxLateness, NoResults: c.NoResults}
	if c.Media != nil {
		s.cases.Limits, s.cases.Blobs = c.Media.Limits(), c.Media.Blobs()
	}
	s.documents = newDocuments(s.shared != nil)
	s.hub = newHub(s.readers, s.scans, s.shared != nil, c.Logger)
	s.limits = newRateLimits(c.RateLimit, s.shared)
	for _, rt := range s.routes() {
		s.register(rt)
	}
	s.serveDocument(c.Version)
	s.serveDocs()
	s.servePages()
	s.serveUploadPages()
	s.mux.HandleFunc("GET /healthz", s.healthz)
	s.mux.HandleFunc("GET /readyz", s.readyz)
	s.mux.HandleFunc("GET "+calendarPath+"{file}", s.public(s.serveCalendar))
	s.mux.HandleFunc("/", s.notFound)
	if c.Feeds != nil {
		s.serveFeeds(c.Feeds)
	}
	if c.MediaLinks != nil {
		s.mux.HandleFunc("GET /media/", s.public(c.MediaLinks.ServeHTTP))
	}
	if c.Agents != nil {
		s.serveAgents(c.Agents)
	}
	if c.Metrics != nil {
		s.mux.Handle("GET /metrics", c.Metrics)
	}
	return s
}

// Run does the server's background work until ctx ends. Event streams end with it.
// Other requests need no Run.
func (s *Server) Run(ctx context.Context) error {
	var wg sync.WaitGroup
	for _, part := range []func(context.Context){s.hub.run, s.runLastUsed, s.shareLimits} {
		wg.Go(func() { part(ctx) })
	}
	wg.Wait()
	return nil
}

func (s *Server) shareLimits(ctx context.Context) { s.limits.share(ctx, s.shared, s.log) }

// EndStreams ends the event streams and refuses new ones. It does not wait for them
// to end.
func (s *Server) EndStreams() { s.hub.endStreams() }

// Committed must be called after every commit of the store. It does not block.
func (s *Server) Committed(c storage.Commit) {
	if len(c.Accounts) > 0 || c.Missed {
		s.accounts.clear()
	}
	s.responses.clear()
	s.documents.committed()
	s.hub.committed(c)
}

// ServeHTTP handles one request and logs it.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	w.Header()[requestIDHeader] = []string{requestID(r, start)}
	r = s.withClient(r)
	rec := &statusRecorder{ResponseWriter: w, path: s.path}
	if s.observe != nil {
		defer s.observed(r, rec, start)
	}
	defer func() {
		if v := recover(); v != nil {
			s.recovered(rec, r, v)
		}
		s.logRequest(r, rec, start)
	}()
	if !cleanPath(r.URL.Path) {
		s.notFound(rec, r) // the mux would redirect
		return
	}
	s.mux.ServeHTTP(rec, r)
}

// recovered handles a panic of a handler. Once the headers are sent, it can only cut
// the connection.
func (s *Server) recovered(w *statusRecorder, r *http.Request, v any) {
	if v == http.ErrAbortHandler { // net/http compares with == too
		panic(v)
	}
	err := fmt.Errorf("panic: %v\n%s", v, debug.Stack())
	if w.status != 0 {
		s.logFailure(r, w.Header().Get(requestIDHeader), internal(err))
		panic(http.ErrAbortHandler)
	}
	s.fail(w, r, err)
}

// healthz reports that the process is running. If the client sends a challenge, the
// response proves that this is the announced daemon.
func (s *Server) healthz(w http.ResponseWriter, r *http.Request) {
	challenge := r.Header.Get(apiv1.ChallengeHeader)
	if s.announced.Secret != "" && len(challenge) >= apiv1.MinChallenge && visibleASCII(challenge, apiv1.MaxChallenge) {
		w.Header().Set(apiv1.ProofHeader, s.announced.Proof(challenge))
	}
	response{status: http.StatusOK, body: okBody}.write(w)
}

var okBody = []byte(`{"status":"ok"}` + "\n")

// readyz reports whether the daemon serves requests and publishes posts. Its
// warnings list other problems for the operator.
func (s *Server) readyz(w http.ResponseWriter, r *http.Request) {
	if s.ready != nil {
		if err := s.ready(r.Context()); err != nil {
			s.fail(w, r, schedctl.Errorf(schedctl.Unavailable, "", "not ready: %w", err))
			return
		}
	}
	var warnings []string
	if warning := s.clock.Warning(); warning != "" {
		warnings = append(warnings, warning)
	}
	if s.warning != nil {
		if warning := s.warning(r.Context()); warning != "" {
			warnings = append(warnings, warning)
		}
	}
	body := okBody
	if len(warnings) > 0 {
		body, _ = json.Marshal(map[string]any{"status": "ok", "warnings": warnings})
	}
	response{status: http.StatusOK, body: body}.write(w)
}

// view reads one snapshot.
func (s *Server) view(ctx context.Context, fn func(storage.Reader) error) error {
	return storeError(s.readers.View(ctx, fn), "the daemon could not read its database; see its log")
}

// snapshots returns view for package usecase.
func (s *Server) snapshots(ctx context.Context) usecase.View {
	return func(fn func(storage.Reader) error) error { return s.view(ctx, fn) }
}
