import { html, htmlPage, type Markup, readStyles, STYLES_PATH } from "../../http/html-page.ts";
import type { AccountRow } from "../store/account-table.ts";
import type { Answer } from "./requests/answer.ts";

export { STYLES_PATH };

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src data:",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Whether a person's browser asks for a page. Clients of the API do not name HTML. */
export const asksForPage = (accept: string | undefined): boolean => accept?.includes("text/html") ?? false;

export const styles = (): Answer => ({
  status: 200,
  headers: { "content-type": "text/css; charset=utf-8" },
  body: readStyles(),
});

const accountLink = ({ name, account_id: id }: AccountRow, href: string): Markup =>
  html`<p><a class="button" href="${href}">Grant access to ${name}</a><small>${id}</small></p>
`;

/** The page on which a person chooses an account and grants the platform access to it, or refuses. */
export const authorizePage = (
  accounts: readonly AccountRow[],
  { grant, refuse }: { grant: (accountId: string) => string; refuse: string | undefined },
): Answer => ({
  status: 200,
  headers: {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  },
  body: htmlPage(
    "Grant access · simulated provider",
    html`<p class="kind">Simulated payment provider</p>
<h1>Which account may the integration read?</h1>
<p class="soft">This page exists only on your machine. At the real provider, you sign in and grant access to your own account.</p>
<div class="card">
${accounts.map((account) => accountLink(account, grant(account.account_id)))}</div>
${refuse === undefined ? "" : html`<p class="soft"><a href="${refuse}">Refuse access</a></p>`}`,
  ),
});
