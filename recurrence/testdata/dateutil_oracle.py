"""Expands rules with python-dateutil. Reads a list of cases as JSON, and prints for each
the first n occurrences before a local time: their local times, and their instants in Unix seconds.

The local times are expanded without a zone. They become instants by the rule of
schedctl, which is implemented here again, with zoneinfo: the first instant at which the
clocks show the time or a later one."""

import datetime
import itertools
import json
import sys
import zoneinfo

from dateutil.rrule import rrulestr

UTC = datetime.timezone.utc


def instant(local, zone):
    early = local.replace(tzinfo=zone, fold=0).astimezone(UTC)
    if early.astimezone(zone).replace(tzinfo=None) == local:
        return int(early.timestamp())
    # The clocks skip the local time. Search for the end of the gap.
    low, high = int(early.timestamp()) - 48 * 3600, int(early.timestamp()) + 48 * 3600
    while high - low > 1:
        middle = (low + high) // 2
        shown = datetime.datetime.fromtimestamp(middle, zone).replace(tzinfo=None)
        low, high = (low, middle) if shown >= local else (middle, high)
    return high


def until(value, zone):
    if len(value) == 8:
        day = datetime.datetime.strptime(value, "%Y%m%d")
        return day.replace(hour=23, minute=59, second=59)
    if value.endswith("Z"):
        at = datetime.datetime.strptime(value, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        return at.astimezone(zone).replace(tzinfo=None)
    return datetime.datetime.strptime(value, "%Y%m%dT%H%M%S")


def expand(case):
    zone = zoneinfo.ZoneInfo(case["zone"])
    start = datetime.datetime.fromisoformat(case["start"])
    parts = case["rule"].split(";")
    rule = rrulestr(";".join(p for p in parts if not p.startswith("UNTIL=")), dtstart=start)
    for part in parts:
        if part.startswith("UNTIL="):
            rule = rule.replace(until=until(part[len("UNTIL="):], zone))
    horizon = datetime.datetime.fromisoformat(case["before"])
    found = list(itertools.islice(itertools.takewhile(lambda t: t < horizon, rule), case["n"]))
    return {
        "local": [t.strftime("%Y-%m-%dT%H:%M") for t in found],
        "at": [instant(t, zone) for t in found],
    }


json.dump([expand(case) for case in json.load(sys.stdin)], sys.stdout)
