#!/bin/bash
# Writes the plan for a directory ($1), which is in a file ($2), into the summary of
# the job and, if there is a TOKEN, into a comment on the pull request of the
# workflow. A comment of an earlier run is replaced if jq is installed. The API is
# that of GitHub, which Forgejo and Gitea have as well. A comment that fails is a
# warning: it does not hide the plan.
set -euo pipefail
directory=$1 plan=$2
most=60000 # bytes; GitHub accepts 65536 characters

fence='```'
while grep -q "^ *$fence" "$plan"; do
	fence="$fence\`"
done
mark="<!-- schedctl plan ${directory//--/- -} -->"
body=$(mktemp "$RUNNER_TEMP/schedctl-comment.XXXXXX")
trap 'rm -f "$body" "$body.json"' EXIT
{
	echo "$mark"
	if [ "$STATUS" != 0 ]; then
		echo "### schedctl: problems in \`$directory\`"
	else
		echo "### schedctl: plan for \`$directory\`"
	fi
	echo
	if [ -s "$plan" ]; then
		echo "$fence"
		head -c "$most" "$plan" | iconv -c -f UTF-8 -t UTF-8 2>/dev/null || true
		[ -z "$(head -c "$most" "$plan" | tail -c 1)" ] || echo
		echo "$fence"
		[ "$(wc -c <"$plan")" -le "$most" ] || echo "The rest is in the log of the job."
	else
		echo "Nothing to change."
	fi
} >"$body"
[ -z "${GITHUB_STEP_SUMMARY:-}" ] || cat "$body" >>"$GITHUB_STEP_SUMMARY"

number=${GITHUB_REF:-}
number=${number#refs/pull/}
number=${number%%/*}
case ${TOKEN:+$number} in
'' | *[!0-9]*) exit ;; # no token, or no pull request
esac

api() { # METHOD PATH [FILE]
	curl --silent --show-error --fail --max-time 60 --request "$1" --header "Authorization: token $TOKEN" \
		--header 'Content-Type: application/json' ${3:+--data-binary "@$3"} "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/issues/$2"
}
{
	printf '{"body":"'
	tr -d '\000-\010\013\014\016-\037' <"$body" | sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/\t/\\t/g' -e 's/\r/\\r/g' | awk '{ printf "%s\\n", $0 }'
	printf '"}'
} >"$body.json"
earlier=
if command -v jq >/dev/null; then
	earlier=$(api GET "$number/comments?per_page=100" | jq --arg mark "$mark" '[.[] | select(.body | startswith($mark)) | .id][0] // empty') || true
fi
if [ -n "$earlier" ]; then
	api PATCH "comments/$earlier" "$body.json" >/dev/null || echo "::warning title=schedctl::the comment on the pull request cannot be changed"
else
	api POST "$number/comments" "$body.json" >/dev/null || echo "::warning title=schedctl::the plan cannot be written into a comment; the job needs the permission pull-requests: write"
fi
