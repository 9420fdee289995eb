package outbound

import (
	"context"
	"net"
	"time"
)

// Dial returns a function that connects to servers that do not use HTTP. Like
// [Client] it checks addresses after name resolution. It times out after 10 s.
func Dial(policy Policy) func(ctx context.Context, network, address string) (net.Conn, error) {
	return newDialer(policy).DialContext
}

func newDialer(policy Policy) *net.Dialer {
	dialer := &net.Dialer{Timeout: dialTimeout, KeepAlive: 15 * time.Second}
	switch policy {
	case PublicOnly:
		dialer.Control = publicOnly(guardian(), nil)
	case PublicForAgents:
		dialer.Control = publicOnly(guardian(), errForAgents)
	}
	return dialer
}
