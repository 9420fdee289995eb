// Package webhook holds the commands for webhooks and notifications, and the commands
// that receive events on this machine: listen and trigger.
package webhook
