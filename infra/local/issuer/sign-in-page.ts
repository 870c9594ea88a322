/** The pages of the development issuer: without a script, and encoded by the template `html`. */
import { type Role, roles } from "../../../shared/terms/permissions.ts";
import { type Lifetime, lifetimeNames, type SignIn } from "./sessions.ts";

/** What the sign-in page offers first, and one click takes. */
export const DEFAULT_SIGN_IN = {
  organizationId: "demo",
  role: "admin",
  userId: "ada",
  lifetime: "hour",
} as const satisfies SignIn;

const SUGGESTED_ORGANIZATIONS = ["demo", "acme"];

const ROLE_SENTENCES: Readonly<Record<Role, string>> = {
  admin: "Sees everything and may change everything.",
  billing: "Reads all records, starts syncs and manages the connection.",
  member: "Sees the status, and the records that the settings allow members.",
  guest: "Sees the records that the settings allow guests, and nothing else.",
};

const LIFETIME_LABELS: Readonly<Record<Lifetime, string>> = {
  hour: "1 hour, renewed until you sign out",
  minute: "1 minute, renewed until you sign out: to watch renewal",
  once: "1 minute, and the session ends with it: to watch expiry",
};

/** HTML that needs no encoding. */
class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
type Content = Markup | string | readonly Markup[];

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const encode = (content: Content): string => {
  if (content instanceof Markup) return content.text;
  if (typeof content === "string") return content.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
  return content.map(({ text }) => text).join("");
};

/** HTML in which each value is encoded, unless it is HTML itself. Attributes must be in double quotes. */
const html = (parts: TemplateStringsArray, ...values: Content[]): Markup =>
  new Markup(parts.map((part, index) => part + (index < values.length ? encode(values[index] ?? "") : "")).join(""));

const page = (title: string, content: Markup): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · local issuer</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/sign-in.css">
</head>
<body>
<main>
${content}
</main>
</body>
</html>
`.text;

export type SignInFields = "organization" | "role" | "user" | "lifetime";

/** What the page's fields show, and what is wrong with them, by field. */
export type SignInForm = {
  values: Readonly<Record<SignInFields, string>>;
  problems: Partial<Readonly<Record<SignInFields, string>>>;
};

const problemText = ({ problems }: SignInForm, field: SignInFields): Markup =>
  problems[field] === undefined
    ? html``
    : html`<p class="problem" id="${field}-problem" role="alert">${problems[field]}</p>`;

/** `aria-describedby` names the hint, and the problem if there is one. */
const described = ({ problems }: SignInForm, field: SignInFields): Markup =>
  problems[field] === undefined
    ? html`aria-describedby="${field}-hint"`
    : html`aria-invalid="true" aria-describedby="${field}-problem ${field}-hint"`;

const roleChoice = (role: Role, chosen: string): Markup =>
  html`<label class="choice">
<input type="radio" name="role" value="${role}"${role === chosen ? html` checked` : ""}>
<span><strong>${role}</strong> <small>${ROLE_SENTENCES[role]}</small></span>
</label>
`;

const lifetimeChoice = (lifetime: Lifetime, chosen: string): Markup =>
  html`<label class="choice">
<input type="radio" name="lifetime" value="${lifetime}"${lifetime === chosen ? html` checked` : ""}>
<span>${LIFETIME_LABELS[lifetime]}</span>
</label>
`;

/**
 * The page to choose organization, role and user. Both forms are sent to the page's own address, whose query is the
 * authorization request; so no value of the request is repeated in a field.
 * @param client the origin that asks
 */
export const signInPage = (client: string, form: SignInForm): string => {
  const { userId, role, organizationId, lifetime } = DEFAULT_SIGN_IN;
  const { values } = form;
  return page(
    "Sign in",
    html`<p class="kind">Local cloud</p>
