package main

import "cmp"

// ciRun returns what names the run of a CI job that this process belongs to, nil
// outside of one. It is the same when the run is repeated, as a whole or only what
// failed of it, on whatever machine, and another one for every other run.
//
// Forgejo and Gitea set the variables of GitHub beside those of their own. What
// the number of an attempt or the id of a single execution is, such as
// GITHUB_RUN_ATTEMPT and CI_JOB_ID, changes with a repetition and is left out.
func (a *app) ciRun() []string {
	switch {
	case a.getenv("GITHUB_ACTIONS") == "true" || a.getenv("FORGEJO_ACTIONS") == "true" || a.getenv("GITEA_ACTIONS") == "true":
		return named("actions",
			cmp.Or(a.getenv("GITHUB_SERVER_URL"), a.getenv("FORGEJO_SERVER_URL")),
			cmp.Or(a.getenv("GITHUB_REPOSITORY"), a.getenv("FORGEJO_REPOSITORY")),
			cmp.Or(a.getenv("GITHUB_WORKFLOW"), a.getenv("FORGEJO_WORKFLOW")),
			cmp.Or(a.getenv("GITHUB_JOB"), a.getenv("FORGEJO_JOB")),
			cmp.Or(a.getenv("GITHUB_RUN_ID"), a.getenv("FORGEJO_RUN_ID")),
		)
	case a.getenv("GITLAB_CI") == "true":
		return named("gitlab",
			a.getenv("CI_SERVER_URL"), a.getenv("CI_PROJECT_PATH"),
			a.getenv("CI_JOB_NAME"), a.getenv("CI_NODE_INDEX"), // each of parallel jobs has its own
			a.getenv("CI_PIPELINE_ID"),
		)
	}
	return nil
}

// named returns the parts, nil when the last one is empty: without its id a run
// would be taken for another one.
func named(parts ...string) []string {
	if parts[len(parts)-1] == "" {
		return nil
	}
	return parts
}
