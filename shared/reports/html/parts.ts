/** The parts of both kinds of pages: key figures, tables, badges and bars. */

import { type Content, html, type Markup } from "../../runtime/markup.ts";
import { ALERT_PATH, EVENT_RULE, MANUAL_RULE } from "../../security/alerts/alert.ts";
import { EVENT_PATH } from "../../security/security-event.ts";
import type { RiskLevel } from "../../terms/risk-levels.ts";
import type { ByCause, ReportedAlert } from "../report-fields.ts";
import { formatCount, formatDuration, formatMoment, percent, plural, title, words } from "./format.ts";

/** The colours of risk levels: classes of the style sheet, which badges and charts share. */
export const riskTones = { LOW: "low", MEDIUM: "medium", HIGH: "high", CRITICAL: "critical" } as const satisfies Record<
  RiskLevel,
  string
>;
export type RiskTone = (typeof riskTones)[RiskLevel];

export type KeyFigure = {
  value: string;
  label: string;
  note?: Content;
  /** The colour of the value. */
  tone?: "good" | "warn" | "bad";
};

/** Longer values are written smaller. */
const LONG_VALUE = 6;

/** The large numbers at the top: six or a multiple of four, so that they fill their rows. */
export const keyFigures = (figures: readonly KeyFigure[]): Markup =>
  html`<dl class="figures ${figures.length % 4 === 0 ? "fours" : "threes"}">${figures.map(
    ({ value, label, note, tone }) =>
      html`<div class="${tone ?? "plain"}"><dt>${label}</dt><dd><strong class="${value.length > LONG_VALUE ? "long" : "short"}">${value}</strong>${note !== undefined && html`<span>${note}</span>`}</dd></div>`,
  )}</dl>`;

export const section = (heading: string, ...contents: readonly Content[]): Markup =>
  html`<section><h2>${heading}</h2>${contents}</section>`;

export const nothing = (text: string): Markup => html`<p class="nothing">${text}</p>`;

/** The note that a list was too long for the report. */
export const andMore = (more: number, one: string, many: string): Content =>
  more > 0 && html`<p class="more">… and ${formatCount(more)} more ${more === 1 ? one : many}.</p>`;

/** A column's head. The form of its cells: numbers, short words without line breaks, or any text. */
export type Head = { name: string; form: "number" | "short" | "text" };

export const number = (name: string): Head => ({ name, form: "number" });
export const short = (name: string): Head => ({ name, form: "short" });
export const text = (name: string): Head => ({ name, form: "text" });

/**
 * A table. On a narrow screen the style sheet turns each row into a block, and each cell shows its head. The roles keep it a
 * table for screen readers.
 * @param idOf the id of a row in the page, by the row's index.
 */
export const table = (
  caption: string,
  heads: readonly Head[],
  rows: readonly (readonly Content[])[],
  idOf: (index: number) => string | undefined = () => undefined,
): Markup =>
  html`<table class="rows" role="table"><caption>${caption}</caption>
<thead role="rowgroup"><tr role="row">${heads.map(({ name, form }) => html`<th role="columnheader" scope="col" class="${form}">${name}</th>`)}</tr></thead>
<tbody role="rowgroup">${rows.map(
    (cells, row) =>
      html`<tr role="row"${idOf(row) !== undefined && html` id="${idOf(row)}"`}>${cells.map((cell, index) => {
        const { name, form } = heads[index] ?? text("");
        const content = html`<div>${cell}</div>`;
        return index === 0
          ? html`<th role="rowheader" scope="row" class="${form}">${content}</th>`
          : html`<td role="cell" class="${form}" data-head="${name}">${content}</td>`;
      })}</tr>`,
  )}</tbody></table>`;

export const badge = (level: RiskLevel): Markup => html`<b class="badge ${riskTones[level]}">${level}</b>`;

