package openapi_test

import "testing"

// TestRedocly checks the file with Redocly.
func TestRedocly(t *testing.T) {
	t.Parallel()
	dir := tools(t)
	run(t, dir, t.TempDir(), npmBin(dir, "redocly"), "lint", "--config", absolute(t, "redocly.yaml"), absolute(t, documentFile))
}
