import * as z from "zod";
import { createRandom } from "../../core/random.ts";
import type { Database } from "../store/database.ts";

/** The values of `Stripe-Rate-Limited-Reason`. */
const rateLimitReasons = [
  "global-rate",
  "endpoint-rate",
  "global-concurrency",
  "endpoint-concurrency",
  "resource-specific",
] as const;
export type RateLimitReason = (typeof rateLimitReasons)[number];

const kinds = [
  z.strictObject({ kind: z.literal("rate_limit"), reason: z.enum(rateLimitReasons).default("global-rate") }),
  /** 429 without a reason: two requests used one object at the same time. */
  z.strictObject({ kind: z.literal("lock_timeout") }),
  z.strictObject({ kind: z.literal("error"), status: z.literal([400, 401, 402, 403, 404, 409, 500, 502, 503, 504]) }),
  /** The HTML page of a proxy. */
  z.strictObject({ kind: z.literal("html"), status: z.int().min(200).max(599).default(502) }),
  /** Answers later than usual; real time. */
  z.strictObject({ kind: z.literal("slow"), ms: z.int().min(0).max(300_000) }),
  /** Never answers. */
  z.strictObject({ kind: z.literal("timeout") }),
  /** Cuts the connection before the request is carried out, after that but before the answer, or within the answer. */
  z.strictObject({ kind: z.literal("reset"), when: z.enum(["before", "after", "middle"]).default("before") }),
] as const;

const common = {
  /** By default all accounts. */
  accountId: z.string().optional(),
  /** Such as `/v1/invoices`, with everything that begins with it. */
  pathPrefix: z.string().startsWith("/").optional(),
  /** How many requests it concerns; by default until it is cleared. */
  times: z.int().min(1).optional(),
  /** The probability that it fails a request that it concerns. A request that it spares counts among the `times`. */
  probability: z.number().min(0).max(1).default(1),
  /** The seed of the probability: the same seed fails the same requests. */
  seed: z.int().default(0),
  retryAfterSeconds: z.int().min(0).optional(),
};

/** A fault, as the control server takes it. */
export const Fault = z.discriminatedUnion("kind", [
  kinds[0].extend(common),
  kinds[1].extend(common),
  kinds[2].extend(common),
  kinds[3].extend(common),
  kinds[4].extend(common),
  kinds[5].extend(common),
  kinds[6].extend(common),
]);
export type Fault = z.output<typeof Fault>;

const Kept = z.object({ fault: Fault, seen: z.int(), hits: z.int() });
const Row = z.object({ id: z.int(), fault: z.string().transform((text) => Kept.parse(JSON.parse(text))) });

/** A fault with the number of requests that it concerned (`seen`) and failed (`hits`). */
export type KeptFault = z.output<typeof Kept> & { id: number };

/** The faults in force. A restart keeps them. */
export const openFaults = (database: Database) => {
  const list = (): KeptFault[] =>
    database
      .statement("SELECT id, fault FROM faults ORDER BY id")
      .all()
      .map((row) => {
        const { id, fault } = Row.parse(row);
        return { id, ...fault };
      });
  // Cached: every request reads them.
  let faults = list();
  const remove = (id: number) => database.statement("DELETE FROM faults WHERE id = ?").run(id);

  return {
    list: () => faults,
    add(fault: Fault): number {
      const kept = JSON.stringify({ fault, seen: 0, hits: 0 });
      const { lastInsertRowid } = database.statement("INSERT INTO faults (fault) VALUES (?)").run(kept);
      faults = list();
      return Number(lastInsertRowid);
    },
    /** One of them, or all. @returns how many were there. */
    clear(id?: number): number {
      const cleared = faults.filter((fault) => id === undefined || fault.id === id);
      for (const fault of cleared) remove(fault.id);
      faults = list();
      return cleared.length;
    },
    /** The faults of this request: of several the oldest, and all that slow it down. */
    hit(accountId: string | undefined, path: string): Fault[] {
      const hits: Fault[] = [];
      for (const kept of faults) {
        const { fault } = kept;
        if (fault.accountId !== undefined && fault.accountId !== accountId) continue;
        if (!path.startsWith(fault.pathPrefix ?? "/")) continue;
        if (fault.kind !== "slow" && hits.some(({ kind }) => kind !== "slow")) continue;
        kept.seen++;
        const isHit = createRandom(`fault ${fault.seed} ${kept.seen}`).chance(fault.probability);
        if (isHit) {
          kept.hits++;
          hits.push(fault);
        }
        if (kept.seen >= (fault.times ?? Number.POSITIVE_INFINITY)) remove(kept.id);
        else {
          const { seen, hits: hitCount } = kept;
          const text = JSON.stringify({ fault, seen, hits: hitCount });
          database.statement("UPDATE faults SET fault = ? WHERE id = ?").run(text, kept.id);
        }
      }
      faults = faults.filter(({ fault, seen }) => seen < (fault.times ?? Number.POSITIVE_INFINITY));
      return hits;
    },
  };
};

export type Faults = ReturnType<typeof openFaults>;
