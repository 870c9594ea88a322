import type { ObjectOf } from "../../objects/objects.ts";
import { invalidParameter } from "../requests/answer.ts";
import { integer, oneOf } from "./fields.ts";

type Collected = Pick<ObjectOf<"invoice">, "collectionMethod" | "daysUntilDue">;
type Method = Collected["collectionMethod"];

/** The parameters that say how an invoice is collected. */
export const collection = {
  collection_method: oneOf(["charge_automatically", "send_invoice"]).optional(),
  days_until_due: integer({ min: 0, max: 10_000 }).optional(),
};

/**
 * The attributes that a client has given.
 * @param before the method until now
 * @throws RefusedError unless both parameters fit together.
 */
export const readCollection = (
  given: { collection_method?: Method | undefined; days_until_due?: number | undefined },
  before: Method = "charge_automatically",
): Partial<Collected> => {
  const { collection_method: method = before, days_until_due: daysUntilDue } = given;
  if (method === "charge_automatically" && daysUntilDue !== undefined)
    throw invalidParameter(
      "days_until_due",
      "You can only set `days_until_due` if the collection method is `send_invoice`.",
    );
  if (method === "send_invoice" && before !== method && daysUntilDue === undefined)
    throw invalidParameter(
      "days_until_due",
      "If the collection method is `send_invoice`, you must specify `days_until_due`.",
      "parameter_missing",
    );
  return {
    ...(given.collection_method !== undefined && { collectionMethod: method }),
    ...(daysUntilDue !== undefined && { daysUntilDue }),
  };
};
