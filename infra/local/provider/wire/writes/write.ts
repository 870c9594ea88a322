import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import type { ChangeContext } from "../../changes/targets.ts";
import type { ObjectOf, ObjectType, StoredObject } from "../../objects/objects.ts";
import { renderObject, type WireObject } from "../../render/render-object.ts";
import { type Answer, missing } from "../requests/answer.ts";
import { readForm } from "../requests/read-form.ts";
import { resources } from "../requests/resources.ts";

/** An operation of the provider's API that changes something. */
export type Write = {
  /** Such as `POST /v1/invoices/{id}/pay`. */
  route: string;
  /** The parameters that it supports. */
  parameters: readonly string[];
  /** Reads the form and does the work in the context's ledger. @throws RefusedError as the provider refuses. */
  perform(context: ChangeContext, id: string, search: URLSearchParams): Answer;
};

/** @param work returns the object of the answer, or the answer if it is not 200. `id` is the one in the path. */
export const write = <Shape extends z.ZodRawShape>(
  route: `${"POST" | "DELETE"} /v1/${string}`,
  shape: Shape,
  work: (
    context: ChangeContext,
    input: z.output<z.ZodObject<Shape, z.core.$strict>>,
    id: string,
  ) => StoredObject | { rendered: WireObject } | { answer: Answer },
): Write => {
  const schema = z.strictObject(shape);
  return {
    route,
    parameters: Object.keys(shape),
    perform(context, id, search) {
      const result = work(context, readForm(search, schema), id);
      if ("answer" in result) return result.answer;
      return { status: 200, body: "rendered" in result ? result.rendered : renderObject(result) };
    },
  };
};

/** The object of the path. @throws RefusedError 404 if there is none, or it was deleted. */
export const objectOfPath = <Type extends ObjectType>(
  { ledger }: ChangeContext,
  type: Type,
  id: string,
): ObjectOf<Type> => {
  const param = resources.find((resource) => resource.type === type)?.idParameter ?? "id";
  const object = ledger.find(type, id);
  if (object === undefined || object.deleted) throw missing({ type, id, param, status: 404 });
  return object;
};

/** The object that a parameter names. @throws RefusedError 400 if there is none, or it was deleted. */
export const objectOfParameter = <Type extends ObjectType>(
  { ledger }: ChangeContext,
  type: Type,
  id: string,
  param: string = type,
): ObjectOf<Type> => {
  const object = ledger.find(type, id);
  if (object === undefined || object.deleted) throw missing({ type, id, param, status: 400 });
  return object;
};

/** Changes what differs, with the event; without a difference there is no event. */
export const changeObject = <Type extends ObjectType>(
  { ledger }: ChangeContext,
  object: ObjectOf<Type>,
  patch: { [Name in keyof ObjectOf<Type>]?: ObjectOf<Type>[Name] | undefined },
  ...eventTypes: string[]
): void => {
  const given = Object.entries(patch).filter(([name, value]) => {
    return value !== undefined && !isDeepStrictEqual(value, object[name as keyof ObjectOf<Type>]);
  });
  if (given.length > 0) ledger.change(object, Object.fromEntries(given) as Partial<ObjectOf<Type>>, ...eventTypes);
};
