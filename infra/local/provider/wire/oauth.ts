import { randomBytes } from "node:crypto";
import type { Platform } from "../../core/platform.ts";
import type { Store } from "../store/store.ts";
import { authorizePage } from "./authorize-page.ts";
import { type Answer, oauthRefusal } from "./requests/answer.ts";
import type { Parameters } from "./requests/parameters.ts";

const CODE_LIFETIME_MS = 5 * 60_000;
const ACCESS_LIFETIME_MS = 60 * 60_000;
const REFRESH_LIFETIME_MS = 365 * 86_400_000;

/** The accounts that the page offers: those of the businesses, and of later ones some. */
const MOST_OFFERED = 20;

/** The address of the page for people. */
export const AUTHORIZE_PATH = "/oauth/v2/authorize";

const withParameters = (url: string, parameters: Readonly<Record<string, string>>): string => {
  const location = new URL(url);
  for (const [name, value] of Object.entries(parameters)) location.searchParams.set(name, value);
  return location.href;
};

const newSecret = (prefix: string) => prefix + randomBytes(24).toString("hex");

/** Grants and exchanges of one platform. */
export const createOAuth = (options: {
  store: Store;
  platform: Pick<Platform, "clientId" | "secret">;
  now: () => number;
  /** The address that the platform has registered: people return there. Undefined if it has registered none. */
  registeredRedirect?: string | undefined;
  /** Called when an account has authorized the platform. */
  onAuthorized: (account: number) => void;
}) => {
  const { store, platform, now, registeredRedirect, onAuthorized } = options;
  const { accounts, grants } = store;

  const tokensFor = (account: number): Answer => {
    const [access, refresh] = [newSecret("sk_test_"), newSecret("rt_")];
    grants.insert("access", access, account, now() + ACCESS_LIFETIME_MS);
    grants.insert("refresh", refresh, account, now() + REFRESH_LIFETIME_MS);
    return {
      status: 200,
      body: {
        access_token: access,
        livemode: false,
        refresh_token: refresh,
        scope: "stripe_apps",
        stripe_publishable_key: "pk_test_local",
        stripe_user_id: accounts.byId(account)?.account_id,
        token_type: "bearer",
      },
    };
  };

  return {
    /** Whether this is the platform's own key. */
    isPlatform: (secret: string) => secret === platform.secret,
    /** The account that a code or a token belongs to, for faults and counts; it may have expired. */
    accountOf: (secret: string) =>
      (["code", "refresh"] as const).map((kind) => grants.find(kind, secret)?.account).find(Boolean),

    /**
     * A user authorizes the platform. A person's browser gets a page to choose the account, and then returns to
     * `redirect_uri` or the registered address. Unlike the real page, other clients are granted access at once: they are
     * redirected to `redirect_uri` if it is given, else the answer has the code.
     */
    authorize(parameters: Parameters, isPerson: boolean): Answer {
      const [clientId, state] = [parameters.text("client_id"), parameters.text("state")];
      const given = parameters.text("redirect_uri");
      const account = parameters.text("account");
      const chosen = account === undefined ? accounts.list()[0] : accounts.byAccountId(account);
      if (clientId !== platform.clientId)
        throw oauthRefusal(
          400,
          "invalid_client",
          `No application matches the supplied client identifier '${clientId}'`,
        );
      if (chosen === undefined) throw oauthRefusal(400, "invalid_request", `There is no account '${account}'`);
      if (given !== undefined && !URL.canParse(given))
        throw oauthRefusal(400, "invalid_request", "redirect_uri is no URL");
      const echoed: Readonly<Record<string, string>> = state === undefined ? {} : { state };
      const redirectUri = given ?? (isPerson ? registeredRedirect : undefined);
      if (isPerson && account === undefined) {
        const query = { client_id: clientId, ...echoed, ...(given !== undefined && { redirect_uri: given }) };
        // RFC 6749, section 4.1.2.1
        const denied = { error: "access_denied", error_description: "The user denied your request" };
        return authorizePage(accounts.list().slice(0, MOST_OFFERED), {
          grant: (id) => `?${new URLSearchParams({ ...query, account: id })}`,
          refuse: redirectUri && withParameters(redirectUri, { ...denied, ...echoed }),
        });
      }
      const code = newSecret("ac_");
      grants.insert("code", code, chosen.id, now() + CODE_LIFETIME_MS);
      const granted = { code, ...echoed };
      if (redirectUri === undefined) return { status: 200, body: granted };
      return { status: 302, headers: { location: withParameters(redirectUri, granted) }, body: granted };
    },

    /** Exchanges a code or a refresh token for the next pair of tokens. Each is valid once, even if the answer is lost. */
    exchange(parameters: Parameters, secret: string | undefined): Answer {
      if (secret === undefined || secret !== platform.secret)
        throw oauthRefusal(401, "invalid_client", "No such API key, or it is not the key of a platform");
      const grantType = parameters.text("grant_type");
      const kinds = { authorization_code: ["code", "code"], refresh_token: ["refresh", "refresh_token"] } as const;
      const [kind, name] = kinds[grantType as keyof typeof kinds] ?? [];
      if (kind === undefined || name === undefined)
        throw oauthRefusal(400, "unsupported_grant_type", `Invalid grant type: '${grantType ?? ""}'`);
      const given = parameters.text(name);
      if (given === undefined || given === "") throw oauthRefusal(400, "invalid_request", `No ${name} given`);
      const what = kind === "code" ? "Authorization code" : "Refresh token";
      const grant = grants.find(kind, given);
      if (grant === undefined)
        throw oauthRefusal(400, "invalid_grant", `${what} does not exist: ${given.slice(0, 5)}…`);
      grants.remove(given);
      if (grant.expiresAt <= now()) throw oauthRefusal(400, "invalid_grant", `${what} expired: ${given.slice(0, 5)}…`);
      const answer = tokensFor(grant.account);
      if (kind === "code") onAuthorized(grant.account);
      return answer;
    },
  };
};

export type OAuth = ReturnType<typeof createOAuth>;
