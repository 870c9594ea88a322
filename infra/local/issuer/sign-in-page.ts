/** The pages of the development issuer: without a script, and encoded by the template `html`. */
import { type Role, roles } from "../../../shared/terms/permissions.ts";
import { html, htmlPage, type Markup } from "../http/html-page.ts";
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

const page = (title: string, content: Markup): string => htmlPage(`${title} · local issuer`, content);

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
<p class="soft">The ${role} of the organization ${organizationId}.</p>
</form>
<form method="post" class="card">
<h2>Or as somebody else</h2>
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
