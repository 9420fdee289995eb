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

// requestTimeout bounds one question to a network.
const requestTimeout = 20 * time.Second

// commonOptions are options of every account and no business of its network.
var commonOptions = []string{"pacing", "duplicate_guard"}

// Config is what a [Connector] works with. All but Member is required.
type Config struct {
	Store      storage.Store
	Publishers publish.Registry
	Sealer     *seal.Sealer
	Logger     *slog.Logger

	// Member is this daemon among those that use the store; nil when it is alone.
	Member Member
}

// Member is a daemon as one of several. Its methods may be called from any
// goroutine.
type Member interface {
	// Mine reports whether of all daemons that live this one should do what is
	// named by the key. It does not block.
	Mine(key string) bool

	// Hold makes the daemon the holder of a name, unless another one is, and
	// reports whether it holds it now; Release lets others hold it.
	Hold(ctx context.Context, name string) (bool, error)
	Release(ctx context.Context, name string) error
}

// Connector asks networks about accounts. Its methods may be called from any
// goroutine.
type Connector struct {
	cfg Config
	log *slog.Logger

	mu        sync.Mutex             // mu guards what follows
	exchanges map[string]*exchange   // under way, by account
	unstored  map[string]replacement // sessions that are not in the store, by account
}

// New returns a connector.
func New(cfg Config) *Connector {
	return &Connector{cfg: cfg, log: cfg.Logger, exchanges: map[string]*exchange{}, unstored: map[string]replacement{}}
}

// Connect asks the network who the credentials are for, for at most 20 seconds,
// and returns that with the credentials to store: the given ones, with a session
// where the network has them and with the identity of the profile. Options that are not the network's are kept from
// it. Errors are those of [publish.Publisher]; their messages can be shown to
// whoever gave the credentials.
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
	return profile, withIdentity(mergeCredentials(stored, profile.Credentials), profile.Identity), nil
}

func (c *Connector) publisher(platform string) (publish.Publisher, *publish.Error) {
	if p, ok := c.cfg.Publishers[platform]; ok {
		return p, nil
	}
	known := strings.Join(slices.Sorted(maps.Keys(c.cfg.Publishers)), ", ")
	return nil, publish.Contentf("platform", "unknown platform %q; use one of %s", clip(platform, 64), known)
}

// networkOptions returns the options that the network is told of.
func networkOptions(p publish.Publisher, options schedctl.Options) schedctl.Options {
	own := make(schedctl.Options, len(options))
	for name, value := range options {
		listed := slices.ContainsFunc(p.Fields(), func(f publish.Field) bool { return f.Option && f.Name == name })
		if listed || !slices.Contains(commonOptions, name) {
			own[name] = value
		}
	}
	return own
}
