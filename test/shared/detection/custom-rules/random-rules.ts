/** Random own rules and events of three days, dense around the borders of hours and steps. */
import type { JudgingRule } from "../../../../shared/detection/custom-rules/judge-custom-rules.ts";
import type { Fact } from "../../../../shared/detection/evidence/fact.ts";
import { definedFields } from "../../../../shared/json/defined-fields.ts";
import { eventId } from "../../../../shared/security/event-id.ts";
import { HOUR_MS, MINUTE_MS } from "../../../../shared/terms/hours.ts";
import { fc } from "../../../support/fixed-seed.ts";

export const START = Date.UTC(2026, 10, 21);
export const HOURS = 72;

const time = fc
  .tuple(fc.nat(HOURS - 1), fc.nat(12), fc.constantFrom(-60_001, -1, 0, 0, 1, 17, 150_000))
  .map(([hour, step, offset]) => START + hour * HOUR_MS + step * 5 * MINUTE_MS + offset)
  .filter((at) => at >= START && at < START + HOURS * HOUR_MS);

/** Many events at few moments, so that windows fill. */
const burst = fc.tuple(
  time,
  fc.integer({ min: 1, max: 6 }),
  fc.constantFrom(0, 1, 59_999, 4 * MINUTE_MS, 31 * MINUTE_MS),
);

const fields = fc.record({
  type: fc.constantFrom("DATA_READ", "PERMISSION_DENIED", "SETTINGS_CHANGED"),
  success: fc.boolean(),
  userId: fc.constantFrom("ada", "bob", "eve", "mia", undefined),
  ipAddress: fc.constantFrom("192.0.2.1", "2001:db8::1", "2001:db8::2", "2001:db8:0:1::1", undefined),
  resource: fc.constantFrom("inv_1", "inv_2", "inv_3", undefined),
  resourceType: fc.constantFrom("invoice", "payment", undefined),
  failures: fc.constantFrom(undefined, undefined, undefined, 3, 20),
});

/** Facts in order of time. */
export const facts: fc.Arbitrary<Fact[]> = fc
  .array(fc.tuple(burst, fields), { minLength: 20, maxLength: 120 })
  .map((bursts) => {
    let number = 0;
    const all = bursts.flatMap(
      ([[at, length, gap], { userId, ipAddress, resource, resourceType, failures, ...rest }]) =>
        Array.from({ length }, (_, i): Fact => {
          const moment = at + i * gap;
          return {
            id: eventId(
              moment,
              Uint8Array.from(String(1e15 + number++), (digit) => Number(digit)),
            ),
            at: moment,
            category: "authorization",
            riskLevel: "LOW",
            source: "user",
            ...rest,
            ...(userId !== undefined && { userId }),
            ...(ipAddress !== undefined && { ipAddress }),
            ...(resource !== undefined && { resource }),
            ...(resourceType !== undefined && { resourceType }),
            ...(failures !== undefined && { failures }),
          };
        }),
    );
    return all.filter(({ at }) => at < START + HOURS * HOUR_MS).sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
  });

type Shape = Pick<JudgingRule, "measure" | "windowMinutes" | "condition"> & { groupBy: JudgingRule["groupBy"] };

const counting: fc.Arbitrary<Shape> = fc.record({
  measure: fc.constantFrom<JudgingRule["measure"]>(
    "count",
    { distinct: "userId" },
    { distinct: "ipAddress" },
    { distinct: "resource" },
  ),
  groupBy: fc.constantFrom<JudgingRule["groupBy"]>(undefined, "userId", "ipAddress", "resource", "resourceType"),
  windowMinutes: fc.constantFrom(5, 7, 30, 59, 60, 120, 360, 720, 1_440),
  condition: fc.record({ gte: fc.constantFrom(1, 2, 3, 4, 5, 10, 40) }),
});

const silent: fc.Arbitrary<Shape> = fc.record({
  measure: fc.constant<JudgingRule["measure"]>("count"),
  groupBy: fc.constant(undefined),
  windowMinutes: fc.constantFrom(60, 120, 360, 1_440),
  condition: fc.record({ lt: fc.constantFrom(1, 2, 5, 30) }),
});

const filter = fc.constantFrom<JudgingRule["filter"]>(
  { success: false },
  { eventTypes: ["PERMISSION_DENIED", "SETTINGS_CHANGED"] },
  { categories: ["authorization"] },
  { networks: ["2001:db8::/48"] },
  { userIds: ["ada", "bob"] },
  { userIds: [] },
);

const shape = fc.oneof({ arbitrary: counting, weight: 4 }, { arbitrary: silent, weight: 1 });

/** Twenty rules, made in the first 20 hours. */
export const rules: fc.Arbitrary<JudgingRule[]> = fc
  .array(fc.tuple(shape, filter, fc.nat(20 * 60)), { minLength: 20, maxLength: 20 })
  .map((all) =>
    all.map(([{ groupBy, ...rest }, ofEvents, minute], index) => ({
      id: `rule${index}`,
      name: "A rule",
      level: "LOW",
      mode: "live",
      filter: ofEvents,
      revision: 1,
      changedAt: START + minute * MINUTE_MS,
      ...rest,
      ...definedFields({ groupBy }),
    })),
  );
