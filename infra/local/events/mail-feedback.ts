import type { Clock } from "../core/clock.ts";
import type { StackModel } from "../core/model.ts";
import type { EventBuses } from "./event-buses.ts";

/** A mail that SES has accepted. `tags` are those of the request. */
export type AcceptedMail = {
  messageId: string;
  configurationSet: string | undefined;
  from: string;
  recipients: readonly string[];
  tags: Readonly<Record<string, string>>;
};

type Answer = {
  type: "bounce" | "complaint";
  detailType: string;
  eventType: string;
  /** The part of the detail that describes what happened. @param recipients the addresses. @param timestamp ISO 8601. */
  describe(recipients: readonly { emailAddress: string }[], timestamp: string): Record<string, unknown>;
};

const bounce = (bounceType: string, bounceSubType: string): Answer => ({
  type: "bounce",
  detailType: "Email Bounced",
  eventType: "Bounce",
  describe: (bouncedRecipients, timestamp) => ({ bounce: { bounceType, bounceSubType, bouncedRecipients, timestamp } }),
});

/** The first pattern that an address matches says how its side answers; other addresses take every mail. */
const answers: readonly (readonly [RegExp, Answer])[] = [
  [/^transient[^@]*@bounce\.example$/i, bounce("Transient", "MailboxFull")],
  [/@bounce\.example$/i, bounce("Permanent", "General")],
  [
    /@complaint\.example$/i,
    {
      type: "complaint",
      detailType: "Email Complaint Received",
      eventType: "Complaint",
      describe: (complainedRecipients, timestamp) => ({
        complaint: { complainedRecipients, timestamp, complaintFeedbackType: "abuse" },
      }),
    },
  ],
];

/**
 * Publishes bounces and complaints as a configuration set says.
 * https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-examples.html (the events' details)
 */
export const createMailFeedback = (options: {
  model: Pick<StackModel, "configurationSets" | "region" | "accountId">;
  buses: Pick<EventBuses, "publish">;
  clock: Pick<Clock, "now">;
}) => {
  const { model, buses, clock } = options;
  return {
    /** Whether a configuration set exists: the template makes it, or publishes its events. */
    exists: (name: string): boolean => model.configurationSets.some((set) => set.name === name),

    /** Publishes what the recipients' sides answer to a mail. */
    answer({ messageId, configurationSet, from, recipients, tags }: AcceptedMail): void {
      const sets = model.configurationSets.filter(({ name }) => name === configurationSet);
      const timestamp = new Date(clock.now()).toISOString();
      const ownTags = { "ses:configuration-set": configurationSet, ...tags };
      const mail = {
        timestamp,
        messageId,
        source: from,
        sendingAccountId: model.accountId,
        destination: recipients,
        tags: Object.fromEntries(Object.entries(ownTags).map(([name, value]) => [name, [value]])),
      };
      for (const recipient of recipients) {
        const [, answer] = answers.find(([pattern]) => pattern.test(recipient)) ?? [];
        if (answer === undefined) continue;
        const { type, detailType, eventType } = answer;
        const detail = { eventType, mail, ...answer.describe([{ emailAddress: recipient }], timestamp) };
        for (const { busName } of sets.flatMap(({ events }) => events.filter((event) => event.type === type)))
          buses.publish(busName, { source: "aws.ses", detailType, detail });
      }
    },
  };
};

export type MailFeedback = ReturnType<typeof createMailFeedback>;
