/**
 * The account's log of activity, a preview of the provider: one request a page.
 * https://docs.stripe.com/api/v2/iam/activity-logs/list?api-version=2026-11-18.preview
 */
import * as z from "zod/mini";
import { definedFields } from "../../json/defined-fields.ts";
import {
  type AccountActivity,
  type ActivityLog,
  type ActivityLogAdapter,
  PAGE_SIZE,
  type RequestOptions,
} from "../provider.ts";
import { ProviderError } from "../provider-error.ts";
import { PUBLIC_URL, type StripeSettings } from "./adapter.ts";
import { errorOfUnexpected } from "./errors.ts";
import { accepted, createRequest, type SendRequest } from "./request.ts";
import { ExactId } from "./tolerant-schemas.ts";
import { createConnections } from "./wire-client.ts";

/** Of these requests only: the preview that has payout schedules and event destinations. */
const ACTIVITY_VERSION = "2026-11-18.preview";

const PATH = "/v2/iam/activity_logs";

/** The answers by which the provider says that a key may not read the log, or does not know the page. */
const REFUSALS: readonly number[] = [400, 401, 403, 404];

const MAX_CHARACTERS = 256;
const MAX_LISTED = 20;

/** A page's address has no more than a URL may have. */
const MAX_URL_CHARACTERS = 4_096;

const Page = z.object({
  data: z.array(z.unknown()),
  next_page_url: z.nullish(z.string().check(z.maxLength(MAX_URL_CHARACTERS))),
});

const shortText = z.pipe(
  z.string(),
  z.transform((text: string) => [...text.toWellFormed()].slice(0, MAX_CHARACTERS).join("")),
);
const optionalText = z.catch(z.optional(z.nullable(shortText)), undefined);

const Actor = z.object({
  type: z.catch(shortText, "unknown"),
  user: z.catch(z.nullish(z.object({ email: optionalText })), undefined),
  api_key: z.catch(z.nullish(z.object({ id: optionalText })), undefined),
});

const Entry = z.object({
  id: ExactId,
  type: shortText,
  created: z.string(),
  actor: z.catch(Actor, { type: "unknown" }),
  details: z.catch(z.record(z.string(), z.unknown()), {}),
});

/** Plain values and lists of texts. Nested objects, such as the network and device of a sign-in, are not kept. */
const plainOf = (value: unknown): unknown => {
  if (typeof value === "string") return shortText.parse(value);
  if (typeof value === "boolean" || Number.isSafeInteger(value)) return value;
  if (!Array.isArray(value)) return undefined;
  return value.flatMap((one) => (typeof one === "string" ? [shortText.parse(one)] : [])).slice(0, MAX_LISTED);
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** `type`, and the object that it names. */
const detailsOf = (details: Record<string, unknown>): AccountActivity["details"] => {
  const kind = shortText.safeParse(details.type).data;
  if (kind === undefined) return {};
  const named = details[kind];
  const fields = isObject(named) ? Object.entries(named).map(([name, value]) => [name, plainOf(value)] as const) : [];
  const kept = fields.filter(
    ([name, value]) => name.length <= MAX_CHARACTERS && name.isWellFormed() && value !== undefined,
  );
  return { type: kind, ...(kept.length > 0 && { [kind]: Object.fromEntries(kept) }) };
};

/** An entry without an id or a time is left out: nothing says which one it is. */
const parseEntry = (entry: unknown): AccountActivity | undefined => {
  const { data } = Entry.safeParse(entry);
  const occurredAt = Date.parse(data?.created ?? "");
  if (data === undefined || !Number.isFinite(occurredAt) || occurredAt < 0) return undefined;
  const { id, type, actor, details } = data;
  return {
    id,
    type,
    occurredAt,
    actor: {
      type: actor.type,
      ...definedFields({ email: actor.user?.email ?? undefined, apiKeyId: actor.api_key?.id ?? undefined }),
    },
    details: detailsOf(details),
  };
};

/** The token of a page in its URL; undefined after the last page. @throws ProviderError if the URL has none. */
const pageOf = (url: string | null | undefined, status: number): string | undefined => {
  if (url === null || url === undefined) return undefined;
  const token = URL.parse(url, "https://provider.invalid")?.searchParams.get("page");
  if (!token) throw errorOfUnexpected(status);
  return token;
};

const createActivityLog = (send: SendRequest, { secret, signal }: RequestOptions): ActivityLog => ({
  async list({ after }) {
    const answer = await send({
      method: "GET",
      path: PATH,
      parameters: { limit: PAGE_SIZE, page: after },
      authorization: `Bearer ${secret}`,
      signal,
      apiVersion: ACTIVITY_VERSION,
    });
    const { refusal } = answer;
    if (refusal?.status !== undefined && REFUSALS.includes(refusal.status)) {
      const { status, code } = refusal;
      throw new ProviderError("The provider does not show the account's activity to these credentials.", {
        kind: "validation",
        // A key that is refused altogether is found by the calls that need it.
        outcome: status === 401 ? "neutral" : "success",
        isRetryable: false,
        reason: "not_permitted",
        status,
        ...definedFields({ code }),
      });
    }
    const { body, status } = accepted(answer);
    const { data: page } = Page.safeParse(body);
    if (page === undefined) throw errorOfUnexpected(status);
    return {
      items: page.data.flatMap((entry) => parseEntry(entry) ?? []),
      next: pageOf(page.next_page_url, status),
    };
  },
});

export const createStripeActivityLog = ({ url = PUBLIC_URL, clock }: StripeSettings): ActivityLogAdapter => {
  const send = createRequest(createConnections(new URL(url), clock), clock);
  return (options) => createActivityLog(send, options);
};
