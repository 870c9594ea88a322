/** A compliance report as a page. */
import { DAY_MS } from "../../security/hours.ts";
import type { ComplianceReport } from "../compliance-report.ts";
import { noticesOf, URGENT_DAYS } from "./attention.ts";
import { columnChart } from "./column-chart.ts";
import {
  formatClock,
  formatCount,
  formatDay,
  formatDuration,
  formatMoment,
  formatShare,
  formatShortDay,
  plural,
  title,
  words,
} from "./format.ts";
import { html, type Markup } from "./markup.ts";
import { renderPage } from "./page.ts";
import { alertTable, andMore, badge, bar, keyFigures, nothing, section, table, time } from "./parts.ts";

const HOURS_BETWEEN_LABELS = 6;
/** Decisions: an erasure is completed within so many days. */
const ERASURE_DAYS = 30;

const figures = ({
  unprocessedHighRiskEvents,
  access,
  alerts,
  sync,
  events,
  erasures,
  moreErasures,
}: ComplianceReport) => {
  const openErasures = erasures.length + moreErasures;
  const [nextErasure] = erasures;
  return keyFigures([
    {
      value: formatCount(unprocessedHighRiskEvents),
      label: "high-risk events unprocessed",
      tone: unprocessedHighRiskEvents > 0 ? "bad" : "good",
    },
    {
      value: formatCount(access.refusals),
      label: "calls refused",
      note: `of ${plural(access.calls, "call", "calls")}`,
      ...(access.refusals > 0 && { tone: "warn" as const }),
    },
    {
      value: formatCount(alerts.raised),
      label: "alerts raised",
      note: alerts.raised > 0 && `${formatCount(alerts.acknowledged)} answered`,
      ...(alerts.raised > alerts.acknowledged && { tone: "bad" as const }),
    },
    {
      value: `${formatCount(sync.succeeded)}/${formatCount(sync.runs)}`,
      label: "sync runs succeeded",
      note: plural(sync.written, "record changed", "records changed"),
      ...(sync.failed > 0 && { tone: "warn" as const }),
    },
    {
      value: formatCount(events.total),
      label: "events",
      note: events.total > 0 && `${formatShare(events.failures / events.total)} without success`,
    },
    {
      value: formatCount(openErasures),
      label: "erasures open",
      note: nextErasure !== undefined && `${plural(nextErasure.daysLeft, "day", "days")} left for the first`,
      ...(nextErasure !== undefined && nextErasure.daysLeft <= URGENT_DAYS && { tone: "bad" as const }),
    },
  ]);
};

const attention = (report: ComplianceReport): Markup => {
  const notices = noticesOf(report);
  if (notices.length === 0) return section("To be looked at", nothing("Nothing: the day was quiet."));
  return section(
    "To be looked at",
    html`<ul class="advice">${notices.map(({ level, text }) => html`<li>${badge(level)}<p>${text}</p></li>`)}</ul>`,
  );
};

const activity = ({ events }: ComplianceReport): Markup =>
  columnChart({
    id: "hours",
    title: "Events by hour",
    summary: `${plural(events.total, "event", "events")}, ${formatCount(events.failures)} of them without success, by the hour in which they happened.`,
    parts: [
      { name: "without success", tone: "bad" },
      { name: "with success", tone: "accent" },
    ],
    columns: events.hours.map(({ events: all, failures }, hour) => ({
      name: `${String(hour).padStart(2, "0")}:00`,
      ...(hour % HOURS_BETWEEN_LABELS === 0 && { label: `${String(hour).padStart(2, "0")}:00` }),
      values: [failures, all - failures],
    })),
    format: formatCount,
    columnName: "Hour",
  });

const access = ({ access: { users, moreUsers, withoutUser } }: ComplianceReport): Markup => {
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
      ? nothing("No user called.")
      : table(
          "By user, most refusals first; reads of a kind count once a minute",
          [
            { name: "User" },
            { name: "Calls", form: "number" },
            { name: "Reads" },
            { name: "Refusals", form: "number" },
          ],
          rows,
        ),
    andMore(moreUsers, "user", "users"),
    withoutUser.refusals > 0 &&
      html`<p>At least ${plural(withoutUser.refusals, "call", "calls")} came without a user whom a signature vouches for, and ${withoutUser.refusals === 1 ? "was" : "were"} refused.</p>`,
  );
};

