/**
 * The preview of the account's log of activity: https://docs.stripe.com/api/v2/iam/activity-logs/list. It is served in one
 * preview version, and to secret keys only: the documentation names no other kind.
 */
import type { AccountRow } from "../store/account-table.ts";
import type { Store } from "../store/store.ts";
import { type Answer, invalidParameter, refusal } from "./requests/answer.ts";
import type { Parameters } from "./requests/parameters.ts";

export const ACTIVITY_PATH = "/v2/iam/activity_logs";

const VERSION = "2026-11-18.preview";
const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;
/** The provider keeps entries for six months. */
const KEPT_MS = 183 * 86_400_000;

type ActivityRequest = {
  account: AccountRow;
  parameters: Parameters;
  secret: string | undefined;
  version: string | string[] | undefined;
  nowMs: number;
};

const TOKEN = /^(\d{1,16})-(\d{1,16})$/;

const readAfter = (page: string | undefined): [number, number] | undefined => {
  if (page === undefined) return undefined;
  const [, created, position] = TOKEN.exec(Buffer.from(page, "base64url").toString("utf8")) ?? [];
  if (created === undefined) throw invalidParameter("page", "Invalid page token.");
  return [Number(created), Number(position)];
};

export const createActivityApi =
  ({ activity }: Pick<Store, "activity">) =>
  ({ account, parameters, secret, version, nowMs }: ActivityRequest): Answer => {
    if (version !== VERSION) throw refusal(400, { message: `Unrecognized or unsupported API version: ${version}` });
    // The key itself or its twin of live mode. The secrets of grants look like keys.
    if (secret?.replace(/^sk_live_/, "sk_test_") !== account.api_key)
      throw refusal(403, {
        code: "permission_denied",
        message: "The provided key does not have the permissions that this request needs.",
      });
    const limit = parameters.integer("limit") ?? DEFAULT_LIMIT;
    if (limit < 1 || limit > MAX_LIMIT) throw invalidParameter("limit", `Expected 1 to ${MAX_LIMIT}.`);
    const after = readAfter(parameters.text("page"));
    parameters.requireAllRead();
    const found = activity.page(account, { since: nowMs - KEPT_MS, now: nowMs, limit, ...(after && { after }) });
    const token = found.next && Buffer.from(found.next.join("-")).toString("base64url");
    return {
      status: 200,
      body: {
        data: found.data,
        next_page_url: token === undefined ? null : `${ACTIVITY_PATH}?limit=${limit}&page=${token}`,
        previous_page_url: null,
      },
    };
  };
