package packaging

import _ "embed"

// Unit is the unit of the service that packages install, for the system's systemd.
// "schedctl daemon install" derives the unit of a user from it.
//
//go:embed schedctl.service
var Unit string

// Agent is the launchd agent of a user. "schedctl daemon install" inserts the path and the flags of the daemon.
//
//go:embed org.schedctl.daemon.plist
var Agent string
