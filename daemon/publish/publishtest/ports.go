package publishtest

import (
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// Ports returns TCP ports of loopback for servers that have to be given one. They
// belong to the test until it ends.
//
// They are outside the ranges that operating systems take ports of clients from, so
// that no connection takes one before its server listens. The UDP port of the same
// number marks one as taken for other tests, which may run in other processes.
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
