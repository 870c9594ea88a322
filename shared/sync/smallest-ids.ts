/**
 * The smallest of many ids, in the order of DynamoDB's sort keys: by their UTF-8, which for texts is the order of code
 * points. With them, two large sides can be compared range by range, even if one of them comes in another order. Pure.
 */

/** @returns a negative number if `a` comes first, 0 if both are equal. */
export const compareIds = (a: string, b: string): number => {
  if (a === b) return 0;
  let at = 0;
  while (a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return (a.codePointAt(at) ?? -1) - (b.codePointAt(at) ?? -1);
};

/** @param max the number of ids to find. At most twice as many are held. */
export const createSmallestIds = (max: number) => {
  let held = new Set<string>();
  let last: string | undefined;

  const cut = (): void => {
    const smallest = [...held].sort(compareIds).slice(0, max);
    last = smallest.at(-1);
    held = new Set(smallest);
  };

  return {
    add(id: string): void {
      if (last !== undefined && compareIds(id, last) > 0) return;
      held.add(id);
      if (held.size === 2 * max) cut();
    },

    /** The number of ids that are held. */
    size: (): number => held.size,

    /** The smallest ids, each once. `last`: the greatest of them if others were left out; otherwise undefined. */
    take(): { ids: Set<string>; last: string | undefined } {
      if (held.size > max) cut();
      return { ids: held, last };
    },
  };
};
