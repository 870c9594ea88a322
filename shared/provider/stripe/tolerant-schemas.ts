/**
 * Schemas for the provider's fields. A field that is missing, or of another type than documented, becomes null: one
 * wrong field must not cost a page of objects. Texts become well-formed Unicode, because the store takes no other: a lone
 * surrogate, which JSON may contain (https://www.rfc-editor.org/rfc/rfc8259#section-8.2), becomes U+FFFD. Pure.
 */
import * as z from "zod/mini";
import { isExact } from "../../records/set-aside.ts";

/** Longer than any text that the provider documents. */
const MAX_TEXT_CHARACTERS = 2_048;
/** In UTF-16 units, which have at most 3 bytes in UTF-8: 255 code points of 4 bytes would exceed DynamoDB's sort keys. */
const MAX_ID_LENGTH = 255;
/** The end of the year 9999: later times would not sort as text. */
const MAX_SECONDS = 253_402_300_799;

const orNull = <Schema extends z.ZodMiniType>(schema: Schema) => z.catch(z.nullable(schema), null);

const wellFormed = z.overwrite((value: string) => value.toWellFormed());
/** The store has no −0, so a stored −0 would differ from the provider's at every comparison. */
const withoutMinusZero = z.overwrite((value: number) => value + 0);

/** Control characters and spaces separate ids in stored lists; `.` and `..` would be another path. */
const ID = /^(?!\.{1,2}$)[^\p{Cc}\p{Z}]+$/u;

/** z.maxLength counts code points. */
const isShortId = (id: string): boolean => id.length <= MAX_ID_LENGTH;

/** The id of an object: the only required field. */
export const Id = z.string().check(wellFormed, z.refine(isShortId), z.regex(ID));

/** An id that the provider is asked for, or that decides whose data these are: exactly as the provider writes it. */
export const ExactId = z.string().check(
  z.refine((id) => id.isWellFormed() && isExact(id) && isShortId(id)),
  z.regex(ID),
);

/** Epoch seconds of the provider's clock. */
export const Seconds = z.int().check(z.minimum(0), z.maximum(MAX_SECONDS), withoutMinusZero);

export const text = orNull(z.string().check(wellFormed, z.maxLength(MAX_TEXT_CHARACTERS)));
export const flag = orNull(z.boolean());
/** Amounts in minor units, and counts. */
export const integer = orNull(z.int().check(withoutMinusZero));

/** A time in epoch ms, from the provider's seconds. */
export const time = orNull(
  z.pipe(
    Seconds,
    z.transform((seconds: number) => seconds * 1_000),
  ),
);

/** The id of another object, from the id or the whole object. */
export const reference = orNull(
  z.union([
    Id,
    z.pipe(
      z.object({ id: Id }),
      z.transform(({ id }: { id: string }) => id),
    ),
  ]),
);

/** An object inside an object. */
export const part = <Shape extends z.core.$ZodShape>(shape: Shape) => orNull(z.object(shape));

/** The objects of a list inside an object; entries that are no objects are left out. */
export const listOf = <Shape extends z.core.$ZodShape>(shape: Shape) => {
  const items = z.pipe(
    z.object({ data: z.array(part(shape)) }),
    z.transform(({ data }) => data.filter((item) => item !== null)),
  );
  return orNull(items);
};
