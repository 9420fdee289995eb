// Package server holds the commands that run the daemon, manage its database and
// diagnose it.
package server
