/** Destinations of notifications in words: their types, their state and what to do about it. Pure. docs/notifications.md. */
import type { Destination } from "../../api/types.ts";
import { formatDuration, type Tone } from "../../words/format.ts";
import { levelNames, levels } from "../../words/levels.ts";
import { zoneName } from "../../words/local-time.ts";
import { ruleName } from "../alerts/words.ts";

export type DestinationType = Destination["type"];

/** `text`: what arrives there. `target`: what its address is called. */
export const types: Readonly<Record<DestinationType, { name: string; text: string; target: string }>> = {
  webhook: {
    name: "Webhook",
    text: "Signed POST requests to a server of yours, as the Standard Webhooks specification defines them.",
    target: "URL",
  },
  email: {
    name: "E-mail",
    text: "Messages to one address, which first has to be confirmed by a link. It can also get reports.",
    target: "E-mail address",
  },
  slack: { name: "Slack", text: "Messages in a channel of Slack, through an incoming webhook.", target: "Webhook URL" },
  teams: {
    name: "Microsoft Teams",
    text: "Cards in a channel or chat of Teams, through a workflow with a webhook.",
    target: "Webhook URL",
  },
};

export const isType = (text: string | undefined): text is DestinationType =>
  text !== undefined && Object.hasOwn(types, text);

const DAY = 24 * 3_600_000;
/** A destination that fails for this long is paused. */
const PAUSED_AFTER_MS = 5 * DAY;

/** `text`: why it is so and what to do; undefined if all is well. */
export type State = { tone: Tone; name: string; text?: string };

/** What became of a mail for good, and what to do. */
const returnedMail = (because: Destination["failingBecause"], target: string): string =>
  because === "complained"
    ? `A reader of ${target} reported a message as spam. Ask before you resume it: it must be confirmed again.`
    : `The mail server of ${target} refuses the address. Correct it, or resume it to ask for another confirmation.`;

const pausedState = ({ pausedBecause, failingBecause, failingSince, pausedAt, target }: Destination): State => {
  switch (pausedBecause) {
    case "failing": {
      if (failingBecause !== undefined)
        return { tone: "bad", name: "Paused", text: returnedMail(failingBecause, target) };
      const from = failingSince ?? pausedAt;
      const ms = from === undefined || pausedAt === undefined ? PAUSED_AFTER_MS : Math.max(0, pausedAt - from);
      const days = Math.max(1, Math.floor(ms / DAY));
      return {
        tone: "bad",
        name: "Paused",
        text: `Each try failed for ${days === 1 ? "a day" : `${days} days`}, so nothing is sent any more. Find the cause in the deliveries, then resume it and send a test.`,
      };
    }
    case "gone":
      return {
        tone: "bad",
        name: "Paused",
        text: "The receiver answered 410 Gone: it wants no more notifications. Enter its new address and resume it, or delete it.",
      };
    case "unsubscribed":
      return {
        tone: "warn",
        name: "Paused",
        text: `A reader of ${target} unsubscribed by the link in a message. Ask before you resume it.`,
      };
    default:
      return { tone: "quiet", name: "Paused", text: "A user paused it. Nothing is sent until it is resumed." };
  }
};

/** @param now epoch milliseconds */
export const stateOf = (destination: Destination, now: number): State => {
  const { status, target, failingSince, failingBecause } = destination;
  if (status === "paused") return pausedState(destination);
  if (status === "unconfirmed")
    return {
      tone: "accent",
      name: "Unconfirmed",
      text: `Open the link in the message that was sent to ${target}. It works for 48 hours. Nothing else is sent before.`,
    };
  if (failingSince === undefined) return { tone: "good", name: "Active" };
  const ms = Math.max(0, now - failingSince);
  if (failingBecause !== undefined)
    return {
      tone: "warn",
      name: "Failing",
      text: `The last message to ${target} came back, such as from a full mailbox.`,
    };
  return {
    tone: "warn",
    name: "Failing",
    text: `Each try has failed for ${formatDuration(ms)}. The service goes on trying, and pauses the destination after 5 days without a success.`,
  };
};

export const changeNames: Readonly<Record<string, string>> = {
  raised: "Raised",
  escalated: "Escalated to a higher level",
  resolved: "Resolved",
};

const list = new Intl.ListFormat("en", { type: "conjunction" });
const inWords = (values: readonly string[], names: Readonly<Record<string, string>>): string =>
  list.format(values.map((value) => names[value]?.toLowerCase() ?? value));

/** What a destination gets, such as "Alerts of level critical and high, when raised". Reports are named apart. */
export const selectionInWords = ({
  filter: { levels: chosen, rules, changes },
}: Pick<Destination, "filter">): string => {
  if (changes?.length === 0) return "No alerts";
  const sorted = chosen && levels.filter((level) => chosen.includes(level));
  return [
    sorted === undefined ? "Alerts of all levels" : `Alerts of level ${inWords(sorted, levelNames)}`,
    ...(rules === undefined ? [] : [rules.length === 1 ? "of one rule" : `of ${rules.length} rules`]),
    ...(changes === undefined ? [] : [`when ${inWords(changes, { ...changeNames, escalated: "escalated" })}`]),
  ].join(", ");
};

export const ruleNames = (rules: readonly string[]): string => rules.map(ruleName).join(", ");

/** When a destination gets single notifications, and when summaries. */
export const rhythmInWords = ({ digest }: Pick<Destination, "digest">): string => {
  if (digest === undefined) return "At once";
  // A request may leave both out; an answer has them.
  const { every, at = "08:00", timeZone = "UTC" } = digest;
  return every === "hour" ? "One summary an hour" : `One summary a day at ${at}, ${zoneName(timeZone)}`;
};

export const quietInWords = ({ quietHours }: Pick<Destination, "quietHours">): string | undefined =>
  quietHours &&
  `${quietHours.from} to ${quietHours.to}, ${zoneName(quietHours.timeZone)}${quietHours.exceptCritical ? "; critical alerts are sent at once" : ""}`;

export const reportNames: Readonly<Record<string, string>> = {
  daily: "Daily compliance report",
  weekly: "Weekly security review",
  monthly: "Monthly report",
};
