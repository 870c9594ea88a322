/** Reports as HTML pages. A page loads nothing and runs nothing, wherever it is opened. docs/reports.md, "Pages". */

import { html, textOf } from "../../runtime/markup.ts";
import type { Report } from "../report.ts";
import { complianceContent } from "./compliance-page.ts";
import { formatDate, formatDay, formatMoment, formatMonth, formatSpan } from "./format.ts";
import { monthContent } from "./month-page.ts";
import { reviewContent } from "./review-page.ts";
import { STYLES } from "./styles.ts";

/** The same policy is a response header (shared/http/respond.ts). The `meta` element keeps it in a saved copy. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

const bodyOf = (report: Report) => {
  switch (report.kind) {
    case "compliance":
      return {
        kind: "Compliance report",
        heading: formatDay(report.from),
        span: "",
        content: complianceContent(report),
      };
    case "review":
      return {
        kind: "Security review",
        heading: `Week of ${formatDate(report.from)}`,
        span: `Monday to Sunday, ${formatSpan(report.from, report.to)} · `,
        content: reviewContent(report),
      };
    case "month":
      return { kind: "Monthly report", heading: formatMonth(report.from), span: "", content: monthContent(report) };
  }
};

const reviewed = ({ reviewedAt, reviewedBy }: Report): string =>
  reviewedAt === undefined
    ? "not reviewed yet"
    : `reviewed on ${formatMoment(reviewedAt)} UTC by ${reviewedBy ?? "a user who is erased now"}`;

/** A complete, self-contained document. */
export const renderReport = (report: Report, organizationId: string): string => {
  const { kind, heading, span, content } = bodyOf(report);
  return textOf(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<title>${kind}, ${heading} – ${organizationId}</title>
<style>${STYLES}</style>
</head>
<body>
<main>
<header><p class="kind">${kind}</p><h1>${heading}</h1><p class="whose">${organizationId}</p><p class="zone">${span}All times are in UTC.</p></header>
${content}
<footer><p>${report.id} · made on ${formatMoment(report.createdAt)} UTC · ${reviewed(report)}</p></footer>
</main>
</body>
</html>
`);
};
