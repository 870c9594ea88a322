/**
 * What own rules carry from one judged hour into the next, and its compact form in the store. Groups and distinct values
 * are hashes, so that an erasure removes a user's by the user's hash (shared/detection/erase.ts). Pure.
 */
import * as z from "zod/mini";
import { definedFields } from "../../json/defined-fields.ts";
import type { Entry } from "./track.ts";

/** A group: what later windows can need of it, in order of position, and its newest events. */
export type CarriedTrack = { entries: readonly Entry[]; eventIds: readonly string[] };

/** The window of a rule with the condition `lt` that an hour began or continued. `start`: epoch ms. */
export type CarriedSilence = { start: number; events: number; eventIds: readonly string[] };

/** `revision`: of the rule; of another revision nothing counts. `tracks` by the hash of the group. */
export type CarriedRule = {
  revision: number;
  tracks: ReadonlyMap<string, CarriedTrack>;
  silence?: CarriedSilence | undefined;
};

/** By the rule's id. */
export type CarriedRules = ReadonlyMap<string, CarriedRule>;

const EncodedTrack = z.object({
  /** Positions as differences, with weights other than 1: `loo1,5,a:3`. In base 36. */
  e: z.optional(z.string()),
  /** Positions by the hash of the value. */
  v: z.optional(z.record(z.string(), z.number())),
  ids: z.optional(z.array(z.string())),
});
type EncodedTrack = z.output<typeof EncodedTrack>;

const EncodedRule = z.object({
  revision: z.number(),
  tracks: z.optional(z.record(z.string(), EncodedTrack)),
  silence: z.optional(z.object({ start: z.number(), events: z.number(), eventIds: z.array(z.string()) })),
});
type EncodedRule = z.output<typeof EncodedRule>;

/** A part of what is carried, as its item stores it. */
export const EncodedRules = z.record(z.string(), EncodedRule);
export type EncodedRules = z.output<typeof EncodedRules>;

const encodeEntries = (entries: readonly Entry[]): string =>
  entries
    .map(({ position, weight }, index) => {
      const step = (position - (entries[index - 1]?.position ?? 0)).toString(36);
      return weight === 1 ? step : `${step}:${weight.toString(36)}`;
    })
    .join(",");

const decodeEntries = (text: string): Entry[] => {
  let position = 0;
  return text.split(",").map((one) => {
    const [step = "0", weight = "1"] = one.split(":");
    position += Number.parseInt(step, 36);
    return { position, weight: Number.parseInt(weight, 36) };
  });
};

const encodeTrack = ({ entries, eventIds }: CarriedTrack): EncodedTrack => {
  const isDistinct = entries[0]?.value !== undefined;
  const values = entries.flatMap(({ value, position }) => (value === undefined ? [] : [[value, position] as const]));
  return {
    ...(isDistinct ? { v: Object.fromEntries(values) } : { e: encodeEntries(entries) }),
    ...(eventIds.length > 0 && { ids: [...eventIds] }),
  };
};

const decodeTrack = ({ e, v = {}, ids = [] }: EncodedTrack): CarriedTrack => ({
  entries:
    e === undefined
      ? Object.entries(v)
          .map(([value, position]) => ({ position, weight: 1, value }))
          .sort((a, b) => a.position - b.position || (a.value < b.value ? -1 : 1))
      : decodeEntries(e),
  eventIds: ids,
});

/** Rules in parts of about as many bytes at most, one track at a time. @param maxBytes of the JSON of a part. */
export const encodeRules = (rules: CarriedRules, maxBytes: number): EncodedRules[] => {
  const parts: EncodedRules[] = [];
  let bytes = Number.POSITIVE_INFINITY;
  const add = (id: string, revision: number, size: number): EncodedRule => {
    if (bytes + size > maxBytes) {
      parts.push({});
      bytes = 0;
    }
    const part = parts.at(-1) ?? {};
    const rule = part[id] ?? { revision };
    part[id] = rule;
    bytes += size;
    return rule;
  };
  for (const [id, { revision, tracks, silence }] of rules) {
    if (silence !== undefined) {
      const stored = { ...silence, eventIds: [...silence.eventIds] };
      add(id, revision, JSON.stringify(stored).length).silence = stored;
    }
    for (const [hash, track] of tracks) {
      const encoded = encodeTrack(track);
      const rule = add(id, revision, JSON.stringify(encoded).length + hash.length + 5);
      rule.tracks ??= {};
      rule.tracks[hash] = encoded;
    }
  }
  return parts;
};

export const decodeRules = (parts: readonly EncodedRules[]): CarriedRules => {
  const rules = new Map<string, CarriedRule & { tracks: Map<string, CarriedTrack> }>();
  for (const part of parts) {
    for (const [id, { revision, tracks = {}, silence }] of Object.entries(part)) {
      const rule = rules.get(id) ?? { revision, tracks: new Map() };
      for (const [hash, track] of Object.entries(tracks)) rule.tracks.set(hash, decodeTrack(track));
      rules.set(id, { ...rule, ...definedFields({ silence }) });
    }
  }
  return rules;
};
