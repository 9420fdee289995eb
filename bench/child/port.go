package child

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
)

// Ports that FreePort chooses from: the system does not use them for outgoing
// connections, which could occupy a port before its server does, or during a restart of
// the server.
const firstPort, portCount = 12_000, 20_000

// givenPorts are the ports that FreePort has returned. No port is returned twice,
// because a server that has not started yet, or that was killed, does not occupy its
// port.
var givenPorts sync.Map

// FreePort returns a port of 127.0.0.1 on which nothing listens and that no earlier call
// in this process returned.
func FreePort() (port int, err error) {
	for try := 0; try < portCount; try++ {
		port = firstPort + rand.IntN(portCount)
		if _, given := givenPorts.LoadOrStore(port, true); given {
			continue
		}
		var l net.Listener
		if l, err = net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port)); err == nil {
			return port, l.Close()
		}
	}
	return 0, fmt.Errorf("no free port between %d and %d (last error: %w)", firstPort, firstPort+portCount-1, err)
}
