// Package webhook holds the commands for webhooks and notifications, and those that
// receive events on the own machine: listen and trigger.
package webhook
