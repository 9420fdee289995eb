// Reads a calendar with ical.js, and prints its events: their fields, and their start in
// two zones. The argument is the directory of the library.
import path from "node:path";
import { pathToFileURL } from "node:url";

const file = path.join(process.argv[2], "node_modules", "ical.js", "dist", "ical.js");
const { default: ICAL } = await import(pathToFileURL(file));

let input = "";
for await (const chunk of process.stdin) input += chunk;
const calendar = new ICAL.Component(ICAL.parse(input));

function shown(at, zone) {
  return new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "short" }).format(at);
}

const events = calendar.getAllSubcomponents("vevent").map((component) => {
  const event = new ICAL.Event(component);
  const at = event.startDate.toJSDate();
  return {
    uid: event.uid, summary: event.summary, description: event.description, sequence: event.sequence,
    status: component.getFirstPropertyValue("status"), at: at.toISOString(),
    berlin: shown(at, "Europe/Berlin"), newYork: shown(at, "America/New_York"),
  };
});
const refresh = calendar.getFirstPropertyValue("refresh-interval");
process.stdout.write(JSON.stringify({
  name: calendar.getFirstPropertyValue("name"), refreshSeconds: refresh ? refresh.toSeconds() : 0,
  ttl: calendar.getFirstPropertyValue("x-published-ttl"), events,
}));
