package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/schedctl/schedctl/bench/child"
	"github.com/schedctl/schedctl/storage/postgres/postgrestest"
)

// cpuShares is the processor time of all processes involved in publishing from several
// nodes on this machine.
type cpuShares struct {
	daemons, server, network, harness time.Duration // harness is this program
}

// minus returns the time used since an earlier reading.
func (s cpuShares) minus(o cpuShares) cpuShares {
	return cpuShares{s.daemons - o.daemons, s.server - o.server, s.network - o.network, s.harness - o.harness}
}

// of formats the shares per post, and those of the network per call.
func (s cpuShares) of(posts, calls int) string {
	if s == (cpuShares{}) || posts == 0 {
		return "processor time not available"
	}
	each := func(d time.Duration, n int) float64 { return float64(d.Microseconds()) / float64(n) }
	return fmt.Sprintf("processor time for each: daemons %.0f µs, server %.0f µs, network %.0f µs, harness %.0f µs",
		each(s.daemons, posts), each(s.server, posts), each(s.network, calls), each(s.harness, calls))
}

// readCPU reads the time used so far, and zero where it is not available.
func (p *nodes) readCPU() (s cpuShares, err error) {
	add := func(to *time.Duration, used time.Duration, failed error) {
		*to += used
		if !errors.Is(failed, errors.ErrUnsupported) {
			err = errors.Join(err, failed)
		}
	}
	for _, d := range p.daemons {
		used, failed := child.CPUTime(d.PID())
		add(&s.daemons, used, failed)
	}
	used, failed := serverTime(p.server)
	add(&s.server, used, failed)
	used, failed = child.CPUTime(p.b.network.PID())
	add(&s.network, used, failed)
	used, failed = child.CPUTime(os.Getpid())
	add(&s.harness, used, failed)
	return s, err
}

// serverTime returns the processor time of all processes of a PostgreSQL server.
func serverTime(c *postgrestest.Cluster) (time.Duration, error) {
	pids, ended, err := processTree(c.PID())
	if err != nil {
		return 0, err
	}
	for _, pid := range pids {
		used, err := child.CPUTime(pid)
		if errors.Is(err, errors.ErrUnsupported) {
			return 0, err
		}
		ended += used // a process that has just ended cannot be read
	}
	return ended, nil
}
