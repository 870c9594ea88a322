import { describe, expect, it } from "@jest/globals";
import { MAX_RESPONSE_BYTES } from "../../../infra/local/lambda/function-error.ts";
import { respond, respondHtml } from "../../../shared/http/respond.ts";
import { MAX_REPORT_BYTES } from "../../../shared/reports/build-report.ts";
import { axisEnd, columnChart } from "../../../shared/reports/html/column-chart.ts";
import {
  formatCount,
  formatDay,
  formatDuration,
  formatMoment,
  formatShare,
  formatSpan,
  percent,
  title,
} from "../../../shared/reports/html/format.ts";
import { renderReport } from "../../../shared/reports/html/render-report.ts";
import { periodOf } from "../../../shared/reports/period.ts";
import { html, textOf } from "../../../shared/runtime/markup.ts";
import { ALERT_PATH } from "../../../shared/security/alerts/alert.ts";
import { EVENT_PATH } from "../../../shared/security/security-event.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../shared/terms/hours.ts";
import { depth, isDeep } from "../../support/depth.ts";
import { fc } from "../../support/fixed-seed.ts";
import { ATTACKS, hostileReports, widestReports } from "./hostile.ts";
import { complianceInput, MONDAY, SATURDAY, sampleCompliance, sampleReview } from "./samples.ts";

