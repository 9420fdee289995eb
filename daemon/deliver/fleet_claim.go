package deliver

import (
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// waitsForNode reads the account's running attempts. The transaction has locked the
// account, so no node starts another attempt before it commits.
func (f *fleet) waitsForNode(c *claimTx, it claimItem, t *schedctl.Target, a *schedctl.Account) (d claimDecision, waits bool, err error) {
	d.expires = c.d.expiry(t.LateSince())
	running, err := c.edits.tx.(storage.SharedTx).RunningOf(a.ID)
	if err != nil {
		return claimDecision{}, false, err
	}
	for i := range running {
		// Attempts that this run started are in its own queues.
		if !f.startedHere(running[i]) && !c.edits.hasEnd(running[i].ID) {
			d.result = claimElsewhere
			return d, true, nil
		}
	}
	d.result = claimWaits
	d.wait, err = spacingWait(c, it, t, a)
	return d, d.wait > 0, err
}

// spacingWait returns how long an overdue target waits because another node has just
// published a target of the account.
func spacingWait(c *claimTx, it claimItem, t *schedctl.Target, a *schedctl.Account) (time.Duration, error) {
	spacing := c.spacing(it, t, a)
	if spacing == 0 || it.spacedHere || len(t.Done) > 0 {
		return 0, nil
	}
	last, err := c.edits.tx.PublishedTargets(a.ID, storage.PublishedTarget{}, 1)
	if err != nil || len(last) == 0 {
		return 0, err
	}
	return min(max(0, last[0].At.Add(spacing).Sub(c.now)), spacing), nil
}
