/** The frame of a page: it loads nothing and runs nothing, wherever it is opened. */
import { formatMoment } from "./format.ts";
import { html, type Markup, textOf } from "./markup.ts";
import { STYLES } from "./styles.ts";

/** Also as a response header (shared/http/respond.ts); here it holds for a copy that somebody saved. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

export type Page = {
  kind: string;
  /** What it is about: a day or a week. */
  heading: string;
  organizationId: string;
  id: string;
  /** Epoch ms. */
  createdAt: number;
  content: readonly Markup[];
};

/** A whole document. */
export const renderPage = ({ kind, heading, organizationId, id, createdAt, content }: Page): string =>
  textOf(html`<!doctype html>
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
<header><p class="kind">${kind}</p><h1>${heading}</h1><p class="whose">${organizationId}</p></header>
${content}
<footer><p>${id} · made on ${formatMoment(createdAt)} · all times are UTC</p></footer>
</main>
</body>
</html>
`);
