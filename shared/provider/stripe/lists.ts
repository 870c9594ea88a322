/** Pages of the provider's lists. Pure. */
import * as z from "zod/mini";
import type { ProviderPage } from "../provider.ts";
import { errorOfUnexpected } from "./errors.ts";
import type { WireAnswer } from "./request.ts";
import { Id } from "./tolerant.ts";

const List = z.object({ data: z.array(z.unknown()), has_more: z.boolean() });
const Listed = z.object({ id: Id });

/**
 * A page of what `read` finds in the objects; what it finds nothing in is left out.
 * @throws ProviderError where the answer is no list, or says that there is more and not where.
 */
export const pageOf = <Item>(
  { body, status }: Pick<WireAnswer, "body" | "status">,
  read: (object: unknown) => Item | undefined,
): ProviderPage<Item> => {
  const { data: list } = List.safeParse(body);
  if (list === undefined) throw errorOfUnexpected(status);
  const next = list.has_more ? Listed.safeParse(list.data.at(-1)).data?.id : undefined;
  if (list.has_more && next === undefined) throw errorOfUnexpected(status);
  return { items: list.data.map(read).filter((item) => item !== undefined), next };
};
