// Package connect is between stored accounts and their networks: it asks who
// credentials are for, keeps sessions fresh, and looks from time to time whether
// networks still take the accounts.
//
// # Connecting and verifying
//
// [Connector.Connect] is for credentials that no account has yet; store what it
// returns with [Connector.Seal]. An account that is stored is asked about with
// [Connector.Verify], which stores the verdict too. Where that has to share a
// transaction with something else, such as the answer to a request, there are
// its two halves:
//
//	verdict, failure := connector.Check(ctx, account) // asks; outside of any transaction
//	events := verdict.Apply(&account, now)            // decides; inside, on the account as it is then
//
// The account that Check is given may differ from the stored one in its name and
// options, so that changes of these are verified before they are stored.
//
// # Sessions
//
// Credentials may hold a session that expires. [Connector.Refresh] gives them a
// new one, once however many ask for it, and stores it before anyone uses it. It
// never replaces credentials that were changed meanwhile, nor a field by an
// empty one.
package connect
