/** What an erasure does to the results of detection: of a user, only what mentions the user is deleted. */
import { encodeJson } from "../json/encode-json.ts";
import { reviveExactly } from "../json/revive-exactly.ts";
import { createUserMatcher, type UserMatcher } from "../terms/mentions-user.ts";
import {
  type DataLocation,
  type Decision,
  type Partition,
  partitionLocation,
  type StoredItem,
} from "../work/location.ts";
import { DELETED_CUSTOM_PREFIX, isRuleKey } from "./custom-rules/custom-rule-item.ts";
import { ruleWithoutUser } from "./custom-rules/erase-rule.ts";
import { userHash, userKey } from "./detection.ts";

const identity = { name: "detection", counter: "detections" } as const;

/** Due marks of hours contain no personal data, and detection continues. */
const UNJUDGED = "unjudged#";

export const allDetection = (detection: Partition): DataLocation =>
  partitionLocation(
    identity,
    detection,
    (items) => items.map(({ sortKey }) => (sortKey.startsWith(UNJUDGED) ? undefined : "delete")),
    { attributes: [] },
  );

/** Fields of facts and findings whose texts the service wrote itself. */
const OWN_WORDS: readonly string[] = [
  "id",
  "type",
  "category",
  "riskLevel",
  "source",
  "resourceType",
  "action",
  "errorCode",
  "permission",
  "trigger",
  "rule",
  "level",
  "occurrence",
  "eventIds",
];

const mentionsUser = (element: unknown, { mentions }: UserMatcher): boolean => {
  if (typeof element !== "object" || element === null) return mentions(element);
  return Object.entries(element).some(([key, value]) => !OWN_WORDS.includes(key) && mentions(value));
};

/**
 * A JSON text without the user; undefined if it stays as it is. Lists (findings, facts) lose the elements that mention the
 * user. Objects lose only the hash of the user's id.
 */
const withoutUser = (text: unknown, matcher: UserMatcher, hashes: UserMatcher): string | undefined => {
  if (typeof text !== "string" || !/^[[{]/.test(text)) return undefined;
  const value: unknown = JSON.parse(text, reviveExactly);
  if (!Array.isArray(value)) return hashes.mentions(value) ? encodeJson(hashes.withoutMentions(value)) : undefined;
  const kept = value.filter((element) => !mentionsUser(element, matcher)).map(hashes.withoutMentions);
  return kept.length === value.length && !hashes.mentions(value) ? undefined : encodeJson(kept);
};

export const detectionOfUser = (
  detection: Partition,
  { scope, userId, matcher }: { scope: string; userId: string; matcher: UserMatcher },
): DataLocation => {
  const hash = userHash(scope, userId);
  const hashes = createUserMatcher([hash]);
  const changeOf = (item: StoredItem): Decision => {
    if (item.sortKey === userKey(hash)) return "delete";
    if (isRuleKey(item.sortKey)) return ruleWithoutUser(item, userId, matcher);
    if (item.sortKey.startsWith(DELETED_CUSTOM_PREFIX)) return matcher.mentions(item.change) ? "delete" : undefined;
    const texts = Object.entries(item).flatMap(([name, value]) => {
      const text = withoutUser(value, matcher, hashes);
      return text === undefined ? [] : [[name, text]];
    });
    return texts.length === 0 ? undefined : { remove: [], set: Object.fromEntries(texts) };
  };
  return partitionLocation(identity, detection, (items) => items.map(changeOf), { isGuarded: true });
};
