/** The sections of a compliance report's page. */

import { html, type Markup } from "../../runtime/markup.ts";
import { DAY_MS } from "../../terms/hours.ts";
import type { ComplianceReport } from "../compliance-report.ts";
import {
  formatClock,
  formatCount,
  formatDuration,
  formatMoment,
  formatShortDay,
  plural,
  title,
  words,
} from "./format.ts";
import {
  alertTable,
  andMore,
  bar,
  causeSentence,
  nothing,
  number,
  section,
  short,
  table,
  text,
  time,
} from "./parts.ts";

/** Decisions: an erasure is completed within 30 days, with an alarm after 20. */
const ERASURE_DAYS = 30;
export const URGENT_DAYS = 10;

export const accessSection = ({ access: { users, moreUsers, withoutUser } }: ComplianceReport): Markup => {
  const most = Math.max(1, ...users.map(({ calls }) => calls));
  const rows = users.map(({ userId, calls, reads, refusals }) => [
    html`<span class="name">${userId}</span>`,
    html`${formatCount(calls)}${bar(calls / most)}`,
    Object.entries(reads)
      .map(([kind, count]) => `${words(kind)} ${formatCount(count)}`)
      .join(", "),
    html`<span class="${refusals > 0 ? "no" : "none"}">${formatCount(refusals)}</span>`,
  ]);
  return section(
    "Access and refusals",
    rows.length === 0
      ? nothing("No user called the API.")
      : table(
          "By user, most refusals first; reads of a kind count once a minute",
          [text("User"), number("Calls"), text("Reads"), number("Refusals")],
          rows,
        ),
    andMore(moreUsers, "user", "users"),
    withoutUser.refusals > 0 &&
      html`<p>At least ${plural(withoutUser.refusals, "refused call", "refused calls")} had no verified user.</p>`,
  );
};

export const changesSection = ({ changes: list, moreChanges, exports }: ComplianceReport): Markup =>
  section(
    "Changes of connection, settings, circuit breaker and notifications, and exports",
    list.length === 0
      ? nothing("No changes.")
      : table(
          "In order of time",
          [text("What"), short("When"), text("Who"), text("Why")],
          list.map(({ at, area, what, who, why, details, source }) => [
            html`<span class="name">${title(area)}: ${words(what)}</span><small>${details}</small>`,
            time(at, formatClock(at)),
            who ?? html`<span class="nothing">${source === "webhook" ? "the provider" : "the service"}</span>`,
            why ?? "",
          ]),
        ),
    andMore(moreChanges, "change", "changes"),
    exports !== undefined &&
      exports.requested + exports.completed > 0 &&
      html`<p>${plural(exports.requested, "export was", "exports were")} requested, ${formatCount(exports.completed)} completed.</p>`,
  );

const completeness = ({ sync: { completeness: compared } }: ComplianceReport): Markup => {
  if (compared === undefined) return nothing("No full run has compared both sides yet.");
  const caption = html`<p>Compared after the full run of ${formatMoment(compared.at)}: ${compared.isComplete ? html`<b class="yes">both sides are the same.</b>` : html`<b class="no">the sides differ.</b>`}</p>`;
  return html`${caption}${table(
    "The provider's list and what is stored",
    [text("Records"), number("Listed"), number("Stored"), number("Only listed"), number("Only stored")],
    compared.types.map(({ type, listed, stored, onlyListed, onlyStored }) => [
      title(type),
      ...[listed, stored, onlyListed, onlyStored].map(formatCount),
    ]),
  )}`;
};

export const keySentence = (key: ComplianceReport["sync"]["key"]): Markup | false =>
  key !== undefined &&
  html`<p>The stored key is ${key.kind === "oauth" ? "granted by OAuth" : key.kind}, for ${key.mode} mode, and stored since ${formatMoment(key.since)}.</p>`;

