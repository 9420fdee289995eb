package main

import bolt "go.etcd.io/bbolt"

// grouper commits all waiting posts together.
type grouper struct {
	db    *bolt.DB
	queue chan pendingWrite
	done  chan error
}

// pendingWrite is one writer's post and the channel that reports its commit.
type pendingWrite struct {
	puts      []put
	committed chan<- error
}

// newGrouper starts the single writing goroutine for a number of writers.
func newGrouper(db *bolt.DB, writers int) *grouper {
	g := &grouper{db: db, queue: make(chan pendingWrite, writers), done: make(chan error, 1)}
	go func() { g.done <- g.run() }()
	return g
}

// commit writes one post and returns when it is on disk.
func (g *grouper) commit(puts []put) error {
	committed := make(chan error, 1)
	g.queue <- pendingWrite{puts, committed}
	return <-committed
}

// close waits for the last commit and returns the first error.
func (g *grouper) close() error {
	close(g.queue)
	return <-g.done
}

func (g *grouper) run() (first error) {
	for w := range g.queue {
		group := []pendingWrite{w}
		for len(g.queue) > 0 {
			group = append(group, <-g.queue)
		}
		err := g.db.Update(func(tx *bolt.Tx) error {
			for _, w := range group {
				if err := apply(tx, w.puts); err != nil {
					return err
				}
			}
			return nil
		})
		for _, w := range group {
			w.committed <- err
		}
		if first == nil {
			first = err
		}
	}
	return first
}
