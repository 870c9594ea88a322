/**
 * Whether the events of an hour are those that were sealed: everything is computed again from the stored events. Pure.
 * docs/evidence.md, "Integrity".
 */
import * as z from "zod/mini";
import { erasedOf, type HourLeaf, type HourLeaves, leavesOfHour, type SealedHour } from "../evidence/hour-leaves.ts";
import { EMPTY_TREE, grow, rootOfFrontier } from "../evidence/merkle-tree.ts";
import { encodeHash, type HourRecord } from "../evidence/sealed-log.ts";
import { described } from "../json/described.ts";
import { count, epochMs } from "../json/number-fields.ts";

/** `expired`: an event has expired, and no archive holds it. */
const hourStatuses = ["verified", "not_sealed", "expired", "broken"] as const;

export const HourIntegrity = z
  .object({
    hour: epochMs("the start of the hour."),
    count: count("The sealed events."),
    version: count("How often the hour was sealed; 0 if nothing of it was."),
    root: z.optional(described(z.string(), "The root over the leaves of the sealed events, base64.")),
    checkpoint: z.optional(
      count("The index of the leaf of the deployment's log that first counts the newest version."),
    ),
    status: described(
      z.enum(hourStatuses),
      "`verified`: the stored events are those that were sealed; `not_sealed`: before the log's first hour, or not yet; `expired`: an event has expired and no archive holds it; `broken`: see `problem`.",
    ),
    erased: z.optional(
      described(
        z.array(z.object({ erasure: z.string(), count: count("Events that the erasure emptied last.") })),
        "The events that were emptied since they were sealed, by erasure.",
      ),
    ),
    problem: z.optional(described(z.string(), "The first thing that is wrong.")),
  })
  .register(z.globalRegistry, { id: "HourIntegrity", description: "An hour of the sealed log of security events." });
export type HourIntegrity = z.output<typeof HourIntegrity>;

/**
 * `size`: of the signed log. `records`: all versions of the hour, in their order. `events`: undefined if one has expired
 * and no archive holds it. `isDue`: late events or erasures of the hour wait for the next step.
 */
export type SealedHourInput = {
  hour: number;
  size: number;
  records: readonly HourRecord[];
  sealed: SealedHour | undefined;
  events: readonly HourLeaf[] | undefined;
  isDue: boolean;
};

const isSame = (record: HourRecord | undefined, sealed: SealedHour | undefined): boolean =>
  record === undefined || sealed === undefined
    ? record === sealed
    : (["version", "count", "root", "erased", "erasedRoot"] as const).every((name) => record[name] === sealed[name]);

/** The first version whose leaves are not those that are stored. */
const wrongVersion = (leaves: readonly HourLeaf[], records: readonly HourRecord[]): string | undefined => {
  let tree = EMPTY_TREE;
  for (const { version, count, root } of records) {
    const from = tree.size;
    tree = grow(
      tree,
      leaves.slice(from, count).map(({ hash }) => hash),
    );
    if (encodeHash(rootOfFrontier(tree)) !== root)
      return `The events ${from} to ${count - 1} are not those that version ${version} sealed.`;
  }
  return undefined;
};

const problemOf = (
  { records, sealed, isDue }: SealedHourInput,
  { leaves, pending, missing }: HourLeaves<HourLeaf>,
): string | undefined => {
  const newest = records.at(-1);
  if (!isSame(newest, sealed)) return "The stored state of the hour is not that of its newest record.";
  if (missing[0] !== undefined) return `The sealed event ${missing[0]} is not stored.`;
  if (newest === undefined) {
    const added = pending.find(({ isLate }) => !isLate);
    return added && `The event ${added.id} is stored, and no event of the hour was sealed.`;
  }
  if (leaves.length !== newest.count) return `${leaves.length} events are stored; ${newest.count} were sealed.`;
  const problem = wrongVersion(leaves, records);
  if (problem !== undefined || isDue) return problem;
  const { erased, erasedRoot } = erasedOf(leaves);
  if (erased !== newest.erased) return `${erased} events are emptied; ${newest.erased} were sealed as erased.`;
  return erasedRoot === newest.erasedRoot ? undefined : "The emptied events are not those that were sealed as erased.";
};

const erasuresOf = (leaves: readonly HourLeaf[]): HourIntegrity["erased"] => {
  const emptied = leaves.flatMap((leaf) => leaf.emptied ?? []);
  if (emptied.length === 0) return undefined;
  const byErasure = Map.groupBy(emptied, ({ erasure }) => erasure);
  return [...byErasure].map(([erasure, { length }]) => ({ erasure, count: length }));
};

/** An hour that the log does not have. */
export const notSealed = (hour: number): HourIntegrity => ({ hour, count: 0, version: 0, status: "not_sealed" });

/** @param input of an hour that the signed log has. */
export const judgeSealedHour = (input: SealedHourInput): HourIntegrity => {
  const { hour, size, records, events, isDue } = input;
  const signed = records.findLast(({ step }) => step < size);
  const waits = isDue && records.length === 0 && events?.some(({ isLate }) => !isLate);
  if (waits) return notSealed(hour);
  const facts = {
    hour,
    count: signed?.count ?? 0,
    version: signed?.version ?? 0,
    ...(signed !== undefined && { root: signed.root, checkpoint: signed.step }),
  };
  if (events === undefined) return { ...facts, status: records.length === 0 ? "verified" : "expired" };
  const stored = leavesOfHour(events, input.sealed);
  const problem = problemOf(input, stored);
  if (problem !== undefined) return { ...facts, status: "broken", problem };
  const erased = erasuresOf(stored.leaves);
  return { ...facts, status: "verified", ...(erased !== undefined && { erased }) };
};
