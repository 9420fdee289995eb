// Package client is a Go client for the API of a schedctl daemon.
//
//	c, err := client.New(client.Config{URL: "http://127.0.0.1:7733", Key: key})
//	if err != nil {
//		return err
//	}
//	post, err := c.CreatePost(ctx, apiv1.CreatePost{
//		Content: "Hello", SocialAccountIDs: []string{account}, PublishAt: apiv1.At(time.Now().Add(time.Hour)),
//	})
//
// A [Client] has one method for each operation. The types of requests and responses
// are in package apiv1. The main uses, each with an example:
//
//   - [Client.CreatePost] creates a post, and [Client.Post] reads its result.
//   - [Client.EachPost] iterates over all pages of a list.
//   - [Client.Events] streams events as they happen.
//   - [VerifyWebhook] checks the signature of a request to a webhook.
//   - [Client.Raw] sends any other request.
//
// # Times
//
// Times are [apiv1.Time], which embeds [time.Time] and is encoded in UTC with
// milliseconds. A nil pointer is null.
//
// # Versions
//
// A post has a version. [Client.PostIfChanged] returns [ErrNotModified] while a
// post still has the given version. [IfVersion] makes a write fail with
// VERSION_MISMATCH if the post has another version.
//
// # Errors
//
// An error response of the daemon is an [*Error] with its code, message and HTTP
// status. If there is no response, the error is an [*UnreachableError]. When ctx
// ends, methods return its error.
//
// # Retries
//
// Every write carries an Idempotency-Key, so it is safe to repeat. The client
// retries a few times when there is no response, or while the daemon still handles
// the same request. After status 429 or 503 it waits as long as Retry-After asks,
// within [Config.MaxWait] and [Config.Timeout]. A program that may be restarted
// can pass its own key with [IdempotencyKey] and then gets the first response
// again.
package client

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-resty/resty/v2"

	"github.com/schedctl/schedctl/client/apiv1"
)

// Config configures a [Client]. Only URL is required.
type Config struct {
	// URL is where the daemon listens: http://host:port, https://host/prefix or
	// unix:///path/to/socket.
	URL string

	Key       string        // the API key; empty sends none
	UserAgent string        // sent with every request
	Timeout   time.Duration // of one call with all its retries; DefaultTimeout when 0, and more for FetchMedia
	Logger    *slog.Logger  // logs every request at level debug; nil for no log

	// Announced, if not nil, returns the current announcement of the local daemon. The
	// listener then proves on each connection that it is that daemon, before the client
	// sends the API key or anything else; see [ErrUnproven]. It works with http and unix
	// URLs. It may be called from any goroutine.
	Announced func() (apiv1.Announced, error)

	// MaxWait is the longest Retry-After of a 429 or 503 for which the client waits;
	// DefaultMaxWait when 0. A response with a longer one is returned as an [*Error].
	MaxWait time.Duration

	// Waiting, if not nil, is called before each such wait. The function that it returns
	// is called after the wait. Several goroutines may call it at the same time.
	Waiting func(refused *Error, pause time.Duration) (done func())

	// Changed, if not nil, is called with each post that a request of this client has
	// changed or created. Several goroutines may call it at the same time.
	Changed func(apiv1.Post)

	// Transport replaces the network, for example in tests; nil for the network.
	Transport http.RoundTripper
}

// DefaultTimeout is how long a call may take by default. It is long because a daemon
// contacts the network when it connects an account.
const DefaultTimeout = 60 * time.Second

// DefaultMaxWait is how long a client waits by default after a 429 or 503.
const DefaultMaxWait = 3 * time.Second

// maxResponse is larger than the largest page of the API.
const maxResponse = 64 << 20

// Client is a connection to one daemon. It may be used from any goroutine.
type Client struct {
	url     string // as configured, for messages
	resty   *resty.Client
	timeout time.Duration
	patient bool // no timeout was configured: requests that take longer get more time
	maxWait time.Duration
	waiting func(refused *Error, pause time.Duration) (done func()) // or nil
	changed func(apiv1.Post)                                        // or nil
	log     *slog.Logger
	uploads chan struct{} // has an element for each running UploadMedia
}

// maxUploads is how many files a daemon receives with one key at once.
const maxUploads = 4

// New returns a client. It does not connect: the only errors are about the URL.
func New(cfg Config) (*Client, error) {
	base, socket, err := parseURL(cfg.URL)
	if err != nil {
		return nil, err
	}
	c := &Client{url: cfg.URL, timeout: cfg.Timeout, patient: cfg.Timeout <= 0, maxWait: cfg.MaxWait, waiting: cfg.Waiting, changed: cfg.Changed, log: cfg.Logger, uploads: make(chan struct{}, maxUploads)}
	if c.timeout <= 0 {
		c.timeout = DefaultTimeout
	}
	if c.maxWait <= 0 {
		c.maxWait = DefaultMaxWait
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	transport := cfg.Transport
	if transport == nil {
		transport = newTransport(socket, cfg.Announced)
	}
	c.resty = resty.NewWithClient(&http.Client{Transport: transport}).
		SetBaseURL(base).
		SetRedirectPolicy(resty.RedirectPolicyFunc(sameHost)).
		SetResponseBodyLimit(maxResponse).
		SetLogger(noLog{}).
		SetDisableWarn(true).
		SetHeader("Accept", "application/json")
	if cfg.UserAgent != "" {
		c.resty.SetHeader("User-Agent", cfg.UserAgent)
	}
	if cfg.Key != "" {
		c.resty.SetAuthToken(cfg.Key)
	}
	return c, nil
}

// CheckURL returns why [New] would refuse a URL, or nil.
func CheckURL(url string) error {
	_, _, err := parseURL(url)
	return err
}

// URL returns the configured URL.
func (c *Client) URL() string { return c.url }

// Close closes idle connections. The client can still be used.
func (c *Client) Close() { c.resty.GetClient().CloseIdleConnections() }

// prefix is the path of the API below the daemon's URL.
const prefix = "/api/v1"

// parseURL returns the base URL of the API, and the socket to dial, if any.
func parseURL(text string) (base, socket string, err error) {
	const advice = "use http://host:port, https://host or unix:///path"
	u, err := url.Parse(text)
	if err != nil {
		if !strings.Contains(text, "://") { // 127.0.0.1:7733, which the parser explains by its own rules
			return "", "", fmt.Errorf("daemon URL %q: %s", text, advice)
		}
		return "", "", fmt.Errorf("daemon URL: %w; %s", errors.Unwrap(err), advice)
	}
	switch {
	case u.User != nil:
		return "", "", fmt.Errorf("daemon URL: a URL with a user name or password is not supported, use the API key; %s", advice)
	case u.RawQuery != "" || u.Fragment != "":
		return "", "", fmt.Errorf("daemon URL %s: a query or fragment is not allowed; %s", text, advice)
	case u.Scheme == "unix" && u.Host == "" && filepath.IsAbs(u.Path):
		return "http://schedctl" + prefix, u.Path, nil
	case (u.Scheme == "http" || u.Scheme == "https") && u.Host != "":
		path := strings.TrimSuffix(strings.TrimRight(u.Path, "/"), prefix)
		return u.Scheme + "://" + u.Host + path + prefix, "", nil
	}
	return "", "", fmt.Errorf("daemon URL %q: %s", text, advice)
}

// noLog keeps resty from writing to standard error.
type noLog struct{}

func (noLog) Errorf(string, ...any) {}
func (noLog) Warnf(string, ...any)  {}
func (noLog) Debugf(string, ...any) {}
