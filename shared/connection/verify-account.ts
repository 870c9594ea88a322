/** Tries credentials on the provider before anything is stored. */
import { CallTimeoutError } from "../circuit-breaker/guard.ts";
import type { Account, Credentials, OperationContext, ProviderAccess, Tokens } from "../provider/provider.ts";
import { ProviderError } from "../provider/provider-error.ts";
import { DomainError } from "../runtime/domain-error.ts";

const isRefusal = ({ reason, status }: ProviderError): boolean =>
  reason === "invalid_grant" || status === 401 || status === 403;

const refused = (cause?: unknown) =>
  new DomainError("credentials_refused", "The provider refuses the credentials. Nothing was stored.", { cause });

/**
 * What a failed call of the provider means to who connects: `credentials_refused`, or `provider_unavailable` where it
 * did not judge them. An open circuit and our own failures stay what they are.
 */
const meaningOf = (error: unknown): unknown => {
  if (error instanceof ProviderError && isRefusal(error)) return refused(error);
  if (!(error instanceof ProviderError || error instanceof CallTimeoutError)) return error;
  const retryAfterMs = error instanceof ProviderError ? error.retryAfterMs : undefined;
  return new DomainError("provider_unavailable", "The provider did not answer as it should. Try again.", {
    cause: error,
    ...(retryAfterMs !== undefined && { retryAfterSeconds: Math.max(1, Math.ceil(retryAfterMs / 1000)) }),
  });
};

/** @throws what the failure means: DomainError `credentials_refused`, `provider_unavailable`, `circuit_open`, … */
const translated = async <Result>(call: () => Promise<Result>): Promise<Result> => {
  try {
    return await call();
  } catch (error) {
    throw meaningOf(error);
  }
};

/** Whether the provider has said no: the code is spent then. Otherwise it may never have come there. */
export const isRefused = (error: unknown): boolean =>
  error instanceof DomainError && error.code === "credentials_refused";

/** Credentials that are what they are: while connecting nothing is refreshed. */
const fixed = (secret: string): Credentials => ({ current: async () => secret, refused: async () => undefined });

export const createVerification = (provider: Pick<ProviderAccess, "open" | "exchangeCode">) => ({
  /** The tokens of an authorization code. Asks once. */
  exchange: (code: string, context: OperationContext): Promise<Tokens> =>
    translated(() => provider.exchangeCode(code, { ...context, isConnecting: true })),

  /**
   * The account that a secret leads to.
   * @param context.accountId the one that it must be, where it is known.
   */
  readAccount: async (secret: string, context: OperationContext): Promise<Account> => {
    const opened = provider.open(fixed(secret), { ...context, isConnecting: true });
    const account = await translated(() => opened.readAccount());
    if (context.accountId !== undefined && context.accountId !== account.accountId) throw refused();
    return account;
  },
});

export type Verification = ReturnType<typeof createVerification>;
