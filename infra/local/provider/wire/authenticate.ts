import type { AccountRow } from "../store/account-table.ts";
import type { Store } from "../store/store.ts";
import { refusal } from "./requests/answer.ts";

/** The secret of `Authorization: Bearer …` or `Basic …`, whose password is empty. */
export const readSecret = (authorization: string | undefined): string | undefined => {
  const [, scheme = "", value = ""] = /^(\w+) +(\S+)$/.exec(authorization ?? "") ?? [];
  if (scheme.toLowerCase() === "bearer") return value;
  if (scheme.toLowerCase() !== "basic") return undefined;
  const [user = "", password = ""] = Buffer.from(value, "base64").toString("utf8").split(":", 2);
  return user === "" ? password || undefined : user;
};

const challenge = { "www-authenticate": 'Basic realm="Stripe"' };
const masked = (secret: string) =>
  `${secret.slice(0, 8)}${"*".repeat(Math.max(0, secret.length - 12))}${secret.slice(-4)}`;

/** A business has one key. Its twins of other kinds and of live mode open the same account: `rk_live_…` of `sk_test_…`. */
const keyOfTwin = (secret: string): string => secret.replace(/^(?:sk|rk)_(?:live|test)_/, "sk_test_");

/** The owner of a secret: the account of a key, or of a token with its expiry. */
export const findSecret = (store: Store, secret: string | undefined) => {
  if (secret === undefined) return undefined;
  const account = store.accounts.byKey(keyOfTwin(secret));
  if (account !== undefined) return { account, expiresAt: Number.POSITIVE_INFINITY };
  const grant = store.grants.find("access", secret);
  const granted = grant && store.accounts.byId(grant.account);
  return granted && { account: granted, expiresAt: grant.expiresAt };
};

/** @throws RefusedError 401 without a key, and for one that is unknown or has expired. */
export const requireAccount = (
  secret: string | undefined,
  found: ReturnType<typeof findSecret>,
  nowMs: number,
): AccountRow => {
  if (secret === undefined)
    throw refusal(
      401,
      {
        message:
          "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY'). See https://stripe.com/docs/api#authentication for details.",
      },
      challenge,
    );
  if (found === undefined) throw refusal(401, { message: `Invalid API Key provided: ${masked(secret)}` }, challenge);
  if (found.expiresAt <= nowMs)
    throw refusal(401, { code: "api_key_expired", message: `Expired API Key provided: ${masked(secret)}` }, challenge);
  return found.account;
};
