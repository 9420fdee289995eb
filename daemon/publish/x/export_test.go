package x

// Weighted is exported for tests.
var Weighted = weighted
