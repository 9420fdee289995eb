// Package openapi keeps the OpenAPI document of the daemon where people and
// programs find it without one running: openapi.json. Its tests fail when the
// file is not what the daemon serves at /openapi.json, and when the daemon has
// come to serve something that breaks clients which were written by the file.
//
// They also prove that others can use the document: that Redocly's rules for
// documents hold (redocly.yaml), that a client which is generated from it
// compiles and works on a real daemon (the folder typescript), and that a
// browser shows it at /docs (docs.js). For these install.sh installs tools;
// without them the tests are skipped, or fail when SCHEDCTL_REQUIRE_ALL=1.
package openapi
