/** The page `/docs`. Decisions: docs/api.md. */
import type { HttpHandler } from "./middleware.ts";
import { createPageHandler, escapeHtml, type PageOptions, pagePolicy } from "./page.ts";

/** Only the local cloud has an issuer without TLS. It gives anybody a token. */
const isLocal = (issuer: string): boolean => new URL(issuer).protocol === "http:";

/** Where a newcomer gets a token. No issuer exists under `.invalid`. */
const tokenHint = (issuer: string, audience: string): string => {
  const { hostname } = new URL(issuer);
  if (isLocal(issuer)) {
    const button = `<button type="button" id="as-ada" disabled data-issuer="${escapeHtml(issuer)}">Send requests as ada of demo</button>`;
    return `${button}, or get a token: in the checkout, run <code>npm run --silent token -- --org demo --role admin --user ada</code>`;
  }
  if (hostname.endsWith(".invalid")) return "This deployment trusts no issuer, so every token is refused.";
  return `Get an access token of <code>${escapeHtml(issuer)}</code> for the audience <code>${escapeHtml(audience)}</code>`;
};

type DocsOptions = PageOptions & {
  /** The page, with `{{token}}` in the place of the hint. */
  template: string;
  issuer: string;
  audience: string;
};

/** The handler of `/docs`. */
export const createDocsHandler = ({ template, issuer, audience, ...options }: DocsOptions): HttpHandler => {
  const hint = tokenHint(issuer, audience);
  const headers = { "content-security-policy": pagePolicy(isLocal(issuer) ? [new URL(issuer).origin] : []) };
  return createPageHandler({ ...options, page: template.replace("{{token}}", () => hint) }, () => headers);
};
