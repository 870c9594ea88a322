/**
 * The rules over the account's activity. They judge at once, when entries are read or a call is refused, by the time at
 * which things occurred. Pure: what was judged before has the same occurrence, and counts once.
 */
import type { AccountRule, Finding } from "../../security/alerts/finding.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../terms/hours.ts";
import { type RulesSettings, settingsOf, withLevel } from "../rule-settings.ts";
import { type ThresholdValues, valuesOf } from "../rules/thresholds.ts";
import {
  type AccountInput,
  type Entry,
  endsIn,
  fieldOf,
  findingOfStory,
  identityOfActor,
  isAccessChange,
  isWithin,
  partOf,
  subjectOfActor,
} from "./account-input.ts";
import { accountKinds } from "./account-kinds.ts";

type Judge = (input: AccountInput, set: ThresholdValues) => Finding[];

const freshOf = ({ entries, fresh }: AccountInput, isWanted: (entry: Entry) => boolean): Entry[] =>
  entries.filter((entry) => fresh.has(entry.activityId) && isWanted(entry));

const keyMadeByStranger: Judge = (input, set) => {
  const { baselineDays, knownAfterHours } = valuesOf(accountKinds.key_made_by_stranger.thresholds, set);
  return freshOf(input, (entry) => entry.kind === "api_key" && endsIn(entry, "created", "viewed")).flatMap((entry) => {
    const actor = identityOfActor(entry);
    const isKnown = input.entries.some(
      (one) =>
        identityOfActor(one) === actor &&
        one.occurredAt >= entry.occurredAt - baselineDays * DAY_MS &&
        one.occurredAt <= entry.occurredAt - knownAfterHours * HOUR_MS,
    );
    if (isKnown) return [];
    return [findingOfStory("key_made_by_stranger", subjectOfActor(entry), entry.eventId, [partOf(entry)])];
  });
};

/** Pairs of which at least one is new: an entry may be shown later than one that occurred after it. */
const payoutAfterAccess: Judge = ({ entries, fresh }, set) => {
  const { windowHours } = valuesOf(accountKinds.payout_after_access.thresholds, set);
  return entries
    .filter(({ kind }) => kind === "payout")
    .flatMap((payout) => {
      const before = entries.filter(
        (one) => isAccessChange(one) && isWithin(windowHours * HOUR_MS, one.occurredAt, payout.occurredAt),
      );
      const isNew = [payout, ...before].some(({ activityId }) => fresh.has(activityId));
      if (before.length === 0 || !isNew) return [];
      const story = [...before.map(partOf), partOf(payout)];
      return [findingOfStory("payout_after_access", "account", payout.eventId, story)];
    });
};

const personOf = (entry: Entry): unknown => fieldOf(entry, "invited_user_email") ?? fieldOf(entry, "user_email");

const makesAdministrator = (entry: Entry): boolean => {
  const roles = fieldOf(entry, entry.kind === "user_invite" ? "roles" : "new_roles");
  return Array.isArray(roles) && !endsIn(entry, "deleted") && roles.some((role) => String(role).includes("admin"));
};

/** Invited, made an administrator and removed within the window. */
const briefAdministrator = ({ entries }: AccountInput, removal: Entry, windowMs: number): Entry[] | undefined => {
  const person = personOf(removal);
  if (person === undefined) return undefined;
  const story = entries.filter(
    (one) => personOf(one) === person && isWithin(windowMs, one.occurredAt, removal.occurredAt),
  );
  const isWhole = story.some((one) => one.type === "user_invite_created") && story.some(makesAdministrator);
  return isWhole ? [...story.filter(({ activityId }) => activityId !== removal.activityId), removal] : undefined;
};

