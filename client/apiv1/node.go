package apiv1

import (
	"time"

	"github.com/schedctl/schedctl"
)

// Node is a daemon that uses the database, one of several where that is shared.
type Node struct {
	ID             string `json:"id" doc:"Starts with node_."`
	Name           string `json:"name" doc:"The host name."`
	Version        string `json:"version" doc:"The version of the program."`
	Self           bool   `json:"self" doc:"Whether this node sent the response."`
	Alive          bool   `json:"alive" doc:"Whether its heartbeats arrive. Other nodes take over the work of a node without heartbeats."`
	StartedAt      *Time  `json:"started_at" doc:"When it started, by its own clock." nullable:"false"`
	HeartbeatAt    *Time  `json:"heartbeat_at" doc:"The time of its last heartbeat, by the clock of the database." nullable:"false"`
	HeartbeatAgeMS int64  `json:"heartbeat_age_ms" doc:"The age of its last heartbeat in milliseconds."`
	LagMS          int64  `json:"lag_ms" doc:"How late its due posts were at its last heartbeat, in milliseconds; 0 when none were waiting."`
}

// NodeList is all of them in order of their ids.
type NodeList struct {
	Results []Node `json:"results" doc:"In order of their ids."`
	Count   int    `json:"count" doc:"The number of results."`
}

// NodeFacts are the data of a daemon, from which [NewNode] makes a Node.
type NodeFacts struct {
	ID, Name, Version  string // the id without a prefix
	Self, Alive        bool
	StartedAt, HeardAt time.Time
	HeardAgo, Lag      time.Duration
}

// NewNode returns the wire form of a daemon.
func NewNode(f NodeFacts) Node {
	return Node{
		ID: string(schedctl.NodePrefix) + "_" + f.ID, Name: f.Name, Version: f.Version, Self: f.Self, Alive: f.Alive,
		StartedAt: NewTime(schedctl.Millis(f.StartedAt)), HeartbeatAt: NewTime(schedctl.Millis(f.HeardAt)),
		HeartbeatAgeMS: f.HeardAgo.Milliseconds(), LagMS: f.Lag.Milliseconds(),
	}
}
