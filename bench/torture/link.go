package main

import (
	"context"
	"net"
	"sync"
	"time"
)

// link connects one daemon to its database: a TCP address that forwards to a unix
// socket. It can cut or stall its connections.
type link struct {
	socket   string
	listener net.Listener
	hold     gate // shut while stalled

	mu    sync.Mutex // mu guards what follows
	cut   bool       // new connections are refused
	conns map[net.Conn]struct{}
	ends  sync.WaitGroup
}

// newLink serves until stop.
func newLink(socket string) (*link, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	k := &link{socket: socket, listener: l, conns: map[net.Conn]struct{}{}}
	k.ends.Go(k.accept)
	return k, nil
}

func (k *link) address() string { return k.listener.Addr().String() }

func (k *link) accept() {
	for {
		client, err := k.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("unix", k.socket)
		if err != nil || !k.addConnection(client, server) {
			client.Close()
			if err == nil {
				server.Close()
			}
			continue
		}
		k.ends.Go(func() { k.forward(client, server) })
		k.ends.Go(func() { k.forward(server, client) })
	}
}

// addConnection registers the two ends of a connection, unless the link is cut.
func (k *link) addConnection(ends ...net.Conn) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.cut {
		return false
	}
	for _, c := range ends {
		k.conns[c] = struct{}{}
	}
	return true
}

// forward copies data from one end to the other until either is closed.
func (k *link) forward(from, to net.Conn) {
	defer k.drop(from, to)
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		k.hold.pass()
		if n > 0 {
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return // also on io.EOF
		}
	}
}

func (k *link) drop(conns ...net.Conn) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, c := range conns {
		c.Close()
		delete(k.conns, c)
	}
}

// breakFor closes all connections and refuses new ones for a while.
func (k *link) breakFor(ctx context.Context, d time.Duration) {
	k.mu.Lock()
	k.cut = true
	for c := range k.conns {
		c.Close()
	}
	k.mu.Unlock()
	sleep(ctx, d)
	k.mu.Lock()
	k.cut = false
	k.mu.Unlock()
}

// stallFor holds all data for a while and then forwards it.
func (k *link) stallFor(ctx context.Context, d time.Duration) {
	k.hold.shut()
	sleep(ctx, d)
	k.hold.open()
}

func (k *link) stop() {
	k.listener.Close()
	k.hold.open()
	k.breakFor(context.Background(), 0)
	k.ends.Wait()
}
