/** Exchanges of OAuth: one request each, never repeated, because what is exchanged may be spent although no answer came. */
import { CallTimeoutError } from "../circuit-breaker/circuit-open-error.ts";
import { type Guard, MAX_CALL_TIMEOUT_MS } from "../circuit-breaker/guard.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { timeoutError } from "./attempt.ts";
import type { Tokens } from "./provider.ts";
import type { OperationContext, ProviderAccess } from "./provider-access.ts";
import type { Grant, OAuthAdapter } from "./provider-adapter.ts";
import { ProviderError } from "./provider-error.ts";
import type { RecordOperation } from "./record-operation.ts";

type Exchange = Pick<ProviderAccess, "exchangeCode" | "refreshTokens">;

/** @param oauth undefined while the platform has no credentials of its own. */
export const createExchange = (dependencies: {
  oauth: OAuthAdapter | undefined;
  guard: Guard;
  recordOperation: RecordOperation;
}): Exchange => {
  const { oauth, guard, recordOperation } = dependencies;

  const configured = (): OAuthAdapter => {
    if (oauth !== undefined) return oauth;
    throw new DomainError("oauth_not_configured", "This deployment has no credentials for OAuth.");
  };

  /** Outside the pace: it is rare, and it may be what another request waits for in its own turn. */
  const exchange = async (
    grant: Grant,
    { organizationId, isConnecting }: OperationContext,
    onSent: () => void = () => undefined,
  ): Promise<Tokens> => {
    const adapter = configured();
    const classifyError = (error: unknown) => {
      if (!(error instanceof ProviderError)) return "neutral";
      return isConnecting === true && error.kind === "authentication" ? "neutral" : error.outcome;
    };
    const call = (signal: AbortSignal) => {
      onSent();
      return adapter.exchange(grant, signal);
    };
    try {
      // As long as a call may take: given up too early, the new tokens would be lost and the old ones dead.
      return await guard(organizationId, call, {
        isStart: isConnecting === true,
        classifyError,
        timeoutMs: MAX_CALL_TIMEOUT_MS,
      });
    } catch (error) {
      throw error instanceof CallTimeoutError ? timeoutError() : error;
    }
  };

  return {
    exchangeCode: async (code, context) => {
      configured();
      const operation = {
        action: "exchange_code",
        result: ({ accountId }: Tokens) => (accountId === undefined ? {} : { accountId }),
      };
      return recordOperation(operation, context, (report) => exchange({ code }, context, () => report.attempts++));
    },

    refreshTokens: async (refreshToken, context) => exchange({ refreshToken }, context),
  };
};
