package bolt

import bbolt "go.etcd.io/bbolt"

// bucket identifies one of the buckets that doc.go lists.
type bucket uint8

const (
	meta bucket = iota
	workspaces
	keys
	keyHashes
	accounts
	accountNames
	feeds
	posts
	externalIDs
	targets
	due
	postsByAge
	postsByTime
	attempts
	running
	published
	contents
	networkIDs
	identities
	idempotencyRecords
	idempotencyHashes
	events
	eventsByPost
	webhooks
	webhookOwners
	deliveries
	pendingDeliveries
	audit
	media
	mediaHashes
	mediaSizes
	mediaExpiry
	mediaUses
	owners
	queues
	blackouts
	blackoutEnds
	series
	seriesExternalIDs
	seriesSweeps
	calendarFeeds
	calendarFeedHashes
	slots
	collections
	aliases
	shares
	shareHashes
	results
	resultsDue
	accountResults
	sources
	sourcesDue
	sourceItems
	sourceItemLists
	sourceItemKeys
	bucketCount
)

var bucketNames = [bucketCount]string{
	meta:               "schedctl",
	workspaces:         "workspaces",
	keys:               "keys",
	keyHashes:          "key hashes",
	accounts:           "accounts",
	accountNames:       "account names",
	feeds:              "feeds",
	posts:              "posts",
	externalIDs:        "external ids",
	targets:            "targets",
	due:                "due",
	postsByAge:         "posts by age",
	postsByTime:        "posts by time",
	attempts:           "attempts",
	running:            "running",
	published:          "published",
	contents:           "contents",
	networkIDs:         "network ids",
	identities:         "identities",
	idempotencyRecords: "answers",
	idempotencyHashes:  "answer hashes",
	events:             "events",
	eventsByPost:       "events by post",
	webhooks:           "webhooks",
	webhookOwners:      "webhook owners",
	deliveries:         "deliveries",
	pendingDeliveries:  "pending deliveries",
	audit:              "audit",
	media:              "media",
	mediaHashes:        "media hashes",
	mediaSizes:         "media sizes",
	mediaExpiry:        "media expiry",
	mediaUses:          "media uses",
	owners:             "owners",
	queues:             "queues",
	blackouts:          "blackouts",
	blackoutEnds:       "blackout ends",
	series:             "series",
	seriesExternalIDs:  "external series",
	seriesSweeps:       "series sweeps",
	calendarFeeds:      "calendar feeds",
	calendarFeedHashes: "calendar hashes",
	slots:              "slots",
	collections:        "collections",
	aliases:            "aliases",
	shares:             "shares",
	shareHashes:        "share hashes",
	results:            "results",
	resultsDue:         "results due",
	accountResults:     "account results",
	sources:            "sources",
	sourcesDue:         "sources due",
	sourceItems:        "source items",
	sourceItemLists:    "source item lists",
	sourceItemKeys:     "source item keys",
}

func (b bucket) String() string { return bucketNames[b] }

// fill is the fraction of a page that stays used when it is split. Keys mostly grow, so
// the first part of a split page rarely gets new keys. The free space is for records that
// grow a little.
const fill = 0.9

// buckets opens the buckets of one transaction, each once.
type buckets struct {
	bolt   *bbolt.Tx
	opened [bucketCount]*bbolt.Bucket
}

func (bs *buckets) in(b bucket) *bbolt.Bucket {
	if bs.opened[b] == nil {
		opened := bs.bolt.Bucket([]byte(bucketNames[b]))
		opened.FillPercent = fill
		bs.opened[b] = opened
	}
	return bs.opened[b]
}
