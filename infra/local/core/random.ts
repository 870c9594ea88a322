import { createHash } from "node:crypto";

/** Numbers that look random and are the same for the same seed. */
export type Random = {
  /** 0 ≤ x < 1. */
  fraction(): number;
  /** A whole number from 0 to below `bound`. */
  int(bound: number): number;
  chance(probability: number): boolean;
  /** @throws RangeError for an empty list. */
  pick<T>(list: readonly T[]): T;
  /** A key of the table, by its weight. */
  weighted<Key extends string>(weights: Readonly<Record<Key, number>>): Key;
  /** Letters and digits, as the provider's ids have them. */
  letters(count: number): string;
};

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** Source: sfc32 of http://pracrand.sourceforge.net, fast and with a state that is wide enough for millions of ids. */
export const createRandom = (seed: string): Random => {
  const digest = createHash("sha256").update(seed).digest();
  let [a, b, c, counter] = [0, 4, 8, 12].map((at) => digest.readInt32LE(at)) as [number, number, number, number];
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
  const fraction = () => next() / 2 ** 32;
  const int = (bound: number) => Math.floor(fraction() * bound);
  return {
    fraction,
    int,
    chance: (probability) => fraction() < probability,
    pick(list) {
      const at = int(list.length);
      if (at >= list.length) throw new RangeError("nothing to pick from");
      return list[at] as (typeof list)[number];
    },
    weighted<Key extends string>(weights: Readonly<Record<Key, number>>) {
      const keys = Object.keys(weights) as Key[];
      let left = fraction() * keys.reduce((sum, key) => sum + weights[key], 0);
      for (const key of keys) {
        left -= weights[key];
        if (left < 0) return key;
      }
      return this.pick(keys);
    },
    letters(count) {
      let text = "";
      for (let index = 0; index < count; index++) text += ALPHABET[next() % ALPHABET.length];
      return text;
    },
  };
};
