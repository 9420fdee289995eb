package deliver_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/deliver"
	"github.com/schedctl/schedctl/scripts/testsize"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// fleetWorld is a world of several daemons on one database. They die, freeze and lose
// their connections at random.
type fleetWorld struct {
	*world
	*fleet
}

func newFleetWorld(f *fleet, seed uint64) *fleetWorld {
	w := &fleetWorld{world: newWorld(f.rig, seed), fleet: f}
	f.networks = w.world.networks
	for _, network := range f.networks {
		network.OnCall(w.respond)
	}
	f.config = func(c *deliver.Config) { c.MaxLateness = 2 * time.Hour }
	return w
}

// some returns one of the living daemons.
func (w *fleetWorld) some() *peer {
	var living []*peer
	for _, n := range w.fleet.nodes {
		if !n.gone {
			living = append(living, n)
		}
	}
	return living[w.intN(len(living))]
}

func (w *fleetWorld) step() {
	switch w.intN(26) {
	case 0, 1, 2, 3, 4, 5, 6:
		w.createPost()
	case 7:
		w.try(func(p *schedctl.Post) ([]schedctl.Event, error) { return p.Cancel(time.Now()) })
	case 8:
		at := time.Now().Add(w.soon())
		w.try(func(p *schedctl.Post) ([]schedctl.Event, error) {
			return p.Edit(schedctl.Edit{PublishAt: at}, time.Now())
		})
	case 9:
		w.try(func(p *schedctl.Post) ([]schedctl.Event, error) { return p.Retry(schedctl.Retry{}, time.Now()) })
	case 10:
		w.world.reconnect(w.accounts[w.intN(len(w.accounts))].ID)
	case 11:
		w.some().faulty.FailUpdates(1+w.intN(4), storagetest.FailurePoint(w.intN(3)))
	case 12:
		w.some().faulty.FailViews(1 + w.intN(3))
	case 13:
		w.some().kill()
		w.join()
	case 14:
		w.some().stop()
		w.join()
	case 15, 16, 17:
		frozen := w.some()
		frozen.freeze()
		time.AfterFunc(time.Duration(w.intN(60_000))*time.Millisecond, frozen.unfreeze)
	case 24, 25:
		w.toggleHold()
	case 18:
		w.memory.LoseNotifications()
	case 19:
		w.memory.RestoreNotifications()
	default:
		time.Sleep(time.Duration(w.intN(30_000)) * time.Millisecond)
	}
}

// settle lets all work end.
func (w *fleetWorld) settle() {
	w.releaseAll()
	w.calm.Store(true)
	w.memory.RestoreNotifications()
	time.Sleep(time.Minute)
	for range 3 {
		for _, a := range w.accounts {
			w.world.reconnect(a.ID)
		}
		time.Sleep(2 * time.Hour)
	}
	synctest.Wait()
}

// Whatever goes wrong with three daemons on one database: no target is published
// twice or early, all work ends, and the store agrees with the networks.
func TestEverythingGoesWrongWithAFleet(t *testing.T) {
	t.Parallel()
	for _, seed := range testsize.Seeds(1, 6) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			fleetBubble(t, 0, func(f *fleet) {
				w := newFleetWorld(f, seed)
				for range 3 {
					w.join()
				}
				for range 300 {
					w.step()
				}
				w.settle()
				w.check()
				f.wantNothingLeft()
			})
		})
	}
}
