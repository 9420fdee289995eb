// Package mcp serves the API of a daemon to agents, in the Model Context Protocol: as
// tools, resources and a prompt. It is a client of the API. The scopes of the API key
// decide what an agent can do, and the daemon enforces them.
//
// A [Server] serves one [Caller] on standard input and output with [Server.RunStdio], or
// many callers over HTTP with [Server.ServeHTTP]. It needs no memory before its first
// request.
//
// Guarantees:
//
//   - No tool approves posts, retries posts with an unknown outcome by force, skips the
//     guard against duplicates, changes accounts, keys, webhooks or blackouts, makes
//     backups, sends other requests, or reads files of the machine.
//   - A repeated call of a tool that writes has no effect within 24 hours and returns the
//     first response with replayed set; see [Server] for the keys.
//   - Each tool that changes an existing object takes the version that the agent has
//     seen. It fails with VERSION_MISMATCH if the object has changed since.
package mcp
