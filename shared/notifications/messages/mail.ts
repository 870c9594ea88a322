/** Mails: subject, text and HTML with the same content, and the headers of unsubscribing with one click (RFC 8058). */
import { type Content as Html, html, type Markup, textOf } from "../../runtime/markup.ts";
import type { RiskLevel } from "../../terms/risk-levels.ts";
import { type Content, contentOf, cutTo, type Entry, type Fact, LEVEL_MARKS, moreText, timeText } from "./content.ts";
import type { Notification } from "./notification.ts";

/** A line of a header should have at most 78 characters (RFC 5322, 2.1.1); mail programs show about this many. */
const MAX_SUBJECT = 150;
const MAX_VALUE = 500;

/** The links of a mail. `confirm` and `notMe`: only in the mail that asks for confirmation. */
export type MailLinks = { unsubscribe: string; confirm?: string; notMe?: string };

export type Mail = { subject: string; text: string; html: string; headers: Record<string, string> };

/** Between two visible characters, these make a mail program see an address: `a.example`, `a@b`, `https://`, `/`, `\`. */
const JOINTS = /([.:/\\@\u3002])(?=[^\s])/gu;

/**
 * A name that no mail program turns into a link, because a space follows each character that addresses are made with. Forms
 * of these characters that programs take for the same, such as a full-width dot, become the plain ones.
 */
const unlinked = (name: string): string => name.normalize("NFKC").replace(JOINTS, "$1 ");

const valueText = ({ value, isName }: Fact): string => {
  if (typeof value === "number") return timeText(value);
  return cutTo(isName ? unlinked(value) : value, MAX_VALUE) || "–";
};

const entryText = ({ level, title, change, at, url }: Entry): string =>
  `- ${level}: ${cutTo(title, MAX_VALUE)} (${change}, ${timeText(at)})\n  ${url}`;

const plainText = (
  { headline, paragraph, facts, entries, leftOut, link }: Content,
  footer: readonly string[],
): string =>
  [
    headline,
    paragraph,
    facts.map((fact) => `${fact.label}: ${valueText(fact)}`).join("\n"),
    entries.map(entryText).join("\n"),
    moreText(leftOut),
    link && `${link.label}: ${link.url}`,
    `-- \n${footer.join("\n")}`,
  ]
    .filter((part) => part !== undefined && part !== "")
    .join("\n\n");

const COLORS: Readonly<Record<RiskLevel, string>> = {
  CRITICAL: "#b3261e",
  HIGH: "#b45309",
  MEDIUM: "#8a6d00",
  LOW: "#1d4ed8",
};
const NEUTRAL = "#334155";

/** Styles stand at each element: mail programs drop style sheets. https://www.caniemail.com/features/html-style/ */
const FONT = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

const row = (label: string, value: Html): Markup =>
  html`<tr><th scope="row" align="left" style="padding:4px 16px 4px 0;color:#64748b;font-weight:normal;vertical-align:top">${label}</th><td style="padding:4px 0;word-break:break-word">${value}</td></tr>`;

const entryRow = ({ level, title, change, at, url }: Entry): Markup =>
  html`<li style="margin:0 0 8px"><span style="color:${COLORS[level]};font-weight:bold">${level}</span> <a href="${url}" style="color:#0f172a">${cutTo(title, MAX_VALUE)}</a><br><span style="color:#64748b">${change}, ${timeText(at)}</span></li>`;

const page = (content: Content, footer: Markup): Markup => {
  const { headline, level, paragraph, facts, entries, leftOut, link } = content;
  const more = moreText(leftOut);
  const color = level === undefined ? NEUTRAL : COLORS[level];
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no"><title>${headline}</title></head>
<body style="margin:0;padding:24px;background:#f1f5f9;${FONT};font-size:15px;line-height:1.5;color:#0f172a">
<div style="max-width:600px;margin:0 auto;background:#ffffff;border-top:4px solid ${color};padding:24px">
<h1 style="margin:0 0 16px;font-size:20px;line-height:1.3;color:${color};word-break:break-word">${headline}</h1>
${(paragraph ?? "").split("\n").map((line) => line !== "" && html`<p style="margin:0 0 16px;word-break:break-word">${line}</p>`)}
${facts.length > 0 && html`<table role="presentation" cellspacing="0" style="margin:0 0 16px;border-collapse:collapse">${facts.map((fact) => row(fact.label, valueText(fact)))}</table>`}
${entries.length > 0 && html`<ul style="margin:0 0 16px;padding:0 0 0 20px">${entries.map(entryRow)}</ul>`}
${more !== undefined && html`<p style="margin:0 0 16px;color:#64748b">${more}</p>`}
${link && html`<p style="margin:0 0 8px"><a href="${link.url}" style="display:inline-block;padding:10px 18px;background:${color};color:#ffffff;text-decoration:none;border-radius:4px">${link.label}</a></p>`}
</div>
<div style="max-width:600px;margin:16px auto 0;font-size:13px;color:#64748b">${footer}</div>
</body>
</html>
`;
};

/** The mail of a notification. The subject is one line, so it cannot add headers. */
export const mailOf = (notification: Notification, { unsubscribe, confirm, notMe }: MailLinks): Mail => {
  const content = contentOf(notification);
  const shown = confirm === undefined ? content : { ...content, link: { label: "Confirm", url: confirm } };
  const { level, headline } = shown;
  const organization = `Organization ${cutTo(unlinked(notification.organizationId), MAX_VALUE)}`;
  const footer = [
    ...(notMe === undefined ? [] : [{ label: "This was not me", url: notMe }]),
    { label: "Stop these mails", url: unsubscribe },
  ];
  const mark = level === undefined ? "" : `${LEVEL_MARKS[level]} `;
  return {
    subject: cutTo(`${mark}${headline}`, MAX_SUBJECT),
    text: plainText(shown, [organization, ...footer.map(({ label, url }) => `${label}: ${url}`)]),
    html: textOf(
      page(
        shown,
        html`${organization}${footer.map(({ label, url }) => html`<br><a href="${url}" style="color:#64748b">${label}</a>`)}`,
      ),
    ),
    // https://www.rfc-editor.org/rfc/rfc8058
    headers: { "List-Unsubscribe": `<${unsubscribe}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" },
  };
};
