/**
 * The rules over the account's activity. They judge at once, when entries are read or a call is refused, by the time at
 * which things occurred. Pure: what was judged before has the same occurrence, and counts once.
 */
import type { Finding } from "../../security/alerts/finding.ts";
import { DAY_MS, HOUR_MS } from "../../terms/hours.ts";
import {
  type AccountInput,
  type Entry,
  endsIn,
  fieldOf,
  findingOfStory,
  identityOfActor,
  isAccessChange,
  isWithinDay,
  partOf,
  subjectOfActor,
} from "./account-input.ts";

const BASELINE_MS = 28 * DAY_MS;
/** An actor is known from this long after its first entry of any type. */
const KNOWN_AFTER_MS = DAY_MS;
const BURST = 5;

const freshOf = ({ entries, fresh }: AccountInput, isWanted: (entry: Entry) => boolean): Entry[] =>
  entries.filter((entry) => fresh.has(entry.activityId) && isWanted(entry));

const keyMadeByStranger = (input: AccountInput): Finding[] =>
  freshOf(input, (entry) => entry.kind === "api_key" && endsIn(entry, "created", "viewed")).flatMap((entry) => {
    const actor = identityOfActor(entry);
    const isKnown = input.entries.some(
      (one) =>
        identityOfActor(one) === actor &&
        one.occurredAt >= entry.occurredAt - BASELINE_MS &&
        one.occurredAt <= entry.occurredAt - KNOWN_AFTER_MS,
    );
    if (isKnown) return [];
    const described = {
      rule: "key_made_by_stranger",
      subject: subjectOfActor(entry),
      title: "A key of the account was made or shown to somebody who was not seen in 28 days",
      level: "HIGH",
      attack: [{ tactic: "TA0003", technique: "T1098.001" }],
      message: "Ask this person. If it was not them, delete the key at the provider and remove their access.",
    } as const;
    return [findingOfStory(described, entry.eventId, [partOf(entry)])];
  });

/** Pairs of which at least one is new: an entry may be shown later than one that occurred after it. */
const payoutAfterAccess = ({ entries, fresh }: AccountInput): Finding[] =>
  entries
    .filter(({ kind }) => kind === "payout")
    .flatMap((payout) => {
      const before = entries.filter((one) => isAccessChange(one) && isWithinDay(one.occurredAt, payout.occurredAt));
      const isNew = [payout, ...before].some(({ activityId }) => fresh.has(activityId));
      if (before.length === 0 || !isNew) return [];
      const described = {
        rule: "payout_after_access",
        subject: "account",
        title: "The settings of payouts were changed within a day after a change of access",
        level: "CRITICAL",
        attack: [{ tactic: "TA0040", technique: "T1657" }],
        message: "Check the payout destination at the provider at once, and stop payouts if it is not yours.",
      } as const;
      return [findingOfStory(described, payout.eventId, [...before.map(partOf), partOf(payout)])];
    });

const personOf = (entry: Entry): unknown => fieldOf(entry, "invited_user_email") ?? fieldOf(entry, "user_email");

const makesAdministrator = (entry: Entry): boolean => {
  const roles = fieldOf(entry, entry.kind === "user_invite" ? "roles" : "new_roles");
  return Array.isArray(roles) && !endsIn(entry, "deleted") && roles.some((role) => String(role).includes("admin"));
};

/** Invited, made an administrator and removed within a day. */
const briefAdministrator = (input: AccountInput, removal: Entry): Entry[] | undefined => {
  const person = personOf(removal);
  if (person === undefined) return undefined;
  const story = input.entries.filter(
    (one) => personOf(one) === person && isWithinDay(one.occurredAt, removal.occurredAt),
  );
  const isWhole = story.some((one) => one.type === "user_invite_created") && story.some(makesAdministrator);
  return isWhole ? [...story.filter(({ activityId }) => activityId !== removal.activityId), removal] : undefined;
};

const accessBurst = (input: AccountInput): Finding[] =>
  freshOf(input, isAccessChange).flatMap((entry) => {
    const actor = identityOfActor(entry);
    const ofHour = input.entries.filter(
      (one) =>
        isAccessChange(one) &&
        identityOfActor(one) === actor &&
        one.occurredAt <= entry.occurredAt &&
        entry.occurredAt - one.occurredAt <= HOUR_MS,
    );
    const isRemoval = ["user_invite", "user_roles"].includes(entry.kind ?? "") && endsIn(entry, "deleted");
    const story = ofHour.length >= BURST ? ofHour : isRemoval ? briefAdministrator(input, entry) : undefined;
    if (story === undefined) return [];
    const described = {
      rule: "access_burst",
      subject: subjectOfActor(entry),
      title: "Many changes of access to the account in a short time",
      level: "HIGH",
      attack: [{ tactic: "TA0003", technique: "T1098" }],
      message: "Compare users, roles and keys at the provider with what your team has changed.",
    } as const;
    return [findingOfStory(described, entry.eventId, story.map(partOf))];
  });

/** This service never changes its endpoint, and one that it has replaced is not its endpoint any more. */
const endpointTampered = (input: AccountInput): Finding[] =>
  freshOf(
    input,
    (entry) =>
      entry.kind === "event_destination" &&
      endsIn(entry, "updated", "disabled", "deleted") &&
      input.endpointId !== undefined &&
      fieldOf(entry, "id") === input.endpointId,
  ).map((entry) => {
    const described = {
      rule: "endpoint_tampered",
      subject: `endpoint:${input.endpointId}`,
      title: "Our webhook endpoint was changed at the provider by others",
      level: "HIGH",
      attack: [{ tactic: "TA0005", technique: "T1562" }],
      message: "Connect again with a new webhook registration. A sync run reads what was missed.",
    } as const;
    return findingOfStory(described, entry.eventId, [partOf(entry)]);
  });

/** Our refusals and the provider's entries in one story. */
const keySeenThenRefused = ({ entries, fresh, refusals }: AccountInput): Finding[] =>
  refusals.flatMap((refusal) => {
    const before = entries.filter(
      (one) =>
        one.kind === "api_key" &&
        endsIn(one, "viewed", "updated", "deleted") &&
        isWithinDay(one.occurredAt, refusal.at),
    );
    const isNew = fresh.has(refusal.eventId) || before.some(({ activityId }) => fresh.has(activityId));
    if (before.length === 0 || !isNew) return [];
    const described = {
      rule: "key_seen_then_refused",
      subject: "account",
      title: "A key of the account was seen or changed, and our calls were refused within a day",
      level: "CRITICAL",
      attack: [{ tactic: "TA0006", technique: "T1552" }],
      message: "Roll all keys of the account, look for users you do not know, and connect again with a new key.",
    } as const;
    const refused = { eventId: refusal.eventId, at: refusal.at, what: "our call was refused" };
    return [findingOfStory(described, refusal.eventId, [...before.map(partOf), refused])];
  });

/** At most one finding of a rule and subject: that of its last story. */
const lastOfEach = (findings: readonly Finding[]): Finding[] => [
  ...new Map(findings.map((finding) => [`${finding.rule} ${finding.subject}`, finding])).values(),
];

export const judgeAccount = (input: AccountInput): Finding[] =>
  [keyMadeByStranger, keySeenThenRefused, payoutAfterAccess, accessBurst, endpointTampered].flatMap((judge) =>
    lastOfEach(judge(input)),
  );
