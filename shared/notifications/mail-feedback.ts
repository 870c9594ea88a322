/**
 * Bounces and complaints: what the recipient's side answers to mails that SES has accepted. A mail names its destination by
 * tags, which SES's events repeat. Pure. docs/notifications.md, "Bounces and complaints".
 */
import * as z from "zod/mini";

/** What became of a mail. `bounced`: its server refused it. `complained`: its reader reported it as spam. */
export const mailFailures = ["bounced", "complained"] as const;
export type MailFailure = (typeof mailFailures)[number];

/**
 * SES's event, without the mail's headers, which contain keys of links (infra/constructs/mail-events.ts picks the fields).
 * `at`: when the recipient's side answered, in ISO 8601. A complaint has no `bounceType`.
 * https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html
 */
export const MailFeedback = z.object({
  tags: z.record(z.string(), z.array(z.string())),
  recipients: z.array(z.string()),
  at: z.string(),
  bounceType: z.optional(z.string()),
});
export type MailFeedback = z.output<typeof MailFeedback>;

/** An organization and one of its destinations. */
type Owner = { organizationId: string; destinationId: string };

/** A tag's value has at most 256 letters, digits, `-` and `_`. https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_MessageTag.html */
const MAX_TAG_CHARACTERS = 256;

const DESTINATION_TAG = "destination";
const organizationTag = (part: number): string => `organization-${part}`;

/** The tags of a mail to a destination. A long organization id has several. */
export const mailTags = ({ organizationId, destinationId }: Owner): Record<string, string> => {
  const encoded = Buffer.from(organizationId).toString("base64url");
  const parts = encoded.match(new RegExp(`.{1,${MAX_TAG_CHARACTERS}}`, "g")) ?? [];
  const organization = parts.map((part, index) => [organizationTag(index), part]);
  return Object.fromEntries([[DESTINATION_TAG, destinationId], ...organization]);
};

/** The destination that the tags of a mail name; undefined for a mail of another sender. */
export const ownerOf = (tags: MailFeedback["tags"]): Owner | undefined => {
  const parts: string[] = [];
  for (let part = tags[organizationTag(0)]; part !== undefined; part = tags[organizationTag(parts.length)])
    parts.push(part.join());
  const destinationId = tags[DESTINATION_TAG]?.join();
  if (destinationId === undefined || parts.length === 0) return undefined;
  return { organizationId: Buffer.from(parts.join(""), "base64url").toString(), destinationId };
};

/** `isFinal`: another mail would fare no better. SES has repeated a transient bounce itself for hours. */
export const failureOf = ({ bounceType }: MailFeedback): { because: MailFailure; isFinal: boolean } =>
  bounceType === undefined
    ? { because: "complained", isFinal: true }
    : { because: "bounced", isFinal: bounceType === "Permanent" };

/** Whether the mail went to the address. */
export const isSentTo = ({ recipients }: MailFeedback, address: string): boolean =>
  recipients.some((recipient) => recipient.toLowerCase() === address.toLowerCase());