/** A bar under a number; its length is the share. A share of 0 has no bar. */
export const bar = (share: number, tone: "accent" | "warn" | "bad" | "good" = "accent"): Content =>
  share > 0 &&
  html`<svg class="bar" aria-hidden="true"><rect class="track" width="100%" height="100%" rx="2"/><rect class="${tone}" width="${percent(Math.min(1, Math.max(0, share)))}" height="100%" rx="2"/></svg>`;

export const time = (ms: number, text: string): Markup =>
  html`<time datetime="${new Date(ms).toISOString()}">${text}</time>`;

/** Why an alert was raised, and about whom or what. The subject of an event's alert begins with the event's type. */
const reasonOf = ({ rule, subject }: ReportedAlert): string => {
  if (rule === MANUAL_RULE) return "Raised by a user";
  if (rule !== EVENT_RULE) return [title(rule), subject].filter((part) => part !== undefined).join(" · ");
  return ["Single event", subject?.replace(/^[A-Z_]+ ?/, "")].filter(Boolean).join(" · ");
};

/** The ids under which the API has an alert and its newest events. Open on paper. */
const evidence = ({ id, eventIds = [] }: ReportedAlert): Markup =>
  html`<details class="evidence"><summary>Alert and events</summary><p>Alert <code>${id}</code></p>${eventIds.length > 0 && html`<p>${eventIds.length === 1 ? "Event" : "Newest events"} ${eventIds.map((eventId, index) => html`${index > 0 && ", "}<code>${eventId}</code>`)}</p>`}</details>`;

/** What the alerts that were resolved in a period turned out to be. @param when such as "on the day". */
export const causeSentence = (causes: ByCause | undefined, when: string): Markup | false => {
  if (causes === undefined) return false;
  const { true_alarm, false_alarm, test, none } = causes;
  const said = [
    true_alarm > 0 && plural(true_alarm, "true alarm", "true alarms"),
    false_alarm > 0 && plural(false_alarm, "false alarm", "false alarms"),
    test > 0 && plural(test, "test", "tests"),
    none > 0 && `${formatCount(none)} without a cause`,
  ].filter((part) => part !== false);
  return said.length > 0 && html`<p>Resolved ${when}: ${said.join(", ")}.</p>`;
};

/** Who looks after an alert, and how often operators commented on it. */
const careOf = ({ assignee, comments }: ReportedAlert): Markup | false => {
  const parts = [
    assignee !== undefined && `assigned to ${assignee}`,
    comments !== undefined && plural(comments, "comment", "comments"),
  ].filter((part) => part !== false);
  return parts.length > 0 && html`<small>${parts.join(", ")}</small>`;
};

/** Alerts, with the time until each was answered. The row of an alert has the id `alert-<id>`. */
export const alertTable = (caption: string, alerts: readonly ReportedAlert[]): Markup =>
  html`${table(
    caption,
    [text("Alert"), short("Level"), short("First seen"), number("Raised"), text("Answered")],
    alerts.map((alert) => {
      const { title: name, level, firstSeen, count, status, timeToAcknowledgeMs, acknowledgedBy, cause } = alert;
      const care = careOf(alert);
      return [
        html`<span class="name">${name}</span><small>${reasonOf(alert)}</small>${evidence(alert)}`,
        badge(level),
        time(firstSeen, formatMoment(firstSeen)),
        plural(count, "time", "times"),
        timeToAcknowledgeMs === undefined
          ? html`<em class="open">not yet</em>${care}`
          : html`after ${formatDuration(timeToAcknowledgeMs)}<small>${words(status)}${acknowledgedBy !== undefined && ` by ${acknowledgedBy}`}${cause !== undefined && `: ${words(cause)}`}</small>${care}`,
      ];
    }),
    (row) => `alert-${alerts[row]?.id}`,
  )}<p class="how">An administrator finds each alert and each event by its id in the console, under Alerts and Events. Programs read them at <code>GET ${ALERT_PATH}</code> and <code>GET ${EVENT_PATH}</code>, with a token in the <code>Authorization</code> header.</p>`;
