/** Whether a full run found the same on both sides. Pure. */
import type { Completeness, RecordType, SyncRun } from "../../api/types.ts";
import { formatNumber } from "../../words/format.ts";
import { recordTypes, typeNames } from "../../words/record-types.ts";

/** The lists of ids have at most this many. */
const MOST_IDS = 100;

/** `setAside`: objects that the service cannot store as they are. */
export type Difference = Required<Completeness> & { type: RecordType; isComplete: boolean };

/** Undefined unless the run compared both sides. */
export const differences = ({ completeness }: SyncRun): readonly Difference[] | undefined =>
  completeness &&
  recordTypes.flatMap((type) => {
    const compared = completeness[type];
    // The credentials may not read this type.
    if (compared === undefined) return [];
    const { setAside = 0, ...both } = compared;
    const isComplete = both.onlyListed.length === 0 && both.onlyStored.length === 0 && both.listed === both.stored;
    return [{ ...both, setAside, type, isComplete }];
  });

/** Undefined unless the run compared both sides. */
export const isComplete = (run: SyncRun): boolean | undefined => differences(run)?.every((one) => one.isComplete);

/** About how many objects a full run will read: as many as the last comparison found at the provider. */
export const expectedOf = (
  { mode, id }: SyncRun,
  runs: readonly SyncRun[],
): Readonly<Partial<Record<RecordType, number>>> | undefined => {
  if (mode !== "full") return undefined;
  const last = runs.find((run) => run.id !== id && run.completeness !== undefined)?.completeness;
  return (
    last &&
    Object.fromEntries(recordTypes.flatMap((type) => (last[type] === undefined ? [] : [[type, last[type].listed]])))
  );
};

/** The difference in words. */
export const verdictOf = ({ isComplete: isSame, listed, stored, setAside }: Difference): string => {
  if (isSame) return "Complete";
  const aside = setAside > 0 ? `, ${formatNumber(setAside)} set aside` : "";
  if (listed > stored) return `${formatNumber(listed - stored)} missing here${aside}`;
  if (stored > listed) return `${formatNumber(stored - listed)} more here${aside}`;
  return `The same number, but other objects${aside}`;
};

/** The objects that only one side has, with a sentence about them. A side without such objects is left out. */
export const oneSided = ({ type, onlyListed, onlyStored }: Difference) => {
  const side = (ids: readonly string[], isHere: boolean, where: string) => {
    const count = `${formatNumber(ids.length)}${ids.length === MOST_IDS ? " or more" : ""}`;
    return { ids, isHere, text: `${count} ${typeNames[type].many.toLowerCase()} are ${where}` };
  };
  return [side(onlyListed, false, "at the provider only"), side(onlyStored, true, "here only")].filter(
    ({ ids }) => ids.length > 0,
  );
};
