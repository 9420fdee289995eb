// Package action contains the scripts of the GitHub Action described in action.yml at
// the top of the source tree. Its tests do what a runner does with that file, with
// their own release server and a daemon. They need the tools of runners: bash, curl,
// git and unzip.
package action
