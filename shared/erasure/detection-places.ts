/** What detection has found out: deleted with an organization, and without a user where one is erased. */
import { userHash, userKey } from "../detection/detection-keys.ts";
import { encodeJson } from "../json/encode-json.ts";
import { reviveExactly } from "../json/revive-exactly.ts";
import { createNaming, type Naming } from "../terms/mentions-user.ts";
import { judgedPlace } from "./partition-places.ts";
import type { Change, Partition } from "./partition-store.ts";
import type { Place } from "./place.ts";

const named = { name: "detection", counts: "detections" } as const;

/** A mark that an hour is still to be judged names nobody, and judging goes on. */
const UNJUDGED = "unjudged#";

export const allOfDetection = (detection: Partition): Place =>
  judgedPlace(
    named,
    detection,
    async (items) => items.map(({ sortKey }) => (sortKey.startsWith(UNJUDGED) ? undefined : "delete")),
    { attributes: [] },
  );

/** Fields of facts and findings whose texts are our own words. */
const OWN_WORDS: readonly string[] = [
  ...["id", "type", "category", "riskLevel", "source", "resourceType", "action", "errorCode", "permission", "trigger"],
  ...["rule", "level", "occurrence", "eventIds"],
];

const namesUser = (element: unknown, naming: Naming): boolean => {
  if (typeof element !== "object" || element === null) return naming.names(element);
  return Object.entries(element).some(([key, value]) => !OWN_WORDS.includes(key) && naming.names(value));
};

/**
 * What lies in a text: of lists (findings, facts) the elements that name the user go; elsewhere only what stands for the
 * user does, a hash. Undefined where it stays as it is.
 */
const withoutUser = (text: unknown, naming: Naming, hashes: Naming): string | undefined => {
  if (typeof text !== "string" || !/^[[{]/.test(text)) return undefined;
  const value: unknown = JSON.parse(text, reviveExactly);
  if (!Array.isArray(value)) return hashes.names(value) ? encodeJson(hashes.without(value)) : undefined;
  const kept = value.filter((element) => !namesUser(element, naming)).map((element) => hashes.without(element));
  return kept.length === value.length && !hashes.names(value) ? undefined : encodeJson(kept);
};

export const detectionOfUser = (
  detection: Partition,
  { scope, userId, naming }: { scope: string; userId: string; naming: Naming },
): Place => {
  const hash = userHash(scope, userId);
  const hashes = createNaming([hash]);
  const fateOf = (item: Readonly<Record<string, unknown>> & { sortKey: string }): Change["fate"] | undefined => {
    if (item.sortKey === userKey(hash)) return "delete";
    const set: Record<string, string> = {};
    for (const [name, value] of Object.entries(item)) {
      const text = withoutUser(value, naming, hashes);
      if (text !== undefined) set[name] = text;
    }
    return Object.keys(set).length === 0 ? undefined : { remove: [], set };
  };
  return judgedPlace(named, detection, async (items) => items.map(fateOf), { isGuarded: true });
};
