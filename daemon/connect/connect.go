package connect

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/seal"
	"github.com/schedctl/schedctl/storage"
)

// requestTimeout bounds one call of a publisher.
const requestTimeout = 20 * time.Second

// Config configures a [Connector]. All fields except Member are required.
type Config struct {
	Store      storage.Store
	Publishers publish.Registry
	Sealer     *seal.Sealer
	Logger     *slog.Logger

	// Member is this node among those that share the store; nil for a store that only
	// this daemon uses.
	Member Member
}

// Member is this node among those that share a store. Its methods may be called from
// any goroutine.
type Member interface {
	// Mine reports whether this node is preferred for a key among all living nodes. It
	// does not block.
	Mine(key string) bool

	// Hold tries to make the node the holder of a name and reports whether it is the
	// holder now. Release gives the name up.
	Hold(ctx context.Context, name string) (bool, error)
	Release(ctx context.Context, name string) error
}

// Connector checks accounts with their networks. Its methods may be called from any
// goroutine.
type Connector struct {
	cfg Config
	log *slog.Logger

	mu        sync.Mutex             // mu guards what follows
	exchanges map[string]*exchange   // in progress, by account
	unstored  map[string]replacement // sessions that are not stored yet, by account
}

// New returns a connector.
func New(cfg Config) *Connector {
	return &Connector{cfg: cfg, log: cfg.Logger, exchanges: map[string]*exchange{}, unstored: map[string]replacement{}}
}

// Connect asks the network for the profile of the credentials, for at most 20 seconds.
// It returns the profile and the credentials to store: the given ones with the identity
// of the profile and, if the network uses sessions, with a session. The publisher
// receives only its own options. Errors are those of [publish.Publisher]; their
// messages hold no secrets and can be shown to the caller.
func (c *Connector) Connect(ctx context.Context, platform string, given publish.Connection) (publish.Profile, publish.Credentials, *publish.Error) {
	p, failure := c.publisher(platform)
	if failure != nil {
		return publish.Profile{}, nil, failure
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	given.Options = networkOptions(p, given.Options)
	stored := given.Credentials
	given.Credentials = withoutIdentity(stored)
	var profile publish.Profile
	err := c.recoverPanic(platform, func() (err error) {
		profile, err = p.Connect(ctx, given)
		return err
	})
	if err != nil {
		return publish.Profile{}, nil, cleanError(publish.AsError(err), p, given.Credentials)
	}
	profile = cleanProfile(profile)
	kept := maps.Clone(mergeCredentials(stored, profile.Credentials))
	for _, f := range p.Fields() {
		if f.Once {
			delete(kept, f.Name)
		}
	}
	return profile, withIdentity(kept, profile.Identity), nil
}

func (c *Connector) publisher(platform string) (publish.Publisher, *publish.Error) {
	if p, ok := c.cfg.Publishers[platform]; ok {
		return p, nil
	}
	known := strings.Join(slices.Sorted(maps.Keys(c.cfg.Publishers)), ", ")
	return nil, publish.Contentf("platform", "unknown platform %q; use one of %s", publish.Clip(platform, 64), known)
}

// networkOptions returns the options that the publisher receives: not the common ones, unless
// it lists them.
func networkOptions(p publish.Publisher, options schedctl.Options) schedctl.Options {
	own := make(schedctl.Options, len(options))
	for name, value := range options {
		listed := slices.ContainsFunc(p.Fields(), func(f publish.Field) bool { return f.Option && f.Name == name })
		if _, common := publish.FindCommonOption(name); listed || !common {
			own[name] = value
		}
	}
	return own
}
