import * as z from "zod";
import { createRandom } from "../../core/random.ts";
import type { Database } from "../store/database.ts";

/** Why the provider limits a rate, as `Stripe-Rate-Limited-Reason` says it. */
const rateLimitReasons = [
  "global-rate",
  "endpoint-rate",
  "global-concurrency",
  "endpoint-concurrency",
  "resource-specific",
] as const;

const kinds = [
  z.strictObject({ kind: z.literal("rate_limit"), reason: z.enum(rateLimitReasons).default("global-rate") }),
  /** 429 without a reason: two requests wanted one object. */
  z.strictObject({ kind: z.literal("lock_timeout") }),
  z.strictObject({ kind: z.literal("error"), status: z.literal([400, 401, 402, 403, 404, 409, 500, 502, 503, 504]) }),
  /** Not the provider's: a proxy's page. */
  z.strictObject({ kind: z.literal("html"), status: z.int().min(200).max(599).default(502) }),
  /** Answers as always, but later. Real time. */
  z.strictObject({ kind: z.literal("slow"), ms: z.int().min(0).max(300_000) }),
  /** Never answers. */
  z.strictObject({ kind: z.literal("timeout") }),
  /** Cuts the connection before any answer, or carries the request out and cuts it in the middle of the answer. */
  z.strictObject({ kind: z.literal("reset"), when: z.enum(["before", "middle"]).default("before") }),
] as const;

const common = {
  /** One account's; all accounts' where it is left out. */
  accountId: z.string().optional(),
  /** `/v1/invoices` and what begins like it. */
  pathPrefix: z.string().startsWith("/").optional(),
  /** The next so many requests that it concerns; until cleared where it is left out. */
  times: z.int().min(1).optional(),
  /** How likely it hits a request that it concerns; those that it spares count among the `times` too. */
  probability: z.number().min(0).max(1).default(1),
  /** What decides by chance: the same requests are hit for the same seed. */
  seed: z.int().default(0),
  retryAfterSeconds: z.int().min(0).optional(),
};

/** What shall go wrong, as the control server takes it. */
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

/** A fault that was asked for, how many requests it concerned so far and how many of these it hit. */
export type KeptFault = z.output<typeof Kept> & { id: number };

/** The faults in force. They are kept: a restart clears none. */
export const openFaults = (database: Database) => {
  const list = (): KeptFault[] =>
    database
      .statement("SELECT id, fault FROM faults ORDER BY id")
      .all()
      .map((row) => {
        const { id, fault } = Row.parse(row);
        return { id, ...fault };
      });
  // Read by every request, changed by few.
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
    /** What hits this request; the earliest asked for, where several concern it. Slowness adds up with others. */
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
