const normalise = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

/** The Levenshtein distance: how many characters must be added, removed or replaced. */
const distance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [i, character] of [...one].entries()) {
    const next = [i + 1];
    for (const [j, wanted] of [...other].entries()) {
      const replaced = (row[j] ?? 0) + (character === wanted ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
};

/** The name that was probably meant; undefined if none is near. Case and punctuation do not count. */
export const closestOf = (name: string, names: readonly string[]): string | undefined => {
  const wanted = normalise(name);
  const ranked = names
    .map((one) => ({ one, steps: distance(wanted, normalise(one)) }))
    .sort((a, b) => a.steps - b.steps);
  const [best] = ranked;
  return best !== undefined && best.steps <= Math.max(2, Math.floor(wanted.length / 3)) ? best.one : undefined;
};
