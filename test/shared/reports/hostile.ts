/** Reports in which every text from outside is an attack on the reader's browser. */
import { fitReport } from "../../../shared/reports/build-report.ts";
import type { Report } from "../../../shared/reports/report.ts";
import { sampleCompliance, sampleReview } from "./samples.ts";

const LONG = "W".repeat(128);

export const ATTACKS = [
  "<script>document.title='owned'</script>",
  `"><img src=x onerror="document.title='owned'">`,
  "</style></script><svg onload=document.title='owned'>",
  "<!--",
  "&lt;b&gt;&#60;script&#62;",
  "javascript:document.title='owned'",
  "' onmouseover='document.title=\"owned\"",
  "\u202egnp.exe\u0000\u0007\ud800",
  LONG,
] as const;

/** Fields whose texts the service writes itself. */
const OURS = ["id", "kind", "level", "status", "rule", "measure", "area", "source", "connection", "type"];

/** The report with each text from outside replaced by an attack, in turn. */
const poison = (report: Report): Report => {
  let next = 0;
  const poisoned = (value: unknown, name: string): unknown => {
    if (typeof value === "string") return OURS.includes(name) ? value : (ATTACKS[next++ % ATTACKS.length] ?? "");
    if (Array.isArray(value)) return value.map((one) => poisoned(one, name));
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value).map(([key, part]) => [
      name === "reads" ? (ATTACKS[next++ % ATTACKS.length] ?? "") : key,
      poisoned(part, key),
    ]);
    return Object.fromEntries(entries);
  };
  return poisoned(report, "") as Report;
};

/** The largest report that is stored: every list is long, and every text grows most when it is escaped. */
const widest = (report: Report): Report =>
  fitReport((maxItems) => {
    const widened = (value: unknown, name: string): unknown => {
      if (typeof value === "string") return OURS.includes(name) ? value : `"&'`.repeat(40);
      if (Array.isArray(value)) {
        // Hours have as many elements as the day.
        const count = name === "hours" || value.length === 0 ? value.length : maxItems;
        return Array.from({ length: count }, (_, i) => widened(value[i % value.length], name));
      }
      if (typeof value !== "object" || value === null) return value;
      return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, widened(part, key)]));
    };
    return widened(report, "") as Report;
  });

export const widestReports = (): Report[] => [widest(sampleCompliance()), widest(sampleReview())];

export const hostileReports = (): Report[] => [poison(sampleCompliance()), poison(sampleReview())];
