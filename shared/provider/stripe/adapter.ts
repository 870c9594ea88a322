/** The adapter to Stripe, with its official SDK: each method of the port is one request. */
import * as z from "zod/mini";
import type { RecordType } from "../../records/record.ts";
import { isSetAside, type SetAside } from "../../records/set-aside.ts";
import type { Clock } from "../../runtime/clock.ts";
import { PAGE_SIZE, type ProviderAdapter, type ProviderPage } from "../provider.ts";
import { ProviderError } from "../provider-error.ts";
import { errorOfUnexpected, errorOfUnusable } from "./errors.ts";
import { parseProviderEvent } from "./events.ts";
import { createOAuth } from "./oauth.ts";
import { parseInvoicePayment, parseObject, providerTypes } from "./objects.ts";
import { accepted, createRequest, type WireAnswer, type WireRequest } from "./request.ts";
import { ExactId } from "./tolerant-schemas.ts";
import { createWebhookEndpoints } from "./webhook-endpoints.ts";
import { createConnections } from "./wire-client.ts";

const List = z.object({ data: z.array(z.unknown()), has_more: z.boolean() });

/** The longest cursor in a URL: servers reject URLs of more than 8 KB. */
const MAX_CURSOR_CHARACTERS = 4_096;

/** An id that a page can start after, as the provider writes it. URLs contain no other Unicode. */
const Cursor = z.string().check(
  z.minLength(1),
  z.maxLength(MAX_CURSOR_CHARACTERS),
  z.refine((id) => id.isWellFormed() && encodeURIComponent(id).length <= MAX_CURSOR_CHARACTERS),
);
const Listed = z.object({ id: Cursor });

/** An object of the provider, whatever is wrong with it. */
const AnyObject = z.object({ id: z.unknown(), object: z.optional(z.string()) });

/** The position of the last object that the next page can start after, and its id. */
const lastCursor = (data: readonly unknown[], after: string | undefined): { index: number; id: string } | undefined => {
  for (const [index, object] of [...data.entries()].reverse()) {
    const id = Listed.safeParse(object).data?.id;
    // After the same id comes the same page.
    if (id !== undefined && id !== after) return { index, id };
  }
  return undefined;
};

/**
 * A page of the list's objects; those that `read` returns undefined for are left out. The page ends with the last object
 * that the next page can start after: the objects behind it come again.
 * @param request `after`: the id that the page was requested after; `isLast`: no further page will be requested.
 * @throws ProviderError if the answer is not a list, or announces a next page without a cursor.
 */
const pageOf = <Item>(
  { body, status }: Pick<WireAnswer, "body" | "status">,
  { after, isLast = false }: { after: string | undefined; isLast?: boolean },
  read: (object: unknown) => Item | SetAside | undefined,
): ProviderPage<Item> => {
  const { data: list } = List.safeParse(body);
  if (list === undefined) throw errorOfUnexpected(status);
  const cursor = list.has_more ? lastCursor(list.data, after) : undefined;
  if (list.has_more && cursor === undefined && !isLast) throw errorOfUnexpected(status);
  const objects = cursor === undefined ? list.data : list.data.slice(0, cursor.index + 1);
  const results = objects.map(read);
  return {
    items: results.filter(
      (one): one is Exclude<typeof one, SetAside | undefined> => one !== undefined && !isSetAside(one),
    ),
    next: cursor?.id,
    setAside: results.filter(isSetAside),
  };
};

export const PUBLIC_URL = "https://api.stripe.com";

type Place = { path: string; parameters?: Readonly<Record<string, string>> };

const placeOf = (type: RecordType): Place => providerTypes[type];

/** How much later than the feed's answer an event may be dated. Each run reads the feed's last 60 s again. */
const MAX_AHEAD_SECONDS = 60;

const AccountAnswer = z.object({ id: ExactId });

export type StripeSettings = {
  /** The provider's base URL, by default its public one; may use plain HTTP and have a path. */
  url?: string | undefined;
  clock: Clock;
};

export const createStripeAdapter = ({ url = PUBLIC_URL, clock }: StripeSettings): ProviderAdapter => {
  const send = createRequest(createConnections(new URL(url), clock), clock);

  return {
    oauth: createOAuth(send),

    webhookEndpointsAt: (options) => createWebhookEndpoints(send, options),

    at({ secret, signal }) {
      const ask = (path: string, parameters: NonNullable<WireRequest["parameters"]> = {}): Promise<WireAnswer> =>
        send({ method: "GET", path, parameters, authorization: `Bearer ${secret}`, signal });
      const get: typeof ask = async (...request) => accepted(await ask(...request));

      return {
        async readAccount() {
          const { body, status } = await get("/v1/account");
          const account = AccountAnswer.safeParse(body);
          if (!account.success) throw errorOfUnexpected(status);
          return { accountId: account.data.id };
        },

        async listObjects(type, { after, createdUntil }) {
          const { path, parameters } = placeOf(type);
          const answer = await get(path, {
            limit: PAGE_SIZE,
            ...parameters,
            "created[lte]": createdUntil,
            starting_after: after,
          });
          return pageOf(answer, { after }, (object) => {
            const observation = parseObject(type, object, answer.observedAt);
            return observation.kind === "deleted" ? undefined : observation;
          });
        },

        async readObject(type, id) {
          const answer = await ask(`${placeOf(type).path}/${encodeURIComponent(id)}`);
          if (answer.refusal?.reason === "missing") return { kind: "deleted", type, id, observedAt: answer.observedAt };
          const { body, status, observedAt } = accepted(answer);
          const observation = parseObject(type, body, observedAt);
          if (observation.kind !== "set_aside" && observation.id === id) return observation;
          throw AnyObject.safeParse(body).success ? errorOfUnusable(status) : errorOfUnexpected(status);
        },

        async listPaymentLinks({ after }) {
          try {
            const answer = await get("/v1/invoice_payments", { limit: PAGE_SIZE, starting_after: after });
            return pageOf(answer, { after }, (object) => parseInvoicePayment(object, answer.observedAt));
          } catch (error) {
            // A provider without this list may answer with any body, not only JSON.
            if (error instanceof ProviderError && error.status === 404) return undefined;
            throw error;
          }
        },

        async listEvents({ since, after, limit = PAGE_SIZE }) {
          const answer = await get("/v1/events", { limit, "created[gte]": since, starting_after: after });
          const { observedAt } = answer;
          const page = pageOf(answer, { after, isLast: limit < PAGE_SIZE }, (event) =>
            parseProviderEvent(event, observedAt.to + MAX_AHEAD_SECONDS),
          );
          return { ...page, observedAt };
        },
      };
    },
  };
};
