/** The types of parameters in forms. All values come as texts; an empty text unsets what can be unset. */
import * as z from "zod";
import { invalidParameter } from "../requests/answer.ts";

/** https://docs.stripe.com/api/metadata */
const [MAX_METADATA_KEYS, MAX_METADATA_KEY, MAX_METADATA_VALUE] = [50, 40, 500];
/** The largest amount, in the currency's minor unit: https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts */
const MAX_AMOUNT = 99_999_999;

export const text = (max = 5_000) => z.string().min(1).max(max, `must be at most ${max} characters`);

/** A text that an empty one unsets. */
export const unsettableText = (max = 5_000) =>
  z
    .string()
    .max(max, `must be at most ${max} characters`)
    .transform((value) => (value === "" ? null : value));

export const email = () =>
  unsettableText(512).superRefine((value, context) => {
    if (value !== null && !/^[^@\s]+@[^@\s]+$/.test(value))
      context.addIssue({
        code: "custom",
        message: `Invalid email address: ${value}`,
        params: { code: "email_invalid" },
      });
  });

export const integer = ({ min, max }: { min: number; max: number }) =>
  z.string().transform((value, context) => {
    const refuse = (message: string, code?: string) => {
      context.addIssue({ code: "custom", message, params: { code } });
      return z.NEVER;
    };
    if (!/^-?\d{1,15}$/.test(value)) return refuse(`Invalid integer: ${value}`, "parameter_invalid_integer");
    const number = Number(value);
    if (number < min) return refuse(`This value must be greater than or equal to ${min}.`);
    if (number > max) return refuse(`This value must be less than or equal to ${max}.`);
    return number;
  });

/** The three letters of a currency, in lower case. */
export const currency = () =>
  z
    .string()
    .regex(/^[A-Za-z]{3}$/, "must be the three letters of a currency")
    .transform((code) => code.toLowerCase());

/** An amount in the currency's minor unit. */
export const amount = (min = 0) => integer({ min, max: MAX_AMOUNT });

export const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, `must be one of ${values.join(", ")}`);

export const boolean = () => oneOf(["true", "false"]).transform((value) => value === "true");

/** A parameter of which the simulator supports one value only: the provider's other behaviour is not simulated. */
export const only = <const Value extends string>(value: Value, reason: string) =>
  z.literal(value, `the simulator supports only '${value}': ${reason}`);

/** `name[0]=…` or `name[]=…`. */
export const list = <Element extends z.ZodType>(element: Element) =>
  z.preprocess(
    (given) => (typeof given === "object" && given !== null ? Object.values(given) : given),
    z.array(element).min(1),
  );

const Metadata = z.preprocess(
  (given) => (given === "" ? null : given),
  z
    .record(
      z.string().max(MAX_METADATA_KEY, `a key must have at most ${MAX_METADATA_KEY} characters`),
      z.string().max(MAX_METADATA_VALUE, `a value must have at most ${MAX_METADATA_VALUE} characters`),
    )
    .nullable(),
);
export const metadata = () => Metadata;

/**
 * The metadata after an update: keys are added and replaced, an empty value removes its key, and an empty text all keys.
 * @throws RefusedError if there are too many keys.
 */
export const mergeMetadata = (
  before: Readonly<Record<string, string>>,
  given: z.output<typeof Metadata> | undefined,
): Record<string, string> => {
  if (given === null) return {};
  const merged = Object.entries({ ...before, ...given }).filter(([, value]) => value !== "");
  if (merged.length > MAX_METADATA_KEYS)
    throw invalidParameter("metadata", `Metadata can have up to ${MAX_METADATA_KEYS} keys.`);
  return Object.fromEntries(merged);
};
