/**
 * Facts: what detection's rules read of a security event, and nothing else. They are kept from one hour to the next
 * where a window crosses the hour, so they are small. docs/detection.md.
 */
import * as z from "zod/mini";
import { categories, type SecurityEvent, sources } from "../../security/security-event.ts";
import { riskLevels } from "../../terms/risk-levels.ts";

const text = z.string();
const number = z.number();

/** `at` in epoch ms; the last fields come from the event's metadata. */
export const Fact = z.object({
  id: text,
  at: number,
  type: text,
  category: z.enum(categories),
  riskLevel: z.enum(riskLevels),
  source: z.enum(sources),
  success: z.boolean(),
  userId: z.optional(text),
  ipAddress: z.optional(text),
  resourceType: z.optional(text),
  action: z.optional(text),
  errorCode: z.optional(text),
  /** The permission that a refused request lacked. */
  permission: z.optional(text),
  /** Of a record that stands for many: how many failures, of how many users. */
  failures: z.optional(number),
  users: z.optional(number),
  /** Of an operation against the provider. */
  attempts: z.optional(number),
  rateLimited: z.optional(number),
  pacedMs: z.optional(number),
  durationMs: z.optional(number),
  /** Of a sync run. */
  trigger: z.optional(text),
  /** It was judged when it happened; the hourly run does not count it again. */
  judgedAtOnce: z.optional(z.boolean()),
});
export type Fact = z.output<typeof Fact>;

const Metadata = z.object({
  permission: z.optional(text),
  failures: z.optional(number),
  users: z.optional(number),
  attempts: z.optional(number),
  rateLimited: z.optional(number),
  pacedMs: z.optional(number),
  durationMs: z.optional(number),
  trigger: z.optional(text),
  judgedAtOnce: z.optional(z.boolean()),
});

/** Drops what is undefined, so that a fact is stored as small as it is. */
const defined = <Fields extends object>(fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;

/** The fact of an event. Metadata of another shape gives none of its fields. */
export const factOf = (event: SecurityEvent): Fact => {
  const { id, timestamp, eventType, category, riskLevel, source, success } = event;
  const { userId, ipAddress, resourceType, action, errorCode } = event;
  const metadata = Metadata.safeParse(event.metadata).data ?? {};
  return Fact.parse(
    defined({
      ...{ id, at: timestamp, type: eventType, category, riskLevel, source, success },
      ...{ userId, ipAddress, resourceType, action, errorCode },
      ...metadata,
    }),
  );
};
