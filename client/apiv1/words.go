package apiv1

import "regexp"

// requestAndCommand matches what a client of the API sends, with the command or the flag
// that does the same in parentheses after it.
var requestAndCommand = regexp.MustCompile(`(?:(?:GET|POST|PATCH|DELETE) /[^ ]+|[a-z_]+(?:: [^()":;,]+)?) \((schedctl [^()]+|--[^()]+)\)`)

// InCommands returns a message of the daemon for people: where the message names a request and,
// in parentheses, the command or the flag for it, only the latter stays.
func InCommands(message string) string {
	return requestAndCommand.ReplaceAllString(message, "$1")
}
