// Package openapi holds the OpenAPI document of the daemon, openapi.json, for
// people and programs without a running daemon. Its tests fail when the file
// differs from the document at /openapi.json, and when the daemon has a change that
// breaks clients of the file.
//
// The tests also prove that others can use the document: it passes Redocly's rules
// (redocly.yaml), clients that are generated from it with openapi-typescript, Hey API (the
// folder typescript) and oapi-codegen (testdata/oapicodegen) compile and work on a real
// daemon, and a browser shows it at /docs (docs.js). The same browser opens the pages of shares, and
// axe-core checks them (pages.js).
// install.sh installs the tools for these tests. Without the tools the tests are
// skipped, or fail when SCHEDCTL_REQUIRE_ALL=1.
package openapi
