#!/bin/bash
# Runs schedctl for a step of a workflow: COMMAND with the lines of ARGS, or apply
# with the directory APPLY. Its output becomes the output "result" of the step,
# and its exit status that of the step.
set -euo pipefail

# An empty input counts as unset.
[ -n "${SCHEDCTL_URL:-}" ] || unset SCHEDCTL_URL
[ -n "${SCHEDCTL_API_KEY:-}" ] || unset SCHEDCTL_API_KEY

if [ -n "$APPLY" ] && [ -n "$COMMAND" ]; then
	echo "::error title=schedctl::set either command or apply, not both"
	exit 2
fi
words=()
if [ -n "$APPLY" ]; then
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
schedctl "${words[@]}" </dev/null >"$out" || status=$?
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
