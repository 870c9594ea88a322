/**
 * The provider's OAuth for apps: refresh tokens rotate, and the platform authenticates with its secret key.
 * https://docs.stripe.com/stripe-apps/api-authentication/oauth
 */
import * as z from "zod/mini";
import { definedFields } from "../../json/defined-fields.ts";
import type { OAuthAdapter } from "../provider.ts";
import { errorOfUnexpected } from "./errors.ts";
import { accepted, type SendRequest } from "./request.ts";
import { ExactId } from "./tolerant-schemas.ts";

const Secret = z.string().check(z.minLength(1), z.maxLength(2_048));
/** The account is optional: the tokens can read it. */
const TokenAnswer = z.object({
  access_token: Secret,
  refresh_token: z.optional(Secret),
  stripe_user_id: z.optional(ExactId),
  livemode: z.optional(z.boolean()),
});

export const createOAuth = (send: SendRequest): OAuthAdapter => ({
  async exchange(grant, { secret, signal }) {
    const isRefresh = "refreshToken" in grant;
    const answer = await send({
      method: "POST",
      path: "/v1/oauth/token",
      parameters: isRefresh
        ? { grant_type: "refresh_token", refresh_token: grant.refreshToken }
        : { grant_type: "authorization_code", code: grant.code },
      authorization: `Basic ${Buffer.from(`${secret}:`).toString("base64")}`,
      signal,
    });
    const { body, status } = accepted(answer);
    const { data: tokens } = TokenAnswer.safeParse(body);
    // A refresh token that is not rotated may be missing in the answer.
    const refreshToken = tokens?.refresh_token ?? (isRefresh ? grant.refreshToken : undefined);
    if (tokens === undefined || refreshToken === undefined) throw errorOfUnexpected(status);
    const { access_token: accessToken, stripe_user_id: accountId, livemode: isLive } = tokens;
    return { accessToken, refreshToken, ...definedFields({ accountId, isLive }) };
  },
});
