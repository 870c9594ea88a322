import { eventId } from "../../shared/security/event-id.ts";
import type { Selection } from "../../shared/security/event-item.ts";
import { categories, eventTypes, type SecurityEvent, sources } from "../../shared/security/security-event.ts";
import { isAtLeast, riskLevels } from "../../shared/terms/risk-levels.ts";
import { fc } from "./fixed-seed.ts";

/** The initial time of all test clocks; test events are close to it. */
export const NOW = Date.UTC(2026, 10, 21, 12, 30);
export const HOUR = 3_600_000;

type Varied = { age: number; random: Uint8Array } & Pick<
  SecurityEvent,
  "eventType" | "category" | "riskLevel" | "success" | "source"
> & { userId: string | undefined; ipAddress: string | undefined; durationMs: number | undefined };

/** Events of an organization in the given time before NOW. Few users, types and levels, so that filters match. */
export const arbitraryEvents = (
  organizationId: string,
  withinMs: number,
  size: { minLength?: number; maxLength: number },
) =>
  fc.uniqueArray(
    fc
      .record<Varied>({
        age: fc.integer({ min: 0, max: withinMs }),
        random: fc.uint8Array({ minLength: 16, maxLength: 16 }),
        eventType: fc.constantFrom(...Object.keys(eventTypes)),
        category: fc.constantFrom(...categories),
        riskLevel: fc.constantFrom(...riskLevels),
        success: fc.boolean(),
        source: fc.constantFrom(...sources),
        userId: fc.constantFrom(undefined, "ada", "bob", "ada#1"),
        ipAddress: fc.constantFrom(undefined, "192.0.2.1", "2001:db8::1"),
        durationMs: fc.option(fc.integer({ min: 0, max: 5_000 }), { nil: undefined }),
      })
      .map((varied) => eventOf(organizationId, varied)),
    { ...size, selector: ({ id }) => id },
  );

const eventOf = (
  organizationId: string,
  { age, random, userId, ipAddress, durationMs, ...fields }: Varied,
): SecurityEvent => ({
  ...fields,
  id: eventId(NOW - age, random),
  organizationId,
  ...(userId !== undefined && { userId }),
  ...(ipAddress !== undefined && { ipAddress }),
  ...(durationMs !== undefined && { metadata: { durationMs } }),
  processed: false,
  alertGenerated: isAtLeast(fields.riskLevel, "HIGH"),
  timestamp: NOW - age,
  createdAt: NOW - age,
});

/** Selections over such events. */
export const arbitrarySelection = (organizationId: string, withinMs: number): fc.Arbitrary<Selection> => {
  const maybe = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: undefined, freq: 2 });
  const rarely = <Value>(values: fc.Arbitrary<Value>) =>
    fc.oneof({ arbitrary: fc.constant(undefined), weight: 3 }, { arbitrary: values, weight: 1 });
  const age = fc.integer({ min: 0, max: withinMs });
  const period = fc
    .tuple(age, rarely(age))
    .map(([one, other = -1]) => [Math.max(one, other), Math.min(one, other)] as const)
    .map(([older, newer]) => ({ since: NOW - older, ...(newer >= 0 && newer < older && { until: NOW - newer }) }));
  const filters = fc.record({
    organizationId: fc.constant(organizationId),
    eventType: maybe(fc.constantFrom(...Object.keys(eventTypes), "UNHEARD_OF")),
    category: maybe(fc.constantFrom(...categories)),
    riskLevel: maybe(fc.constantFrom(...riskLevels)),
    userId: maybe(fc.constantFrom("ada", "bob", "ada#1", "nobody")),
    processed: maybe(fc.boolean()),
    success: rarely(fc.boolean()),
    source: rarely(fc.constantFrom(...sources)),
    ipAddress: rarely(fc.constantFrom("192.0.2.1", "2001:db8::1", "192.0.2.2")),
  });
  return fc.tuple(filters, period).map(([filter, times]) => ({ ...filter, ...times }));
};

/** The events that a selection matches, found without an index. Newest first. */
export const select = (events: readonly SecurityEvent[], selection: Selection): SecurityEvent[] => {
  const { since, until = Number.POSITIVE_INFINITY, organizationId, ...filters } = selection;
  return events
    .filter((event) => event.organizationId === organizationId && event.timestamp >= since && event.timestamp < until)
    .filter((event) =>
      (Object.entries(filters) as [keyof typeof filters, unknown][]).every(
        ([name, value]) => value === undefined || event[name] === value,
      ),
    )
    .sort((a, b) => (a.id < b.id ? 1 : -1));
};
