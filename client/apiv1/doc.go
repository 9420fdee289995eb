// Package apiv1 is the wire of /api/v1: the JSON that the daemon and every
// client exchange, and nothing else. The daemon builds these values from the
// domain with the New… functions; clients decode them.
//
// Every field is always written: what is not there is null or an empty list.
// Times are RFC 3339 in UTC with at most milliseconds; see [Time].
package apiv1
