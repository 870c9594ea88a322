/** Every notification in every channel: documented limits, published schemas, hostile texts. */
import { createRequire } from "node:module";
import { describe, expect, it } from "@jest/globals";
import { Ajv } from "ajv";
import { Webhook } from "standardwebhooks";
import { mailOf } from "../../../../shared/notifications/messages/mail.ts";
import { parseNotification } from "../../../../shared/notifications/messages/notification.ts";
import { slackMessage } from "../../../../shared/notifications/messages/slack.ts";
import { teamsMessage } from "../../../../shared/notifications/messages/teams.ts";
import { webhookBody, webhookHeaders } from "../../../../shared/notifications/messages/webhook.ts";
import { fc } from "../../../support/fixed-seed.ts";
import { HOSTILE, notificationsWith } from "./samples.ts";

/** Microsoft's own reader of cards. Its modules have imports that Node does not resolve, so its bundle is used. */
const { AdaptiveCard, SerializationContext }: typeof import("adaptivecards") = createRequire(import.meta.url)(
  "adaptivecards/dist/adaptivecards.js",
);

/** What the reader objects to in a card, and the card as it was understood: without what the reader does not know. */
const readCard = (content: object) => {
  const context = new SerializationContext();
  const card = new AdaptiveCard();
  card.parse(content, context);
  const objections = Array.from({ length: context.eventCount }, (_, i) => context.getEventAt(i).message);
  return { objections, understood: card.toJSON() as unknown };
};

const ajv = new Ajv({ strict: false });

const textObject = (max: number) => ({
  type: "object",
  required: ["type", "text"],
  properties: {
    type: { enum: ["plain_text", "mrkdwn"] },
    text: { type: "string", minLength: 1, maxLength: max },
    emoji: { const: false },
    verbatim: { const: true },
  },
  additionalProperties: false,
});
const block = (properties: object, required: string[]) => ({
  type: "object",
  properties,
  required: ["type", ...required],
  additionalProperties: false,
});
/** Slack publishes no schema; these are the limits of https://docs.slack.dev/reference/block-kit/blocks */
const isSlackMessage = ajv.compile({
  type: "object",
  required: ["text", "blocks"],
  properties: {
    text: { type: "string", minLength: 1, maxLength: 40_000 },
    blocks: {
      type: "array",
      minItems: 1,
      maxItems: 50,
      items: {
        anyOf: [
          block({ type: { const: "header" }, text: textObject(150) }, ["text"]),
          block(
            {
              type: { const: "section" },
              text: textObject(3_000),
              fields: { type: "array", minItems: 1, maxItems: 10, items: textObject(2_000) },
            },
            [],
          ),
          block(
            {
              type: { const: "context" },
              elements: { type: "array", minItems: 1, maxItems: 10, items: textObject(3_000) },
            },
            ["elements"],
          ),
        ],
      },
    },
  },
});

type TextObject = { type: string; text: string };
const textObjectsOf = (value: unknown): TextObject[] => {
  if (typeof value !== "object" || value === null) return [];
  const own = "type" in value && "text" in value && typeof value.text === "string" ? [value as TextObject] : [];
  return [...own, ...Object.values(value).flatMap(textObjectsOf)];
};

const links = { unsubscribe: "https://api.example.com/link?key=abc" };

const cases = HOSTILE.concat("Five failed sign-ins").flatMap((text) =>
  notificationsWith(text).map(
    (notification) => [notification.type, JSON.stringify(text.slice(0, 30)), notification] as const,
  ),
);

