package server

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/daemon/api"
)

// proxiesFlag is the value of --trusted-proxy: addresses and CIDR blocks of proxies, and unix
// for those that connect to a Unix socket. The flag can be given several times, and a value
// can have several, separated by commas.
type proxiesFlag struct {
	names    []string
	prefixes []netip.Prefix
}

// trustedUnix is the value for proxies that connect to a Unix socket.
const trustedUnix = "unix"

// Set implements [pflag.Value].
func (p *proxiesFlag) Set(text string) error {
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		prefix, err := readProxy(name)
		if err != nil {
			return err
		}
		if !slices.Contains(p.names, name) {
			p.names, p.prefixes = append(p.names, name), append(p.prefixes, prefix)
		}
	}
	return nil
}

func readProxy(name string) (netip.Prefix, error) {
	if name == trustedUnix {
		return api.TrustUnix(), nil
	}
	if at, err := netip.ParseAddr(name); err == nil && at.Zone() == "" {
		return netip.PrefixFrom(at.Unmap(), at.Unmap().BitLen()), nil
	}
	prefix, err := netip.ParsePrefix(name)
	switch {
	case err != nil:
		return prefix, cli.UsageError("not an address").WithHint("write that of the proxy, such as 127.0.0.1, a block such as 172.16.0.0/12, or unix")
	case prefix.Bits() == 0:
		return prefix, cli.UsageError("every address is in this block, and any client could name another address as its own").WithHint("write that of the proxy")
	case prefix.Addr().Is4In6():
		return prefix, cli.UsageError("a block of IPv4 addresses in IPv6").WithHint("write it as one of IPv4, such as 172.16.0.0/12")
	}
	return prefix.Masked(), nil
}

// String implements [pflag.Value].
func (p *proxiesFlag) String() string { return strings.Join(p.names, ",") }

// Type implements [pflag.Value].
func (*proxiesFlag) Type() string { return "CIDR" }
