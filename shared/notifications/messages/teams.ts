/**
 * Messages for Microsoft Teams: an Adaptive Card in the message that the trigger "When a Teams webhook request is received"
 * of Workflows takes.
 * https://learn.microsoft.com/en-us/connectors/teams/#microsoft-teams-webhook and
 * https://adaptivecards.io/explorer/AdaptiveCard.html
 */
import type { RiskLevel } from "../../terms/risk-levels.ts";
import {
  type Content,
  contentOf,
  cutTo,
  type Entry,
  type Fact,
  LEVEL_MARKS,
  type LeftOut,
  moreText,
} from "./content.ts";
import type { Notification } from "./notification.ts";

/**
 * A message has at most about 28 KB: https://learn.microsoft.com/en-us/connectors/teams/#known-issues-and-limitations-with-actions
 * Part of it is what Teams adds.
 */
const MAX_BYTES = 24_000;
const MAX_HEADLINE = 300;
const MAX_VALUE = 500;
const MAX_PARAGRAPH = 2_000;

const STYLES: Readonly<Record<RiskLevel, string>> = {
  CRITICAL: "attention",
  HIGH: "warning",
  MEDIUM: "accent",
  LOW: "emphasis",
};

type Look = { weight?: "Bolder"; size?: "Large"; isSubtle?: boolean };

/** A text run has no Markdown: https://learn.microsoft.com/en-us/adaptive-cards/authoring-cards/text-features */
const run = (text: string, look: Look = {}) => ({ type: "TextRun", text, ...look });

const richText = (...inlines: ReturnType<typeof run>[]) => ({ type: "RichTextBlock", inlines });

/** A time in the reader's zone, which only text blocks show. */
const timeBlock = (label: string, at: number) => {
  const time = `${new Date(at).toISOString().slice(0, 19)}Z`;
  return { type: "TextBlock", wrap: true, text: `**${label}:** {{DATE(${time}, SHORT)}} {{TIME(${time})}}` };
};

const factBlock = ({ label, value }: Fact) =>
  typeof value === "number"
    ? timeBlock(label, value)
    : richText(run(`${label}: `, { weight: "Bolder" }), run(cutTo(value, MAX_VALUE) || "–"));

const entryBlock = ({ level, title, change, url }: Entry) => ({
  type: "Container",
  separator: true,
  selectAction: { type: "Action.OpenUrl", title: "Open", url },
  items: [
    richText(run(`${LEVEL_MARKS[level]} ${cutTo(title, MAX_HEADLINE)}`), run(` · ${change}`, { isSubtle: true })),
  ],
});

const render = ({ headline, level, facts, paragraph, entries, leftOut, link }: Content, organizationId: string) => {
  const more = moreText(leftOut);
  const mark = level === undefined ? "" : `${LEVEL_MARKS[level]} `;
  const title = run(`${mark}${cutTo(headline, MAX_HEADLINE)}`, { weight: "Bolder", size: "Large" });
  const content = {
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    type: "AdaptiveCard",
    version: "1.5",
    body: [
      {
        type: "Container",
        bleed: true,
        style: level === undefined ? "emphasis" : STYLES[level],
        items: [richText(title)],
      },
      ...(paragraph === undefined || paragraph === "" ? [] : [richText(run(cutTo(paragraph, MAX_PARAGRAPH)))]),
      ...facts.map(factBlock),
      ...entries.map(entryBlock),
      ...(more === undefined ? [] : [richText(run(more, { isSubtle: true }))]),
      richText(run(`Organization ${cutTo(organizationId, MAX_VALUE)}`, { isSubtle: true })),
    ],
    ...(link !== undefined && { actions: [{ type: "Action.OpenUrl", title: link.label, url: link.url }] }),
  };
  const attachment = { contentType: "application/vnd.microsoft.card.adaptive", contentUrl: null, content };
  return JSON.stringify({ type: "message", attachments: [attachment] });
};

const withLeftOut = (leftOut: LeftOut, entries: readonly Entry[]): LeftOut => {
  const sums = { ...leftOut };
  for (const { level } of entries) sums[level] = (sums[level] ?? 0) + 1;
  return sums;
};

/** The body that is posted to the workflow. A summary that is too large lists fewer alerts. */
export const teamsMessage = (notification: Notification): string => {
  const content = contentOf(notification);
  const { entries } = content;
  for (let listed = entries.length; ; listed--) {
    const leftOut = withLeftOut(content.leftOut, entries.slice(listed));
    const shown = { ...content, entries: entries.slice(0, listed), leftOut };
    const message = render(shown, notification.organizationId);
    if (listed === 0 || Buffer.byteLength(message) <= MAX_BYTES) return message;
  }
};