describe("messages", () => {
  it.each(cases)("%s with %s keeps the limits and schemas of every channel", (_type, _text, notification) => {
    const slack: unknown = JSON.parse(slackMessage(notification));
    expect([isSlackMessage(slack), isSlackMessage.errors]).toEqual([true, null]);
    const teams = teamsMessage(notification);
    const { content } = JSON.parse(teams).attachments[0];
    expect(readCard(content)).toEqual({ objections: [], understood: content });
    expect(Buffer.byteLength(teams)).toBeLessThanOrEqual(28 * 1_024);
    expect(teams.isWellFormed() && slackMessage(notification).isWellFormed()).toBe(true);
    const mail = mailOf(notification, links);
    expect(mail.subject).toMatch(/^[^\p{Cc}]{1,150}$/u);
    expect(JSON.parse(webhookBody(notification)).data).toEqual(JSON.parse(JSON.stringify(notification.data)));
  });

  it.each(HOSTILE)("%j stays a text", (text) => {
    for (const notification of notificationsWith(text)) {
      for (const { type, text: shown } of textObjectsOf(JSON.parse(slackMessage(notification)))) {
        // Only our own markup has links, and only dates and the console's URL.
        if (type === "plain_text") expect(shown).not.toMatch(/[<>]/);
        for (const [, target] of shown.matchAll(/<([^>|]*)/g))
          expect(target).toMatch(/^(?:!date\^|https:\/\/api\.example\.com\/)/);
      }
      for (const { type, text: shown } of textObjectsOf(JSON.parse(teamsMessage(notification))))
        if (type === "TextBlock")
          expect(shown).toMatch(/^\*\*[A-Za-z ]+:\*\* \{\{DATE\(\S+, SHORT\)\}\} \{\{TIME\(\S+\)\}\}$/);
      const { html, headers } = mailOf(notification, links);
      expect(html).not.toMatch(/<script|<img|onerror=alert\(1\)>|[\u202a-\u202e\u2066-\u2069]/);
      for (const value of Object.values(headers)) expect(value).not.toMatch(/[\r\n]/);
    }
  });

  it("escapes every text", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."<>&!|@*é🛡"), maxLength: 400 }), (text) => {
        for (const notification of notificationsWith(text)) {
          const slack = JSON.parse(slackMessage(notification));
          expect(isSlackMessage(slack)).toBe(true);
          for (const { type, text: shown } of textObjectsOf(slack))
            if (type === "plain_text") expect(shown.replace(/&(?:amp|lt|gt);/g, "")).not.toMatch(/[<>&]/);
        }
      }),
      { numRuns: 20 },
    );
  });

  it("show an alert in the words of each channel", () => {
    const [raised, escalated, resolved] = notificationsWith("Five failed sign-ins");
    if (raised === undefined || escalated === undefined || resolved === undefined)
      throw new Error("A sample is missing.");
    const slack = JSON.parse(slackMessage(raised));
    expect(slack.text).toBe("🟠 HIGH: Five failed sign-ins");
    expect(slack.blocks.at(-2).text.text).toBe(
      "*<https://api.example.com/console/alerts?alert=01ABC&tab=open|Open the alert>*",
    );
    expect(mailOf(escalated, links).subject).toBe("🟠 Now HIGH: Five failed sign-ins");
    expect(mailOf(escalated, links).text).toContain(
      "Level: HIGH (was MEDIUM)\nSubject: Five failed sign-ins\nRule: Repeated auth failures\nOccurrences: 3\nLast seen: 2026-11-22 21:19 UTC",
    );
    expect(mailOf(resolved, links).headers).toEqual({
      "List-Unsubscribe": "<https://api.example.com/link?key=abc>",
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    });
    const { attachments } = JSON.parse(teamsMessage(raised));
    expect(attachments[0].content.actions).toEqual([
      {
        type: "Action.OpenUrl",
        title: "Open the alert",
        url: "https://api.example.com/console/alerts?alert=01ABC&tab=open",
      },
    ]);
  });

  it("counts the alerts that a summary cannot list, by level", () => {
    const summary = notificationsWith("x".repeat(5_000)).find((one) => one.type === "security.alerts.summary");
    if (summary === undefined) throw new Error("A sample is missing.");
    for (const alert of summary.data.alerts) alert.url += "x".repeat(2_000);
    for (const message of [slackMessage(summary), mailOf(summary, links).text, mailOf(summary, links).html])
      expect(message).toContain("and 1980 more: 3 CRITICAL, 1977 HIGH");
    const listed = teamsMessage(summary).match(/"separator":true/g)?.length ?? 0;
    expect(listed).toBeLessThan(20);
    expect(teamsMessage(summary)).toContain(`and ${2_000 - listed} more: 3 CRITICAL, ${1_997 - listed} HIGH`);
  });

  it.each([
    "Your account is locked. Go to https://evil.example/unlock",
    "www.evil.example",
    "evil.example/a?b",
    "evil\u3002example evil\uff0eexample evil\uff61example evil\u2024example",
    "ada@evil.example",
    "mailto:ada@evil.example",
    "https\uff1a\uff0f\uff0fevil.example",
    "https:\\\\evil.example",
    "evil.\u2060example",
  ])("shows the name %j in a mail as a text that is no link", (name) => {
    const mails = notificationsWith("x").filter(({ type }) => /test|confirmation/.test(type));
    expect(mails).toHaveLength(2);
    for (const notification of mails) {
      const data = { ...notification.data, destination: { id: "01D", name } };
      const named = parseNotification(JSON.stringify({ ...notification, organizationId: name, data }));
      const { subject, text, html } = mailOf(named, links);
      const visible = html.replace(/<[^>]*>/g, " ");
      for (const part of [subject, text.replaceAll(links.unsubscribe, ""), visible]) {
        const shown = part.replaceAll(/\d\d:\d\d UTC/g, "");
        expect(shown).not.toMatch(/[\p{L}\p{N}][.\u3002:@/\\]+[^\s.:@/\\]/u);
        expect(shown).not.toMatch(/[\uff0e\uff61\u2024\uff1a\uff0f]/);
      }
      expect(text).toContain("evil");
    }
  });

  it("shows a name without such characters as it is", () => {
    const [sample] = notificationsWith("On-call (night), Müller & Co.").filter(({ type }) => /test/.test(type));
    if (sample === undefined) throw new Error("A sample is missing.");
    expect(mailOf(sample, links).text).toContain("Destination: On-call (night), Müller & Co.\n");
  });

  it("has a link against mails that are not for the recipient, if it asks to confirm", () => {
    const confirmation = notificationsWith("Ops").at(-1);
    if (confirmation === undefined) throw new Error("A sample is missing.");
    const { html, text } = mailOf(confirmation, { ...links, confirm: "https://a/?key=1", notMe: "https://a/?key=2" });
    expect(text).toContain("This was not me: https://a/?key=2\n");
    expect(html).toContain('<a href="https://a/?key=2"');
  });

  it("puts the link of a confirmation in the mail", () => {
    const confirmation = notificationsWith("Ops").at(-1);
    if (confirmation === undefined) throw new Error("A sample is missing.");
    const { html, text } = mailOf(confirmation, { ...links, confirm: "https://api.example.com/link?key=xyz&a=b" });
    expect(text).toContain("Confirm: https://api.example.com/link?key=xyz&a=b");
    expect(html).toContain('href="https://api.example.com/link?key=xyz&amp;a=b"');
  });
});

