package apiv1

import (
	"time"

	"github.com/schedctl/schedctl"
)

// Node is a daemon that uses the database, one of several where that is shared.
type Node struct {
	ID             string `json:"id"`
	Name           string `json:"name"`
	Version        string `json:"version"`
	Self           bool   `json:"self"`
	Alive          bool   `json:"alive"`
	StartedAt      *Time  `json:"started_at"`
	HeartbeatAt    *Time  `json:"heartbeat_at"`
	HeartbeatAgeMS int64  `json:"heartbeat_age_ms"`
	LagMS          int64  `json:"lag_ms"`
}

// NodeList is all of them in order of their ids.
type NodeList struct {
	Results []Node `json:"results"`
	Count   int    `json:"count"`
}

// NodeFacts are what a daemon knows of itself or of another one.
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
