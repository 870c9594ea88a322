/**
 * Parts of schemas for the provider's objects. What is missing, or of another type than the provider says, is null:
 * one odd field must not cost a page of objects. Pure.
 */
import * as z from "zod/mini";

/** Longer than anything the provider says its fields may hold. */
const MAX_TEXT_CHARACTERS = 2_048;
const MAX_ID_CHARACTERS = 255;
/** The end of the year 9999: later times would not sort. */
const MAX_SECONDS = 253_402_300_799;

const orNull = <Schema extends z.ZodMiniType>(schema: Schema) => z.catch(z.nullable(schema), null);

/** An id of an object; the only thing without which an object is none. */
export const Id = z.string().check(z.minLength(1), z.maxLength(MAX_ID_CHARACTERS));

/** Epoch seconds of the provider's clock. */
export const Seconds = z.int().check(z.minimum(0), z.maximum(MAX_SECONDS));

export const text = orNull(z.string().check(z.maxLength(MAX_TEXT_CHARACTERS)));
export const flag = orNull(z.boolean());
/** Amounts in minor units, and counts. */
export const integer = orNull(z.int());

/** A time in epoch ms, from seconds. */
export const time = orNull(
  z.pipe(
    Seconds,
    z.transform((seconds: number) => seconds * 1_000),
  ),
);

/** The id of another object, which is given as its id or as the object itself. */
export const reference = orNull(
  z.union([
    Id,
    z.pipe(
      z.object({ id: Id }),
      z.transform(({ id }: { id: string }) => id),
    ),
  ]),
);

/** An object inside another; null where there is none. */
export const part = <Shape extends z.core.$ZodShape>(shape: Shape) => orNull(z.object(shape));

/** The objects of a list inside another object; what is none of them is left out. Null where there is no list. */
export const listOf = <Shape extends z.core.$ZodShape>(shape: Shape) => {
  const items = z.pipe(
    z.object({ data: z.array(part(shape)) }),
    z.transform(({ data }) => data.filter((item) => item !== null)),
  );
  return orNull(items);
};
