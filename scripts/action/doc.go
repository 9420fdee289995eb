// Package action has the scripts of the GitHub Action, which action.yml at the
// top of the source tree describes. Its tests do what a runner does with that
// file, with a release from a server of their own and a daemon. They need what
// runners have: bash, curl, git and unzip.
package action
