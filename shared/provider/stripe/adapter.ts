/** The adapter to Stripe, with its official SDK: each method of the port is one request. */
import * as z from "zod/mini";
import type { RecordType } from "../../records/record.ts";
import type { Clock } from "../../runtime/clock.ts";
import { PAGE_SIZE, type ProviderAdapter, type ProviderPage } from "../provider.ts";
import { ProviderError } from "../provider-error.ts";
import { errorOfUnexpected } from "./errors.ts";
import { parseProviderEvent } from "./events.ts";
import { createOAuth } from "./oauth.ts";
import { parseInvoicePayment, parseObject } from "./objects.ts";
import { accepted, createRequest, type WireAnswer, type WireRequest } from "./request.ts";
import { Id } from "./tolerant-schemas.ts";
import { createWebhookEndpoints } from "./webhook-endpoints.ts";
import { createConnections } from "./wire-client.ts";

const List = z.object({ data: z.array(z.unknown()), has_more: z.boolean() });
const Listed = z.object({ id: Id });

/**
 * A page of the list's objects; those that `read` returns undefined for are left out.
 * @throws ProviderError if the answer is not a list, or announces a next page without its cursor.
 */
const pageOf = <Item>(
  { body, status }: Pick<WireAnswer, "body" | "status">,
  read: (object: unknown) => Item | undefined,
): ProviderPage<Item> => {
  const { data: list } = List.safeParse(body);
  if (list === undefined) throw errorOfUnexpected(status);
  const next = list.has_more ? Listed.safeParse(list.data.at(-1)).data?.id : undefined;
  if (list.has_more && next === undefined) throw errorOfUnexpected(status);
  return { items: list.data.map(read).filter((item) => item !== undefined), next };
};

const PUBLIC_URL = "https://api.stripe.com";

const paths: Record<RecordType, string> = {
  customers: "/v1/customers",
  subscriptions: "/v1/subscriptions",
  invoices: "/v1/invoices",
  payments: "/v1/payment_intents",
};

/** Without `status`, cancelled subscriptions are left out. */
const listing: Partial<Record<RecordType, Record<string, string>>> = { subscriptions: { status: "all" } };

const AccountAnswer = z.object({ id: Id });

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
          const answer = await get(paths[type], {
            limit: PAGE_SIZE,
            ...listing[type],
            "created[lte]": createdUntil,
            starting_after: after,
          });
          return pageOf(answer, (object) => {
            const observation = parseObject(type, object, answer.observedAt);
            return observation?.kind === "state" ? observation : undefined;
          });
        },

        async readObject(type, id) {
          const answer = await ask(`${paths[type]}/${encodeURIComponent(id)}`);
          if (answer.refusal?.reason === "missing") return { kind: "deleted", type, id, observedAt: answer.observedAt };
          const { body, status, observedAt } = accepted(answer);
          const observation = parseObject(type, body, observedAt);
          if (observation?.id !== id) throw errorOfUnexpected(status);
          return observation;
        },

        async listPaymentLinks({ after }) {
          try {
            const answer = await get("/v1/invoice_payments", { limit: PAGE_SIZE, starting_after: after });
            return pageOf(answer, (object) => parseInvoicePayment(object, answer.observedAt));
          } catch (error) {
            // A provider without this list may answer with any body, not only JSON.
            if (error instanceof ProviderError && error.status === 404) return undefined;
            throw error;
          }
        },

        async listEvents({ since, after, limit = PAGE_SIZE }) {
          const answer = await get("/v1/events", { limit, "created[gte]": since, starting_after: after });
          return { ...pageOf(answer, parseProviderEvent), observedAt: answer.observedAt };
        },
      };
    },
  };
};
