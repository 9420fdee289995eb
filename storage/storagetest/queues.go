package storagetest

import (
	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var queueParts = []part{
	{"queue/keeps every field", queueKind.testKeepsEveryField},
	{"queue/is listed", queueKind.testIsListed},
	{"queue/malformed ids", queueKind.testMalformedIDs},
	{"queue/posts keep its id", testQueuePostsKeepID},
}

var queueKind = ownedKind[schedctl.Queue]{
	prefix: schedctl.QueuePrefix,
	ids:    func(q *schedctl.Queue) (id, ws *string) { return &q.ID, &q.WorkspaceID },
	get:    storage.Reader.Queue, list: storage.Reader.Queues, put: storage.Tx.PutQueue, remove: storage.Tx.DeleteQueue,
}

func testQueuePostsKeepID(f *fixture) {
	q := queueKind.new(f, epoch)
	queueKind.putAll(f, q)
	p := f.inSlot(q.ID, slotTime(1), newAccountIDs(1)...)
	f.putPosts(p)
	f.update(func(tx storage.Tx) error { return tx.DeleteQueue(f.ws, q.ID) })
	wantSame(f, "post of a deleted queue", p, mustRead(f, postByID(f, p.ID)))
}
