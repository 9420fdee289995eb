package api

// MaxCardsOfWorkspace is for tests.
const MaxCardsOfWorkspace = maxCardsOfWorkspace
