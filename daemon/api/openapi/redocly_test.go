package openapi_test

import "testing"

// TestRedocly lets Redocly judge the file.
func TestRedocly(t *testing.T) {
	t.Parallel()
	dir := tools(t)
	run(t, dir, t.TempDir(), npmBin(dir, "redocly"), "lint", "--config", absolute(t, "redocly.yaml"), absolute(t, documentFile))
}
