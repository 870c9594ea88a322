/**
 * Messages for Slack's incoming webhooks, made of blocks.
 * https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
 */
import { type Content, contentOf, cutTo, type Entry, type Fact, LEVEL_MARKS, moreText, timeText } from "./content.ts";
import type { Notification } from "./notification.ts";

/**
 * Limits in characters and numbers: https://docs.slack.dev/reference/block-kit/blocks/header-block,
 * https://docs.slack.dev/reference/block-kit/blocks/section-block and
 * https://docs.slack.dev/reference/block-kit/blocks (50 blocks in a message).
 */
const MAX_HEADER = 150;
const MAX_TEXT = 3_000;
const MAX_FIELD = 2_000;
const MAX_FIELDS = 10;
/** Slack cuts the text of a notification at 40,000 characters; a line is enough. */
const MAX_FALLBACK = 300;
const MAX_TITLE = 300;

/**
 * The three characters that begin links, mentions (`<!channel>`, `<@user>`) and entities.
 * https://docs.slack.dev/messaging/formatting-message-text#escaping
 */
const escapeMarkup = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Text of others: without markup, emoji names and links. */
const plain = (text: string, max: number) => ({
  type: "plain_text",
  text: cutTo(text, max, escapeMarkup),
  emoji: false,
});

/** Our own text with markup. `verbatim`: Slack finds no links and names in it by itself. */
const marked = (text: string) => ({ type: "mrkdwn", text, verbatim: true });

/** A time in the reader's zone. https://docs.slack.dev/messaging/formatting-message-text#date-formatting */
const time = (at: number): string => `<!date^${Math.floor(at / 1000)}^{date_short_pretty} {time}|${timeText(at)}>`;

/** A link. The URL is ours; characters that would end it are encoded. */
const link = (label: string, url: string): string =>
  `<${url.replace(/[<>|\s]/g, encodeURIComponent)}|${escapeMarkup(label)}>`;

const fieldsOf = (facts: readonly Fact[]) =>
  facts.flatMap(({ label, value }) => [
    marked(`*${label}*`),
    typeof value === "number" ? marked(time(value)) : plain(value === "" ? "–" : value, MAX_FIELD),
  ]);

/** Sections of at most ten fields: names on the left, values on the right. */
const factSections = (facts: readonly Fact[]) => {
  const fields = fieldsOf(facts);
  const sections = [];
  for (let i = 0; i < fields.length; i += MAX_FIELDS) {
    sections.push({ type: "section", fields: fields.slice(i, i + MAX_FIELDS) });
  }
  return sections;
};

const entrySection = ({ level, title, change, at, url }: Entry) => ({
  type: "section",
  fields: [
    plain(`${LEVEL_MARKS[level]} ${title}`, MAX_TITLE),
    marked(`${change} · ${time(at)} · ${link("Open", url)}`),
  ],
});

const headlineOf = ({ level, headline }: Content): string =>
  level === undefined ? headline : `${LEVEL_MARKS[level]} ${headline}`;

/** The body that is posted to the webhook: at most 28 blocks. */
export const slackMessage = (notification: Notification): string => {
  const content = contentOf(notification);
  const { facts, paragraph, entries, leftOut } = content;
  const more = moreText(leftOut);
  const blocks = [
    { type: "header", text: plain(headlineOf(content), MAX_HEADER) },
    ...(paragraph === undefined || paragraph === "" ? [] : [{ type: "section", text: plain(paragraph, MAX_TEXT) }]),
    ...factSections(facts),
    ...entries.map(entrySection),
    ...(more === undefined ? [] : [{ type: "context", elements: [marked(more)] }]),
    // A link, not a button: Slack marks a button of an app that takes no interactions with a warning.
    ...(content.link === undefined
      ? []
      : [{ type: "section", text: marked(`*${link(content.link.label, content.link.url)}*`) }]),
    { type: "context", elements: [plain(`Organization ${notification.organizationId}`, MAX_FIELD)] },
  ];
  const text = cutTo(headlineOf(content), MAX_FALLBACK, escapeMarkup);
  return JSON.stringify({ text, blocks, unfurl_links: false, unfurl_media: false });
};
