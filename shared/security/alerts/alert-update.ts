/**
 * The update that raises an alert: one conditional write, whether it makes the alert or counts it again.
 *
 * An update knows no minimum and no maximum, so it says beforehand which of the times and the level it moves, and its
 * condition that this is right. The guess is nearly always right, as evidence comes in order; where it is not, the
 * refusal shows what is there, and the next guess is made from that. The three only move one way, so guesses end.
 */

import { encodeJson } from "../../json/encode-json.ts";
import type { Update } from "../../runtime/render-update.ts";
import { expiryOf } from "../../terms/hours.ts";
import { isAtLeast, riskLevels } from "../../terms/risk-levels.ts";
import type { Alert } from "./alert.ts";
import { type AlertItem, firstFields, isExpired, placeInList, placeInOutbox } from "./alert-item.ts";
import { alertId, listKey } from "./alert-key.ts";
import type { Raising } from "./alert-raising.ts";

export type RaiseContext = {
  scope: string;
  hash: string;
  raising: Raising;
  /** Epoch ms. */
  now: number;
  retentionDays: number;
  /** 16 bytes. */
  random: Uint8Array;
};

const partsOf = ({ scope, hash, raising, now, retentionDays, random }: RaiseContext) => {
  const { kind, level, firstSeen, lastSeen, eventIds, occurrence, evidence } = raising;
  const alert: Pick<Alert, "id" | "firstSeen" | "status"> = {
    id: alertId(hash, now, random),
    firstSeen,
    status: "open",
  };
  return {
    once: { ...alert, ...firstFields(raising), ...placeInList(scope, "open", alert), ...placeInOutbox(hash, now) },
    level: { level },
    last: { lastSeen, ttl: expiryOf(lastSeen, retentionDays) },
    always: evidence ? { evidence: encodeJson(evidence.details) } : {},
    counted: {
      count: 1,
      revision: 1,
      ...(eventIds.length > 0 && { eventIds: new Set(eventIds) }),
      ...(kind === "finding" && { occurrences: new Set([occurrence]) }),
      ...(evidence && { evidenceCount: evidence.count }),
    },
  };
};

/** In the place of an alert that has expired and was not removed yet: a new one, of which nothing is the old one's. */
const renewal = (context: RaiseContext): Update => {
  const { once, level, last, always, counted } = partsOf(context);
  const set = { ...once, ...level, ...last, ...always, ...counted };
  const others = ["message", "metadata", "evidence", "evidenceCount", "occurrences", "eventIds"];
  const decisions = ["acknowledgedAt", "acknowledgedBy", "outboxChange", "token"];
  return {
    set,
    remove: [...others, ...decisions].filter((name) => !Object.hasOwn(set, name)),
    condition: "#ttl <= :seconds",
    values: { seconds: Math.floor(context.now / 1000) },
  };
};

/** @param known what the refusal of the guess before showed. */
export const raiseUpdate = (context: RaiseContext, known: AlertItem | undefined): Update => {
  if (known !== undefined && isExpired(known, context.now)) return renewal(context);
  const { raising, now } = context;
  const { once, level, last, always, counted } = partsOf(context);
  const isLater = known === undefined || raising.lastSeen >= known.lastSeen;
  const isEarlier = known !== undefined && raising.firstSeen < known.firstSeen;
  const isHigher = known !== undefined && !isAtLeast(known.level, raising.level);
  const levelsAtLeast = riskLevels.filter((one) => isAtLeast(one, raising.level));
  const earlier = isEarlier && { firstSeen: raising.firstSeen, listKey: listKey({ ...raising, id: known.id }) };

  const { firstSeen, listKey: place, ...rest } = once;
  const setOnce = {
    ...rest,
    ...(!isEarlier && { firstSeen, listKey: place }),
    ...(!isHigher && level),
    ...(!isLater && last),
  };
  const seen = raising.kind === "finding" ? "#occurrences" : "#eventIds";
  const unchanged = [
    `NOT contains(${seen}, :occurrence)`,
    "#ttl > :seconds",
    `#lastSeen ${isLater ? "<=" : ">="} :lastSeen`,
    `#firstSeen ${isEarlier ? ">" : "<="} :firstSeen`,
    `${isHigher ? "NOT " : ""}#level IN (${levelsAtLeast.map((one) => `:${one}`).join(", ")})`,
    ...(isEarlier ? ["#id = :knownId"] : []),
  ].join(" AND ");
  return {
    set: { ...always, ...(isLater && last), ...(isHigher && level), ...earlier },
    setOnce,
    add: counted,
    remove: ["outboxChange"],
    condition: isEarlier ? unchanged : `attribute_not_exists(#id) OR (${unchanged})`,
    values: {
      occurrence: raising.occurrence,
      seconds: Math.floor(now / 1000),
      lastSeen: raising.lastSeen,
      firstSeen: raising.firstSeen,
      ...Object.fromEntries(levelsAtLeast.map((one) => [one, one])),
      ...(isEarlier && { knownId: known.id }),
    },
  };
};
