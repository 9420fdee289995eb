// Expands rules with rrule and rrule-temporal from npm. Reads a list of cases as JSON,
// and prints for each the first n occurrences before a local time, of both: of rrule the local times, expanded
// without a zone, and of rrule-temporal the local times and the instants in Unix
// seconds. The argument is the directory of the libraries.
const path = require("path");
const libraries = path.join(process.argv[2], "node_modules");
const { RRule } = require(path.join(libraries, "rrule"));
const { RRuleTemporal } = require(path.join(libraries, "rrule-temporal"));

const civil = (text) => new Date(text + ":00Z");

// The end of a rule as civil time. rrule has no zones.
function until(value, zone) {
  const iso = value.replace(/^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)Z?)?$/, (_, y, m, d, h = "23", min = "59", s = "59") => `${y}-${m}-${d}T${h}:${min}:${s}Z`);
  if (!value.endsWith("Z")) return new Date(iso);
  const shown = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "medium" }).format(new Date(iso));
  return new Date(shown.replace(" ", "T") + "Z");
}

function expand({ rule, start, zone, n, before, skip_plain }) {
  const first = (shown) => (t, i) => i < n && shown(t) < before;
  const plainText = (t) => t.toISOString().slice(0, 16);
  const temporalText = (t) => t.toPlainDateTime().toString().slice(0, 16);
  const parts = rule.split(";");
  const end = parts.find((p) => p.startsWith("UNTIL="));
  const options = RRule.parseString(parts.filter((p) => p !== end).join(";"));
  options.dtstart = civil(start);
  if (end) options.until = until(end.slice("UNTIL=".length), zone);
  const plain = skip_plain ? [] : new RRule(options).all(first(plainText)).map(plainText);

  const temporal = new RRuleTemporal({
    rruleString: `DTSTART;TZID=${zone}:${start.replace(/[-:]/g, "")}00\nRRULE:${rule}`,
  }).all(first(temporalText));
  return {
    plain,
    local: temporal.map(temporalText),
    at: temporal.map((t) => Math.floor(t.epochMilliseconds / 1000)),
  };
}

let input = "";
process.stdin.on("data", (d) => (input += d));
process.stdin.on("end", () => {
  const results = JSON.parse(input).map((c) => {
    try {
      return expand(c);
    } catch (e) {
      return { error: String(e) };
    }
  });
  process.stdout.write(JSON.stringify(results));
});