describe("a webhook", () => {
  const secrets = [
    `whsec_${Buffer.alloc(32, 1).toString("base64")}`,
    `whsec_${Buffer.alloc(32, 2).toString("base64")}`,
  ];
  const [notification] = notificationsWith("Five failed sign-ins");
  if (notification === undefined) throw new Error("A sample is missing.");
  const body = webhookBody(notification);

  it("has an ISO time, and epoch milliseconds inside data", () => {
    const { timestamp, data } = JSON.parse(body);
    expect([timestamp, data.alert.lastSeen]).toEqual(["2026-11-22T21:19:00.000Z", Date.UTC(2026, 10, 22, 21, 19)]);
    expect(parseNotification(JSON.stringify(notification))).toEqual(notification);
  });

  it("is verified with either secret while it is rolled, and with no other", () => {
    const headers = webhookHeaders({ id: "01D_01E", at: Date.now(), body, secrets });
    expect(headers["webhook-signature"]).toMatch(/^v1,\S+ v1,\S+$/);
    for (const secret of secrets) expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
    const other = new Webhook(`whsec_${Buffer.alloc(32, 3).toString("base64")}`);
    expect(() => other.verify(body, headers)).toThrow("No matching signature");
    expect(() => new Webhook(secrets[0] ?? "").verify(`${body} `, headers)).toThrow("No matching signature");
    expect(() => new Webhook(secrets[0] ?? "").verify(body, { ...headers, "webhook-id": "x" })).toThrow();
  });
});
