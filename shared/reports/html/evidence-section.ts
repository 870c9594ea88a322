/** What a report's page says of the evidence itself: the last fire drill, and whether the log is whole. */
import { type Content, html, type Markup } from "../../runtime/markup.ts";
import type { ReportedDrill, ReportedIntegrity } from "../evidence-fields.ts";
import { formatCount, formatDuration, formatMoment } from "./format.ts";
import { nothing, section } from "./parts.ts";

const outcomes: Record<ReportedDrill["status"], Markup> = {
  running: html`was under way`,
  succeeded: html`<b class="yes">succeeded</b>`,
  failed: html`<b class="no">failed</b>`,
};

const drillSentence = (drill: ReportedDrill): Markup => {
  const { status, startedAt, endedAt, destinations, accepted, acknowledgedAt, acknowledgedBy } = drill;
  return html`<p>The last fire drill, of ${formatMoment(startedAt)}, ${outcomes[status]}${endedAt !== undefined && ` after ${formatDuration(endedAt - startedAt)}`}: ${formatCount(accepted)} of ${formatCount(destinations)} destinations took its notification. ${acknowledgedAt === undefined ? "Nobody acknowledged its alert." : `Its alert was acknowledged after ${formatDuration(acknowledgedAt - startedAt)}${acknowledgedBy === undefined ? "" : ` by ${acknowledgedBy}`}.`}</p>`;
};

const integritySentence = ({ log, isWhole, text }: ReportedIntegrity): Content =>
  html`<p${(log === "broken" || isWhole === false) && html` class="no"`}>${text}</p>`;

type Evidence = { lastDrill?: ReportedDrill | undefined; integrity?: ReportedIntegrity | undefined };

export const evidenceSection = ({ lastDrill, integrity }: Evidence): Markup =>
  section(
    "Evidence",
    integrity !== undefined && integritySentence(integrity),
    lastDrill === undefined ? nothing("There was no fire drill.") : drillSentence(lastDrill),
  );
