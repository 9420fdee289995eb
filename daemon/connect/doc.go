// Package connect checks stored accounts with their networks: it finds out whose
// credentials they are, renews sessions, and checks from time to time whether networks
// still accept the accounts.
//
// # Connecting and verifying
//
// [Connector.Connect] is for credentials that no account has yet; store its result with
// [Connector.Seal]. [Connector.Verify] checks a stored account and stores the result.
// If the result has to be stored in the same transaction as something else, such as an
// idempotency record, use the two halves of Verify:
//
//	result, failure := connector.Check(ctx, account) // calls the network; outside of a transaction
//	events := result.Apply(&account, now)            // inside, on the account as it is then
//
// The account that Check receives may differ from the stored one in name and options,
// so that changes can be verified before they are stored.
//
// # Sessions
//
// Credentials may hold a session that expires. [Connector.Refresh] renews it, once for
// all concurrent callers, and stores the new session before anyone uses it. It never
// replaces credentials that were changed in between, nor a field by an empty one.
package connect