<h1>Sign in to the console</h1>
<p class="soft">This page exists only on your machine and asks for no password. Choose who you want to be at <span class="where">${client}</span>.</p>
<form method="post" class="card">
<input type="hidden" name="organization" value="${organizationId}">
<input type="hidden" name="role" value="${role}">
<input type="hidden" name="user" value="${userId}">
<input type="hidden" name="lifetime" value="${lifetime}">
<button type="submit" class="primary">Sign in as ${userId}</button>
<p class="soft">The ${role} of the organization ${organizationId}, which is connected to the simulated provider.</p>
</form>
<form method="post" class="card">
<h2>Somebody else</h2>
<label for="organization">Organization</label>
${problemText(form, "organization")}<input id="organization" name="organization" value="${values.organization}" list="organizations" maxlength="128" autocomplete="off" autocapitalize="none" spellcheck="false" ${described(form, "organization")}>
<datalist id="organizations">${SUGGESTED_ORGANIZATIONS.map((id) => html`<option value="${id}"></option>`)}</datalist>
<p class="hint" id="organization-hint">Any id. Empty: a user without an organization.</p>
<fieldset>
<legend>Role</legend>
${problemText(form, "role")}${roles.map((one) => roleChoice(one, values.role))}</fieldset>
<label for="user">User</label>
${problemText(form, "user")}<input id="user" name="user" value="${values.user}" required maxlength="128" autocomplete="off" autocapitalize="none" spellcheck="false" ${described(form, "user")}>
<p class="hint" id="user-hint">Any id, such as ada, bob or eve.</p>
<details${form.problems.lifetime === undefined ? "" : html` open`}>
<summary>How long the access token lives</summary>
<fieldset>
<legend class="hidden">How long the access token lives</legend>
${problemText(form, "lifetime")}${lifetimeNames.map((one) => lifetimeChoice(one, values.lifetime))}</fieldset>
</details>
<button type="submit">Sign in</button>
</form>`,
  );
};

/** A page that says one thing, such as why a request was refused. */
export const messagePage = (title: string, message: string): string =>
  page(title, html`<p class="kind">Local cloud</p>\n<h1>${title}</h1>\n<p class="message">${message}</p>`);

/** The style sheet of these pages, light and dark, from 320 pixels on. */
export const STYLES = `:root {
  color-scheme: light dark;
  --paper: #fbfaf8; --card: #ffffff; --ink: #1d1f23; --soft: #5b606a; --line: #e3e0da; --edge: #85888f;
  --accent: #2a6592; --on-accent: #ffffff; --bad: #a8322b; --band: #f1eee8;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  --serif: Charter, "Bitstream Charter", "Iowan Old Style", Georgia, "Times New Roman", serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14161a; --card: #1b1e24; --ink: #e9e7e2; --soft: #a6abb5; --line: #30343d; --edge: #7a818d;
    --accent: #7fb3da; --on-accent: #14161a; --bad: #f0938b; --band: #22262e;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.5 var(--sans); overflow-wrap: anywhere; }
main { max-width: 30rem; margin: 0 auto; padding: clamp(1.25rem, 6vh, 4rem) 1rem 3rem; }
h1, h2 { font-family: var(--serif); font-weight: 600; line-height: 1.2; text-wrap: balance; }
h1 { font-size: clamp(1.6rem, 1.3rem + 1.6vw, 2.1rem); letter-spacing: -0.01em; margin: 0.1em 0 0.4em; }
h2 { font-size: 1.2rem; margin: 0 0 0.8rem; }
p { margin: 0 0 0.8rem; }
.kind { margin: 0; color: var(--accent); font-size: 0.8125rem; font-weight: 600; letter-spacing: 0.09em; text-transform: uppercase; }
.soft, .hint, small { color: var(--soft); }
.soft, .hint { font-size: 0.875rem; } .hint { margin: 0.3rem 0 1.1rem; }
small { display: block; font-size: 0.875rem; line-height: 1.4; }
.where { font-weight: 600; color: var(--ink); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 0.6rem; padding: 1.1rem; margin: 1.2rem 0 0; }
.card > :last-child { margin-bottom: 0; }
label, legend { font-weight: 600; }
input:not([type="radio"]) { display: block; width: 100%; margin-top: 0.3rem; padding: 0.5rem 0.65rem; font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--edge); border-radius: 0.4rem; }
input[aria-invalid] { border-color: var(--bad); }
fieldset { border: 0; margin: 0 0 1.1rem; padding: 0; min-width: 0; }
legend { padding: 0; margin-bottom: 0.3rem; }
.choice { display: grid; grid-template-columns: auto 1fr; gap: 0.65rem; align-items: start; padding: 0.45rem 0.5rem; margin: 0 -0.5rem; border-radius: 0.4rem; font-weight: 400; cursor: pointer; }
.choice:hover, .choice:has(:checked) { background: var(--band); }
.choice input { margin: 0.3rem 0 0; accent-color: var(--accent); width: 1rem; height: 1rem; }
details { margin: 0 0 1.1rem; font-size: 0.9375rem; }
summary { cursor: pointer; color: var(--soft); width: max-content; max-width: 100%; padding: 0.15rem 0; }
details fieldset { margin: 0.5rem 0 0; }
button { display: block; width: 100%; padding: 0.65rem 1rem; font: inherit; font-weight: 600; cursor: pointer; border-radius: 0.4rem; border: 1px solid var(--accent); background: transparent; color: var(--accent); }
button:hover { background: var(--band); }
.primary { background: var(--accent); color: var(--on-accent); margin-bottom: 0.7rem; }
.primary:hover { background: var(--accent); filter: brightness(1.1); }
.problem { color: var(--bad); font-size: 0.875rem; font-weight: 600; margin: 0.2rem 0; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
@media (forced-colors: active) { .choice:has(:checked) { outline: 1px solid; } }
`;