const accessBurst: Judge = (input, set) => {
  const { changes, windowMinutes, administratorHours } = valuesOf(accountKinds.access_burst.thresholds, set);
  return freshOf(input, isAccessChange).flatMap((entry) => {
    const actor = identityOfActor(entry);
    const ofWindow = input.entries.filter(
      (one) =>
        isAccessChange(one) &&
        identityOfActor(one) === actor &&
        isWithin(windowMinutes * MINUTE_MS, one.occurredAt, entry.occurredAt),
    );
    const isRemoval = ["user_invite", "user_roles"].includes(entry.kind ?? "") && endsIn(entry, "deleted");
    const brief = isRemoval ? briefAdministrator(input, entry, administratorHours * HOUR_MS) : undefined;
    const story = ofWindow.length >= changes ? ofWindow : brief;
    if (story === undefined) return [];
    return [findingOfStory("access_burst", subjectOfActor(entry), entry.eventId, story.map(partOf))];
  });
};

/** The provider's clock may be behind ours by less than this. */
const CLOCK_MS = MINUTE_MS;

/** An endpoint that this service has replaced is not its endpoint any more. */
const endpointTampered: Judge = (input, set) => {
  const { endpoint } = input;
  if (endpoint === undefined) return [];
  const { ownChangeMinutes } = valuesOf(accountKinds.endpoint_tampered.thresholds, set);
  const { id, changedAt = Number.NEGATIVE_INFINITY } = endpoint;
  const isOurs = ({ occurredAt }: Entry): boolean =>
    isWithin(ownChangeMinutes * MINUTE_MS + CLOCK_MS, changedAt - CLOCK_MS, occurredAt);
  return freshOf(
    input,
    (entry) =>
      entry.kind === "event_destination" &&
      endsIn(entry, "updated", "disabled", "deleted") &&
      fieldOf(entry, "id") === id &&
      !isOurs(entry),
  ).map((entry) => findingOfStory("endpoint_tampered", `endpoint:${id}`, entry.eventId, [partOf(entry)]));
};

/** Our refusals and the provider's entries in one story. */
const keySeenThenRefused: Judge = ({ entries, fresh, refusals }, set) => {
  const { windowHours } = valuesOf(accountKinds.key_seen_then_refused.thresholds, set);
  return refusals.flatMap((refusal) => {
    const before = entries.filter(
      (one) =>
        one.kind === "api_key" &&
        endsIn(one, "viewed", "updated", "deleted") &&
        isWithin(windowHours * HOUR_MS, one.occurredAt, refusal.at),
    );
    const isNew = fresh.has(refusal.eventId) || before.some(({ activityId }) => fresh.has(activityId));
    if (before.length === 0 || !isNew) return [];
    const refused = { eventId: refusal.eventId, at: refusal.at, what: "our call was refused" };
    const story = [...before.map(partOf), refused];
    return [findingOfStory("key_seen_then_refused", "account", refusal.eventId, story)];
  });
};

const judges: Readonly<Record<AccountRule, Judge>> = {
  key_made_by_stranger: keyMadeByStranger,
  key_seen_then_refused: keySeenThenRefused,
  payout_after_access: payoutAfterAccess,
  access_burst: accessBurst,
  endpoint_tampered: endpointTampered,
};

/** At most one finding of a rule and subject: that of its last story. */
const lastOfEach = (findings: readonly Finding[]): Finding[] => [
  ...new Map(findings.map((finding) => [`${finding.rule} ${finding.subject}`, finding])).values(),
];

/** Entries have no address, so known networks hide none. */
const withoutKnown = (input: AccountInput, users: readonly string[]): AccountInput => ({
  ...input,
  entries: input.entries.filter(({ actor: { email, apiKeyId } }) => !users.includes(email ?? apiKeyId ?? "")),
});

/** @param settings the organization's. */
export const judgeAccount = (input: AccountInput, settings: RulesSettings): Finding[] =>
  (Object.keys(judges) as AccountRule[]).flatMap((rule) => {
    const { enabled, level, thresholds, known } = settingsOf(settings, rule);
    if (!enabled) return [];
    const findings = lastOfEach(judges[rule](withoutKnown(input, known.users), thresholds));
    return findings.map((finding) => withLevel(finding, level));
  });