export const syncSection = (report: ComplianceReport): Markup => {
  const { connection, runs, succeeded, failed, cancelled, running, failures, moreFailures, lastSuccessAt, key } =
    report.sync;
  return section(
    "Completeness of syncs",
    html`<p>The provider is ${connection === "needs_reconnect" ? "waiting to be connected again" : connection}. ${plural(runs, "run", "runs")} began: ${formatCount(succeeded)} succeeded, ${formatCount(failed)} failed${cancelled > 0 && `, ${formatCount(cancelled)} cancelled`}${running > 0 && `, ${formatCount(running)} under way`}. ${lastSuccessAt === undefined ? "No run has succeeded yet." : `The last one that succeeded ended on ${formatMoment(lastSuccessAt)}.`}</p>`,
    keySentence(key),
    failures.length > 0 &&
      table(
        "Runs that failed",
        [short("Began"), short("Cause"), text("Message")],
        failures.map(({ startedAt, category, message }) => [
          time(startedAt, formatClock(startedAt)),
          words(category),
          message,
        ]),
      ),
    andMore(moreFailures, "failed run", "failed runs"),
    completeness(report),
  );
};

export const alertsSection = ({ alerts }: ComplianceReport): Markup => {
  const { list, moreAlerts, medianTimeToAcknowledgeMs, resolvedByCause } = alerts;
  return section(
    "Alerts",
    medianTimeToAcknowledgeMs !== undefined &&
      html`<p>Of the alerts that were answered on the day, half had waited ${formatDuration(medianTimeToAcknowledgeMs)} or less.</p>`,
    causeSentence(resolvedByCause, "on the day"),
    list.length === 0
      ? nothing("No alert was raised or answered on the day, or is still open.")
      : alertTable("Raised or answered on the day, or still open", list),
    andMore(moreAlerts, "alert", "alerts"),
  );
};

const isHighMuted = (levels: readonly string[]): boolean => levels.includes("HIGH") || levels.includes("CRITICAL");

/** What administrators have switched off: mutes and rules. Nothing if all is on. @param when such as "on the day". */
export const switchedOffSection = (
  { mutes = [], moreMutes = 0, rulesOff = [] }: Pick<ComplianceReport, "mutes" | "moreMutes" | "rulesOff">,
  when: string,
): Markup | false =>
  mutes.length + moreMutes + rulesOff.length > 0 &&
  section(
    "Switched off",
    mutes.length > 0 &&
      table(
        `Mutes that acted ${when}: these alerts were not sent, or later`,
        [text("Alerts"), short("From"), short("Until"), text("Who"), text("Why"), number("Hidden")],
        mutes.map(({ rules, subject, levels, from, until, weekly, who, why, hiddenAlerts }) => [
          html`<span class="${isHighMuted(levels) ? "no" : "name"}">${levels.join(", ")}</span><small>${rules?.map(words).join(", ") ?? "all rules"}${subject !== undefined && `, about ${subject}`}</small>`,
          time(from, formatMoment(from)),
          html`${time(until, formatMoment(until))}${weekly && html`<small>in weekly spans</small>`}`,
          who,
          why,
          formatCount(hiddenAlerts),
        ]),
      ),
    andMore(moreMutes, "mute", "mutes"),
    rulesOff.length > 0 &&
      html`<p>Rules of detection that are off: <b class="no">${rulesOff.map(words).join(", ")}.</b></p>`,
  );

export const retentionSection = ({ retention, erasures, moreErasures, to }: ComplianceReport): Markup => {
  const { days, oldestEventAt, isHeld } = retention;
  const age = oldestEventAt === undefined ? 0 : (to - oldestEventAt) / DAY_MS;
  return section(
    "Retention and erasure",
    html`<p>Events are kept for ${plural(days, "day", "days")}: ${isHeld ? html`<b class="yes">held.</b>` : html`<b class="no">not held.</b>`} ${oldestEventAt === undefined ? "No event is stored." : `The oldest one is of ${formatShortDay(oldestEventAt)}, ${plural(Math.floor(age), "day", "days")} old.`}${bar(age / days, isHeld ? "good" : "bad")}</p>`,
    erasures.length === 0
      ? nothing("No erasure is open.")
      : table(
          "Erasures that are not completed",
          [text("Request"), short("Status"), short("Requested"), short("Due"), number("Days left")],
          erasures.map(({ id, status, requestedAt, dueAt, daysLeft }) => [
            id,
            words(status),
            time(requestedAt, formatMoment(requestedAt)),
            time(dueAt, formatMoment(dueAt)),
            html`${formatCount(daysLeft)}${bar(daysLeft / ERASURE_DAYS, daysLeft <= URGENT_DAYS ? "bad" : "accent")}`,
          ]),
        ),
    andMore(moreErasures, "erasure", "erasures"),
  );
};
