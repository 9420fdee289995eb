// Package apiv1 defines the JSON of /api/v1, which the daemon and its clients share.
// The daemon converts domain values with the New… functions; clients decode them.
// Tags of the fields describe them and their limits; the OpenAPI document is
// generated from these tags.
//
// Responses have all fields: an absent value is null or an empty list. Times are RFC
// 3339 in UTC with at most milliseconds; see [Time].
package apiv1
