import type { RequestIdentity } from "../../shared/terms/idempotency-key.ts";

let requests = 0;

/** The identity of a new request without a key, unless the fields say otherwise. @param at epoch ms. */
export const identityAt = (at: number, fields: Partial<RequestIdentity> = {}): RequestIdentity => ({
  id: `request ${++requests}`,
  at,
  isKeyed: false,
  isRepeated: false,
  ...fields,
});

/** The identities of a request with a key: of the first attempt, and of a repeated one. */
export const keyedIdentity = (at: number) => {
  const first = identityAt(at, { isKeyed: true });
  return { first, repeated: { ...first, isRepeated: true } };
};
