package publishtest

import (
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// Ports returns TCP ports on loopback for servers that need a fixed port. They are
// reserved until the test ends.
//
// The ports are outside the ranges that operating systems use for client
// connections, so no connection takes one before its server listens. The UDP port of
// the same number reserves a port against tests in other processes.
func Ports(t *testing.T, count int) []string {
	t.Helper()
	const first, last = 15000, 30000
	var ports []string
	for range 1000 {
		if len(ports) == count {
			return ports
		}
		port := strconv.Itoa(first + rand.IntN(last-first))
		mark, err := net.ListenPacket("udp", "127.0.0.1:"+port)
		if err != nil {
			continue
		}
		t.Cleanup(func() { mark.Close() })
		listener, err := net.Listen("tcp", "127.0.0.1:"+port)
		if err != nil {
			continue
		}
		listener.Close()
		ports = append(ports, port)
	}
	t.Fatalf("no %d ports from %d to %d are free", count, first, last)
	return nil
}
