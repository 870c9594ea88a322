import { describe, expect, it } from "@jest/globals";
import { renderReport } from "../../../shared/reports/html/render-report.ts";
import { Report } from "../../../shared/reports/report.ts";
import { DAY_MS } from "../../../shared/terms/hours.ts";
import { drillAt, monthInput, SATURDAY, sampleCompliance, sampleMonth } from "./samples.ts";

const NOVEMBER = Date.UTC(2026, 10);
const DECEMBER = Date.UTC(2026, 11);

describe("the report of a month", () => {
  it("has the sums of each day, and those of the month", () => {
    const report = sampleMonth();
    expect(Report.parse(JSON.parse(JSON.stringify(report)))).toEqual(report);
    expect(report).toMatchObject({ id: "month-2026-11", kind: "month", from: NOVEMBER, to: DECEMBER });
    expect(report.days).toHaveLength(30);
    expect(report.days[20]).toEqual({ from: SATURDAY, events: 100, failures: 10, refusals: 3 });
    expect(report).toMatchObject({ events: 3_000, failures: 300, refusals: 90 });
  });

  it("leaves days out that are older than the retention, instead of showing nothing on them", () => {
    const { createdAt } = monthInput();
    const report = sampleMonth({ retentionDays: 10 });
    expect(report.days[0]?.from).toBe(DECEMBER - 9 * DAY_MS);
    expect(createdAt - 10 * DAY_MS).toBeLessThan(report.days[0]?.from ?? 0);
    expect(report).toMatchObject({ events: 900 });
    expect(sampleMonth({ retentionDays: 10, createdAt: DECEMBER + 60 * DAY_MS }).days).toEqual([]);
  });

  it("says who reviewed which report, and how many nobody has reviewed", () => {
    const { reviewing } = sampleMonth();
    expect(reviewing).toMatchObject({ reports: 3, unreviewed: 2, moreReports: 0 });
    expect(reviewing.list.map(({ id, reviewedBy }) => [id, reviewedBy])).toEqual([
      ["compliance-2026-11-21", "ada"],
      ["compliance-2026-11-20", undefined],
      ["review-2026-11-09", undefined],
    ]);
  });

  it("has active mutes, rules that are off, the last drill, the key's grade, and whether the log is sealed", () => {
    const report = sampleMonth();
    expect(report.mutes).toHaveLength(1);
    expect(report).toMatchObject({
      rulesOff: ["performance_degradation"],
      lastDrill: drillAt(SATURDAY),
      key: { kind: "unrestricted", mode: "live" },
      integrity: { log: "not_sealed" },
    });
    expect(sampleMonth({ lastDrill: undefined, key: undefined })).not.toHaveProperty("lastDrill");
    expect(sampleMonth({ key: undefined })).not.toHaveProperty("key");
  });
});

describe("the page of a month", () => {
  it("shows all of it", () => {
    const page = renderReport(sampleMonth(), "acme");
    for (const text of [
      "Monthly report",
      "November 2026",
      "reports not reviewed",
      "compliance-2026-11-20",
      "Mutes that acted in the month",
      "Performance degradation",
      "The last fire drill",
      "1 of 2 destinations",
      "by grace",
      "unrestricted",
      "The log is not sealed yet",
    ])
      expect(page.toLowerCase()).toContain(text.toLowerCase());
  });
});

describe("the report of a day", () => {
  it("has the last drill, the key's grade and whether the log is sealed, on its page too", () => {
    const report = sampleCompliance();
    expect(report).toMatchObject({ lastDrill: { acknowledgedBy: "grace" }, integrity: { log: "not_sealed" } });
    const page = renderReport(report, "acme");
    for (const text of ["The last fire drill", "1 of 2 destinations", "The log is not sealed yet"])
      expect(page).toContain(text);
    expect(renderReport(sampleCompliance({ lastDrill: undefined }), "acme")).toContain("There was no fire drill.");
  });
});
