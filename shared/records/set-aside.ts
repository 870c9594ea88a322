/**
 * Objects of the provider that cannot be stored. Each is set aside: a security event names it, and everything else goes
 * on without it. Pure. docs/sync.md, "Objects that are set aside".
 */
import * as z from "zod/mini";
import { RecordType } from "./record.ts";

/** Why an object is set aside, as its security event explains it. */
export const setAsideReasons = {
  id: "The object cannot be stored: its id is missing, too long or has characters that no id has.",
  type: "The object cannot be stored: it is of another type than requested.",
  time: "The event cannot be applied: its time is missing or outside the calendar.",
  event: "The event cannot be applied: it has no id.",
  refused: "The object cannot be stored: the store refuses it, for example because it has more than 400 KB.",
  unreadable: "The object's present state cannot be read at the provider.",
} as const;

/** The error code of an object that is set aside, in security events. */
export const NOT_STORABLE = "not_storable";

const reasons = Object.keys(setAsideReasons) as (keyof typeof setAsideReasons)[];

/** `id`: undefined if the object has no usable one. `name`: the id for people, well formed and at most 255 characters. */
export const SetAside = z.object({
  kind: z.literal("set_aside"),
  type: RecordType,
  id: z.exactOptional(z.string()),
  name: z.string(),
  reason: z.enum(reasons),
});
export type SetAside = z.output<typeof SetAside>;

export const isSetAside = (value: unknown): value is SetAside =>
  typeof value === "object" && value !== null && "kind" in value && value.kind === "set_aside";

/** An object with a usable id. */
export const setAside = (type: RecordType, id: string, reason: SetAside["reason"]): SetAside => ({
  kind: "set_aside",
  type,
  id,
  name: id,
  reason,
});

const REPLACEMENT = "\ufffd";

/** Whether the stored id is the one that the provider knows: U+FFFD replaced each character that could not be stored. */
export const isExact = (id: string): boolean => !id.includes(REPLACEMENT);

const MAX_NAME_CHARACTERS = 255;

/** The name of an object with any id. */
export const nameOfId = (id: unknown): string => {
  if (typeof id !== "string" && typeof id !== "number") return "(no id)";
  const text = String(id).slice(0, MAX_NAME_CHARACTERS).toWellFormed();
  return text === "" ? "(no id)" : text.replaceAll(/[\p{Cc}\p{Z}]/gu, REPLACEMENT);
};
