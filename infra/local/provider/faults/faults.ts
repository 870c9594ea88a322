import * as z from "zod";
import { createRandom } from "../../core/random.ts";
import type { Database } from "../store/database.ts";
import { Fault } from "./fault.ts";

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
