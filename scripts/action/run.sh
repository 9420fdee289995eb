#!/bin/bash
# Runs schedctl for a step of a workflow: COMMAND with the lines of ARGS, apply with
# the directory APPLY, or lint and plan with the directory PLAN, which become a
# comment on the pull request if there is a TOKEN. The output becomes the output
# "result" of the step, and the exit status that of the step.
set -euo pipefail

# An empty input counts as unset.
[ -n "${SCHEDCTL_URL:-}" ] || unset SCHEDCTL_URL
[ -n "${SCHEDCTL_API_KEY:-}" ] || unset SCHEDCTL_API_KEY

given=0
for input in "$COMMAND" "$APPLY" "$PLAN"; do
	[ -z "$input" ] || given=$((given + 1))
done
if [ "$given" -gt 1 ]; then
	echo "::error title=schedctl::set one of command, apply and plan"
	exit 2
fi
words=()
if [ -n "$PLAN" ]; then
	words=(plan "$PLAN")
elif [ -n "$APPLY" ]; then
	words=(apply "$APPLY" --yes)
else
	read -ra words <<<"$COMMAND"
fi
while IFS= read -r line; do
	line=${line%$'\r'}
	[ -n "$line" ] || continue
	words+=("$line")
done <<<"$ARGS"

out=$(mktemp "$RUNNER_TEMP/schedctl-result.XXXXXX")
trap 'rm -f "$out"' EXIT
status=0
if [ -n "$PLAN" ]; then
	comment_token=$TOKEN
	unset TOKEN # for nothing but the comment
	lint=(lint "$PLAN")
	online=yes
	[ -n "${SCHEDCTL_URL:-}" ] && [ -n "${SCHEDCTL_API_KEY:-}" ] || online= # as in a fork, which has no secrets
	[ -n "$online" ] || lint+=(--offline)
	schedctl "${lint[@]}" </dev/null >"$out" || status=$?
	if [ "$status" = 0 ] && [ -n "$online" ]; then
		schedctl "${words[@]}" </dev/null >"$out" 2>"$out.notes" || status=$?
		cat "$out.notes" >&2
		grep '^schedctl: ' "$out.notes" >>"$out" || true # why apply would be refused
		rm -f "$out.notes"
	fi
	TOKEN=$comment_token STATUS=$status bash "$(dirname "$0")/comment.sh" "$PLAN" "$out"
else
	schedctl "${words[@]}" </dev/null >"$out" || status=$?
fi
cat "$out"

# The terminator of a value is a line that the value does not contain.
end="end of result"
while grep -qx -- "$end" "$out"; do
	end="$end $RANDOM"
done
{
	echo "result<<$end"
	cat "$out"
	if [ -s "$out" ] && [ -n "$(tail -c 1 "$out")" ]; then
		echo
	fi
	echo "$end"
} >>"$GITHUB_OUTPUT"
exit "$status"
