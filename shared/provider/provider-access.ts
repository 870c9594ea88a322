/** How the service gets at the provider: with whose credentials, and on whose behalf. */
import type { SecurityEvent } from "../security/security-event.ts";
import type { Provider, Tokens } from "./provider.ts";

/** The secret of an organization's connection: an API key, or an access token that can be replaced. */
export type Credentials = {
  /** The secret to use now; one that has expired, or soon will, is replaced first. */
  current(): Promise<string>;
  /**
   * Told of a secret that the provider refused (401).
   * @returns one to try once more: refreshed, or stored by another meanwhile; undefined where there is none.
   */
  refused(secret: string): Promise<string | undefined>;
};

/** On whose behalf an operation is; its security event says so. */
export type OperationContext = {
  organizationId: string;
  source: SecurityEvent["source"];
  userId?: string;
  sessionId?: string;
  ipAddress?: string;
  userAgent?: string;
  /** The account, where it is known already. */
  accountId?: string;
  /** The sync run that the operation is part of. */
  runId?: string;
  /** The credentials are being tried: that they are refused says nothing about the provider (neutral to the circuit). */
  isConnecting?: boolean;
};

/** All functions' one way to the provider; shared/wiring/provider.ts has a deployed function's. */
export type ProviderAccess = {
  /** The provider as these credentials see it. Its first operation reads the circuit as it is, and not from a copy. */
  open(credentials: Credentials, context: OperationContext): Provider;

  /**
   * Exchanges an authorization code, once: a code is good for one exchange, and repeating one that timed out may void
   * what the first one gave.
   * @throws ProviderError, `invalid_grant` where the code is refused; CircuitOpenError.
   */
  exchangeCode(code: string, context: OperationContext): Promise<Tokens>;

  /**
   * Exchanges a refresh token, once; the old one dies at it. Recorded by the caller (PROVIDER_TOKEN_REFRESH).
   * @throws ProviderError, `invalid_grant` where the token is refused; CircuitOpenError.
   */
  refreshTokens(refreshToken: string, context: OperationContext): Promise<Tokens>;

  /** Whether the organization's circuit is on trial after the operations so far: one more success may then close it. */
  isHalfOpen(organizationId: string): boolean;

  /** To be awaited at the end of each invocation: sends what was counted. Never throws. */
  flush(): Promise<void>;
};
