package api

import (
	"time"

	"github.com/schedctl/schedctl"
)

// createWorkspace is the body of POST /workspaces.
type createWorkspace struct {
	name     string
	timezone string
}

var createWorkspaceFields = []string{"name", "timezone"}

func readCreateWorkspace(d *decoder) createWorkspace {
	b := createWorkspace{timezone: "UTC"}
	named := false
	d.object(createWorkspaceFields, func(field string) {
		switch field {
		case "name":
			b.name, named = d.name(), true
		case "timezone":
			b.timezone = d.zone()
		}
	})
	d.require(named, "name", "say whose posts it is for")
	return b
}

// maxZone is longer than any name in the IANA database.
const maxZone = 64

// zone reads the name of a time zone in the IANA database.
func (d *decoder) zone() string {
	name, ok := d.text()
	if !ok {
		return ""
	}
	// time.LoadLocation accepts the empty name as UTC and "Local" as the machine's
	// zone.
	known := name != "" && name != "Local" && len(name) <= maxZone
	if known {
		_, err := time.LoadLocation(name)
		known = err == nil
	}
	if !known {
		d.fault(schedctl.ValidationFailed, "unknown time zone %q; use an IANA name such as Europe/Rome or UTC", clip(name, maxZone))
	}
	return name
}

// readEditWorkspace reads the body of PATCH /workspaces/{id}.
func readEditWorkspace(d *decoder) (policy schedctl.ApprovalPolicy) {
	given := false
	d.object([]string{"approvals"}, func(string) {
		given = true
		switch text := d.string(); text {
		case "off":
		case string(schedctl.ApprovalsAgents), string(schedctl.ApprovalsAll):
			policy = schedctl.ApprovalPolicy(text)
		default:
			d.wrong(schedctl.ValidationFailed, "must be off, agents or all")
		}
	})
	d.require(given, "approvals", "give off, agents or all")
	return policy
}
