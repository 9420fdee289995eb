#!/bin/bash
# Runs schedctl for a step of a workflow: COMMAND with the lines of ARGS, or apply
# with the directory APPLY. What it prints becomes the output "result" of the step,
# and its exit status that of the step.
set -euo pipefail

# An empty input is none.
[ -n "${SCHEDCTL_URL:-}" ] || unset SCHEDCTL_URL
[ -n "${SCHEDCTL_API_KEY:-}" ] || unset SCHEDCTL_API_KEY

if [ -n "$APPLY" ] && [ -n "$COMMAND" ]; then
	echo "::error title=schedctl::give command or apply, and not both"
	exit 2
fi
words=()
if [ -n "$APPLY" ]; then
	words=(apply "$APPLY" --yes)
else
	read -ra words <<<"$COMMAND"
fi
given=
while IFS= read -r line; do
	line=${line%$'\r'}
	[ -n "$line" ] || continue
	words+=("$line")
	case $line in --idempotency-key | --idempotency-key=*) given=yes ;; esac
done <<<"$ARGS"

# A run that is repeated has the number it had before, and asks for the same post.
if [ "${words[*]:0:2}" = "post create" ] && [ -z "$given" ]; then
	name=$(printf '%s\n' "$GITHUB_REPOSITORY" "$GITHUB_RUN_ID" "$GITHUB_JOB" "$GITHUB_ACTION" "${words[@]}" | git hash-object --stdin)
	words=(post create "--idempotency-key=action-$GITHUB_RUN_ID-$name" ${words[@]+"${words[@]:2}"})
fi

out=$(mktemp "$RUNNER_TEMP/schedctl-result.XXXXXX")
trap 'rm -f "$out"' EXIT
status=0
schedctl "${words[@]}" </dev/null >"$out" || status=$?
cat "$out"

# The end of a value is a line that cannot be in it.
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