const changes = ({ changes: list, moreChanges }: ComplianceReport): Markup =>
  section(
    "Changes of connection, settings and circuit breaker",
    list.length === 0
      ? nothing("None.")
      : table(
          "In order of time",
          [{ name: "What" }, { name: "When", form: "short" }, { name: "Who" }, { name: "Why" }],
          list.map(({ at, area, what, who, why, details, source }) => [
            html`<span class="name">${title(area)}: ${words(what)}</span><small>${details}</small>`,
            time(at, formatClock(at)),
            who ?? html`<span class="nothing">${source === "webhook" ? "the provider" : "the service"}</span>`,
            why ?? "",
          ]),
        ),
    andMore(moreChanges, "change", "changes"),
  );

const completeness = ({ sync: { completeness: compared } }: ComplianceReport): Markup => {
  if (compared === undefined) return nothing("No full run has compared both sides yet.");
  const caption = html`<p>Compared after the full run of ${formatMoment(compared.at)}: ${compared.isComplete ? html`<b class="yes">both sides are the same.</b>` : html`<b class="no">the sides differ.</b>`}</p>`;
  return html`${caption}${table(
    "The provider's list and what is stored",
    [
      { name: "Records" },
      { name: "Listed", form: "number" },
      { name: "Stored", form: "number" },
      { name: "Only listed", form: "number" },
      { name: "Only stored", form: "number" },
    ],
    compared.types.map(({ type, listed, stored, onlyListed, onlyStored }) => [
      title(type),
      ...[listed, stored, onlyListed, onlyStored].map(formatCount),
    ]),
  )}`;
};

const sync = (report: ComplianceReport): Markup => {
  const { connection, runs, succeeded, failed, cancelled, running, failures, moreFailures, lastSuccessAt } =
    report.sync;
  return section(
    "Completeness of syncs",
    html`<p>The provider is ${connection === "needs_reconnect" ? "waiting to be connected anew" : connection}. ${plural(runs, "run", "runs")} began: ${formatCount(succeeded)} succeeded, ${formatCount(failed)} failed${cancelled > 0 && `, ${formatCount(cancelled)} cancelled`}${running > 0 && `, ${formatCount(running)} under way`}. ${lastSuccessAt === undefined ? "None has ever succeeded." : `The last one that succeeded ended on ${formatMoment(lastSuccessAt)}.`}</p>`,
    failures.length > 0 &&
      table(
        "Runs that failed",
        [{ name: "Began", form: "short" }, { name: "Cause", form: "short" }, { name: "Message" }],
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

const alertsOf = ({ alerts: { list, moreAlerts, medianTimeToAcknowledgeMs } }: ComplianceReport): Markup =>
  section(
    "Alerts",
    medianTimeToAcknowledgeMs !== undefined &&
      html`<p>Of the alerts that were raised on the day and answered, half waited ${formatDuration(medianTimeToAcknowledgeMs)} or less.</p>`,
    list.length === 0
      ? nothing("None was raised, answered or open.")
      : alertTable("Raised or answered on the day, or still open", list),
    andMore(moreAlerts, "alert", "alerts"),
  );

const keeping = ({ retention, erasures, moreErasures, to }: ComplianceReport): Markup => {
  const { days, oldestEventAt, isHeld } = retention;
  const age = oldestEventAt === undefined ? 0 : (to - oldestEventAt) / DAY_MS;
  return section(
    "Retention and erasure",
    html`<p>Events are kept for ${plural(days, "day", "days")}: ${isHeld ? html`<b class="yes">held.</b>` : html`<b class="no">not held.</b>`} ${oldestEventAt === undefined ? "None is stored." : `The oldest one is of ${formatShortDay(oldestEventAt)}, ${plural(Math.floor(age), "day", "days")} old.`}${bar(age / days, isHeld ? "good" : "bad")}</p>`,
    erasures.length === 0
      ? nothing("No erasure is open.")
      : table(
          "Erasures that are not completed",
          [
            { name: "Request" },
            { name: "Status", form: "short" },
            { name: "Requested", form: "short" },
            { name: "Due", form: "short" },
            { name: "Days left", form: "number" },
          ],
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

/** A self-contained page of HTML. */
export const renderCompliance = (report: ComplianceReport, organizationId: string): string =>
  renderPage({
    kind: "Compliance report",
    heading: formatDay(report.from),
    organizationId,
    id: report.id,
    createdAt: report.createdAt,
    content: [
      figures(report),
      attention(report),
      section("Activity", activity(report)),
      access(report),
      changes(report),
      alertsOf(report),
      sync(report),
      keeping(report),
    ],
  });
