package deliver_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// A network that can be asked only for some accounts is not said to be asked for the
// others: their posts are reported at once.
func TestNetworkIsAskedOnlyForSomeAccounts(t *testing.T) {
	for name, want := range map[string]struct {
		status schedctl.Status
		asked  bool
	}{
		"linkedin, person":       {schedctl.Failed, false},
		"linkedin, organization": {schedctl.Publishing, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				network := &memoryNetwork{platform: platformOf(name), mishap: mishap{
					accepts: true, answer: func(http.ResponseWriter, *http.Request, string) { panic(http.ErrAbortHandler) },
				}}
				wire := newWire(network)
				defer wire.cut()
				r := newRig(t, storagetest.NewMemory())
				defer r.kill()
				a := r.connect(network.platform, wire.client)
				r.start()
				p := r.publishNow(a)
				synctest.Wait()
				e := r.wantStatus(p, want.status).Error
				if e == nil || e.Outcome != maybe || strings.Contains(e.Message, "schedctl will ask the network") != want.asked {
					t.Errorf("error %+v", e)
				}
			})
		})
	}
}