describe("markup", () => {
  it("escapes inserted values as text, unless a template made them", () => {
    const inner = html`<b>${"<i>"}</b>`;
    expect(textOf(html`<p title="${`"'&`}">${inner}${[1, inner]}${undefined}${false}</p>`)).toBe(
      '<p title="&quot;&#39;&amp;"><b>&lt;i&gt;</b>1<b>&lt;i&gt;</b></p>',
    );
  });

  it("cannot be parsed from JSON", () => {
    const forged: unknown = JSON.parse(`{"markup":"<script>","Symbol(markup)":"<script>"}`);
    expect(() => textOf(html`${forged as string}`)).toThrow();
  });

  it("keeps every text within its element", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 40 }), (text) => {
        const whole = textOf(html`<p title="${text}">${text}</p>`);
        expect(whole).toMatch(/^<p title="[^"<>]*">[^<>]*<\/p>$/);
        expect(whole).not.toMatch(/\p{Bidi_Control}|[^\P{Cc}\t\n\r]/u);
      }),
      { numRuns: depth(20, 100) },
    );
  });
});

describe("numbers and times", () => {
  it.each([
    [0, "0 s"],
    [1, "< 1 s"],
    [999, "< 1 s"],
    [59_999, "59 s"],
    [61_000, "1 min 1 s"],
    [HOUR_MS, "1 h"],
    [HOUR_MS + 59_000, "1 h"],
    [3 * HOUR_MS + 20 * MINUTE_MS + 5_000, "3 h 20 min"],
    [2 * DAY_MS + HOUR_MS, "2 d 1 h"],
  ])("format %i ms as %s", (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it("are formatted for readers, in UTC", () => {
    expect(formatCount(1_234_567)).toBe("1,234,567");
    expect([0, 0.0123, 0.25, 1.5].map(formatShare)).toEqual(["0 %", "1.2 %", "25 %", "150 %"]);
    expect(formatDay(SATURDAY)).toBe("Saturday, 21 November 2026");
    expect(formatMoment(SATURDAY + DAY_MS - 1)).toBe("21 Nov, 23:59");
    expect(formatSpan(MONDAY, MONDAY + 7 * DAY_MS)).toBe("16 Nov – 22 Nov");
    expect(title("circuit_breaker")).toBe("Circuit breaker");
  });
});

describe("an axis", () => {
  it("ends at a round number, at or a little above the greatest value", () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1e12, noNaN: true })), (values) => {
        const end = axisEnd(values);
        const greatest = Math.max(0, ...values);
        expect(end).toBeGreaterThanOrEqual(greatest * (1 - 1e-12));
        expect(end).toBeLessThanOrEqual(Math.max(2, greatest * 2));
      }),
    );
    expect([0, 1, 2, 3, 7, 10, 11, 150, 999].map((value) => axisEnd([value]))).toEqual([
      2, 2, 2, 4, 10, 10, 20, 200, 1000,
    ]);
    expect(percent(1 / 3)).toBe("33.33%");
  });
});

describe("a chart", () => {
  const chart = (values: number[][]) =>
    textOf(
      columnChart({
        id: "c",
        title: "T",
        summary: "S",
        nothing: "Nothing.",
        format: formatCount,
        columnName: "Day",
        parts: [
          { name: "low", tone: "low" },
          { name: "high", tone: "bad" },
        ],
        columns: values.map((one, index) => ({ name: `day ${index}`, label: String(index), values: one })),
      }),
    );

  it("stacks parts from the bottom up, and leaves out parts of 0", () => {
    const text = chart([
      [1, 3],
      [0, 2],
    ]);
    const rects = [...text.matchAll(/<rect class="(low|bad)"[^>]* y="([\d.]+)%"[^>]* height="([\d.]+)%"/g)];
    expect(rects.map(([, tone, y, height]) => [tone, Number(y), Number(height)])).toEqual([
      ["low", 75, 25],
      ["bad", 0, 75],
      ["bad", 50, 50],
    ]);
  });

  it("stays within its frame for any numbers", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 1, maxLength: 40 }), (values) => {
        for (const [, y, height] of chart(values).matchAll(
          /<rect class="(?:low|bad)"[^>]* y="([\d.]+)%"[^>]* height="([\d.]+)%"/g,
        )) {
          expect(Number(y) + Number(height)).toBeLessThanOrEqual(101.3);
        }
      }),
    );
  });

  it("has its numbers in a table, and a title and description for screen readers", () => {
    const text = chart([[1_234, 5]]);
    expect(text).toContain('role="img" aria-labelledby="c-title c-summary"');
    expect(text).toContain('<th scope="row">day 0</th><td class="number">1,234</td><td class="number">5</td>');
  });
});

describe("a page", () => {
  const pages = () => [sampleCompliance(), sampleReview()].map((report) => renderReport(report, "acme"));

  it("is a complete document that loads nothing and runs nothing", () => {
    for (const page of pages()) {
      expect(page).toMatch(/^<!doctype html>\n<html lang="en">/);
      expect(page).toContain('content="default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;;');
      expect(page).not.toMatch(/<script|<link rel="stylesheet|@import|url\(|\son\w+=|<iframe|<object/i);
      expect(page.match(/(?:https?:)?\/\/[\w.-]+/g)).toBeNull();
    }
  });

  it("closes every element", () => {
    for (const page of pages()) {
      const open: string[] = [];
      for (const [, slash, name = "", rest = ""] of page.matchAll(/<(\/?)([a-z][a-z0-9]*)((?:"[^"]*"|[^">])*)>/g)) {
        if (["meta", "link"].includes(name) || rest.endsWith("/")) continue;
        if (slash === "") open.push(name);
        else expect(open.pop()).toBe(name);
      }
      expect(open).toEqual([]);
    }
  });

  it("has each id once", () => {
    for (const page of pages()) {
      const ids = [...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
      expect(ids.length).toBeGreaterThan(1);
      expect(new Set(ids).size).toBe(ids.length);
    }
  });

  it("shows attacks as text", () => {
    for (const report of hostileReports()) {
      const page = renderReport(report, ATTACKS[0]);
      expect(page).not.toMatch(/<script|<img|<svg onload|<!--/i);
      expect(page).toContain("&lt;script&gt;document.title=&#39;owned&#39;&lt;/script&gt;");
      expect(page.match(/<style>/g)).toHaveLength(1);
    }
  });

  if (isDeep)
    it("fits Lambda's limit, however large the report is", () => {
      for (const report of widestReports()) {
        const stored = JSON.stringify(report);
        expect(Buffer.byteLength(stored)).toBeGreaterThan(MAX_REPORT_BYTES / 2);
        const page = renderReport(report, "🌱".repeat(128));
        for (const response of [respondHtml("r", 200, { html: page }), respond("r", 200, stored)]) {
          expect(Buffer.byteLength(JSON.stringify(response))).toBeLessThan(MAX_RESPONSE_BYTES / 2);
        }
      }
    });

  it("lists the problems of a day, or states that there are none", () => {
    const [busy] = pages();
    for (const text of [
      "9 high-risk events were unprocessed",
      "1 erasure is due within 10 days",
      "mallory",
      "the sides differ",
    ]) {
      expect(busy).toContain(text);
    }
    const { day } = complianceInput();
    const quiet = renderReport(
      sampleCompliance({
        alerts: [],
        erasures: [],
        mutes: [],
        rulesOff: [],
        runs: [],
        comparedRun: undefined,
        unprocessedHighRiskEvents: 0,
        oldestEvent: undefined,
        lastSuccessAt: undefined,
        connection: "disconnected",
        key: undefined,
        day: {
          ...day,
          users: [],
          changes: [],
          withoutUser: { calls: 0, refusals: 0 },
          events: { ...day.events, total: 0 },
        },
      }),
      "acme",
    );
    for (const text of [
      "the day was quiet",
      "No user called the API",
      "No run has succeeded yet",
      "No erasure is open",
      "No event is stored",
    ]) {
      expect(quiet).toContain(text);
    }
  });

  it("has a sentence in place of a chart without values, and no axes", () => {
    const none = { days: new Map(), alerts: [], transitions: [], runs: [], unprocessedHighRiskEvents: 0 };
    const { day } = complianceInput();
    const hours = day.events.hours.map(() => ({ events: 0, failures: 0 }));
    const [review, firstReview, quietDay] = [
      sampleReview(none),
      sampleReview({ ...none, knownFrom: MONDAY }),
      sampleCompliance({ day: { ...day, events: { ...day.events, hours } } }),
    ].map((report) => renderReport(report, "acme"));
    for (const [page, sentences] of [
      [
        review,
        [
          "No events in five weeks.",
          "No alerts in five weeks.",
          "No refusals in five weeks.",
          "The circuit breaker was never open in five weeks.",
        ],
      ],
      [firstReview, ["No events in this week.", "No alerts in this week."]],
      [quietDay, ["No events on this day."]],
    ] as const) {
      for (const sentence of sentences) expect(page).toContain(sentence);
      expect(page).not.toMatch(/<svg role="img"|class="axis"|<summary>Numbers/);
    }
  });

  it("names the time zone at the top", () => {
    for (const page of pages()) expect(page).toMatch(/<header>.*All times are in UTC\..*<\/header>/);
  });

  it("has an anchor for each alert, and the ids under which the API has the alert and its events", () => {
    const report = sampleCompliance();
    const page = renderReport(report, "acme");
    expect(report.alerts.list.length).toBeGreaterThan(1);
    for (const { id, eventIds = [] } of report.alerts.list) {
      expect(eventIds).toHaveLength(1);
      const [row = ""] = new RegExp(`<tr role="row" id="alert-${id}">.*?</tr>`, "s").exec(page) ?? [];
      for (const one of [id, ...eventIds]) expect(row).toContain(`<code>${one}</code>`);
    }
    expect(page).toContain("<small>Single event · circuit</small>");
    for (const address of [ALERT_PATH, EVENT_PATH]) expect(page).toContain(`<code>GET ${address}</code>`);
  });

  it("compares with earlier weeks, or states that there are none", () => {
    const [, review] = pages();
    expect(review).toContain("▲ 15.9 times the usual 6.8");
    const first = renderReport(sampleReview({ knownFrom: MONDAY, alerts: [], transitions: [], runs: [] }), "acme");
    expect(first).toContain("There is no earlier week to compare with");
    expect(first).not.toMatch(/the usual|▲|▼|weeks before|earlier weeks/i);
    expect(first).toContain("It was never open in the week");
    const empty = renderReport(
      sampleReview({
        period: periodOf("review", MONDAY),
        days: new Map(),
        alerts: [],
        transitions: [],
        runs: [],
        unprocessedHighRiskEvents: 0,
      }),
      "acme",
    );
    expect(empty).toContain("Nothing calls for action this week");
  });
});
