/**
 * GET and POST …/notifications/link: the pages behind the links in mails. They load nothing, and change nothing until
 * their button is pressed. docs/notifications.md, "E-mail".
 */
import type { EmailLinkView } from "../notifications/use-email-link.ts";
import { type Content, html, textOf } from "../runtime/markup.ts";
import type { Html } from "./route.ts";

type AboutStranger = EmailLinkView["about"];
type About = Extract<AboutStranger, { address: string }>;

const page = (title: string, content: Content): string =>
  textOf(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>
body { margin: 0; padding: 3rem 1.5rem; font: 1rem/1.5 system-ui, sans-serif; color: #1f2430; background: #f6f7f9; }
main { max-width: 34rem; margin: 0 auto; padding: 2rem; background: #fff; border: 1px solid #d9dde5; border-radius: 0.5rem; }
h1 { margin: 0 0 1rem; font-size: 1.35rem; }
p { overflow-wrap: anywhere; }
button { padding: 0.6rem 1.2rem; font: inherit; color: #fff; background: #1f5fbf; border: 0; border-radius: 0.35rem; cursor: pointer; }
button:focus-visible { outline: 3px solid #f2b84b; outline-offset: 2px; }
@media (prefers-color-scheme: dark) {
  body { color: #e6e8ee; background: #14161b; }
  main { background: #1d2027; border-color: #343945; }
}
</style>
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`);

/** The form posts to the address of the page itself, whose query has the key. */
const form = (button: string): Content => html`<form method="post"><button type="submit">${button}</button></form>`;

const questions = {
  confirm: ({ address, name, organizationId }: About) =>
    page(
      "Confirm your e-mail address",
      html`<p>The organization ${organizationId} wants to send security alerts to ${address} (${name}).</p>
${form("Confirm")}
<p>If you do not know why, close this page. Nothing will be sent.</p>`,
    ),
  unsubscribe: ({ address, name, organizationId }: About) =>
    page(
      "Stop these e-mails",
      html`<p>The organization ${organizationId} sends security alerts to ${address} (${name}).</p>
${form("Unsubscribe")}`,
    ),
};

const results = {
  confirmed: ({ address }: About) =>
    page("The address is confirmed", html`<p>Security alerts will be sent to ${address}.</p>`),
  unsubscribed: ({ address }: About) =>
    page("You have unsubscribed", html`<p>Nothing more will be sent to ${address}.</p>`),
  paused: ({ address }: About) =>
    page("The destination is paused", html`<p>Nothing is sent to ${address}. An administrator can resume it.</p>`),
};

/** The pages of the recipient who did not ask for the mails. The link does not contain the address. */
const notMe = {
  question: ({ organizationId }: AboutStranger) =>
    page(
      "This was not me",
      html`<p>The organization ${organizationId} asked to send security alerts to your e-mail address.</p>
${form("This was not me")}
<p>Then it can send nothing to your address for 30 days.</p>`,
    ),
  result: ({ organizationId }: AboutStranger) =>
    page(
      "Thank you",
      html`<p>The organization ${organizationId} can send nothing to your e-mail address for 30 days.</p>
<p>If two more organizations ask and you answer the same, none can ask you in that time.</p>`,
    ),
};

export const emailLinkPage = (view: EmailLinkView): Html => {
  if ("question" in view) {
    const { question } = view;
    return {
      html: question === "not_me" ? notMe.question(view.about) : questions[question](view.about),
      hasForm: true,
    };
  }
  return { html: view.result === "not_me" ? notMe.result(view.about) : results[view.result](view.about) };
};
