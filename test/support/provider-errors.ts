import { ProviderError } from "../../shared/provider/provider-error.ts";

type Details = ConstructorParameters<typeof ProviderError>[1];

/** What the adapter makes of the provider's answers: docs/provider.md, "Errors". */
const answersOf = {
  network: { kind: "network", outcome: "failure", isRetryable: true, status: 503 },
  timeout: { kind: "network", outcome: "failure", isRetryable: true, code: "timeout" },
  rateLimit: { kind: "rate_limit", outcome: "failure", isRetryable: true, status: 429, code: "rate_limit" },
  lock: { kind: "network", outcome: "success", isRetryable: true, status: 429, reason: "lock_timeout" },
  unauthorized: { kind: "authentication", outcome: "failure", isRetryable: false, status: 401 },
  invalidGrant: {
    kind: "authentication",
    outcome: "success",
    isRetryable: false,
    status: 400,
    reason: "invalid_grant",
    code: "invalid_grant",
  },
  forbidden: { kind: "authorization", outcome: "success", isRetryable: false, status: 403 },
  invalid: { kind: "validation", outcome: "success", isRetryable: false, status: 400, code: "parameter_unknown" },
  missing: { kind: "validation", outcome: "success", isRetryable: false, status: 400, reason: "missing" },
} as const satisfies Record<string, Details>;

export type ErrorRow = keyof typeof answersOf;

/** An error of the adapter. */
export const providerError = (
  row: ErrorRow,
  more: Partial<Details> = {},
  message = `The provider answered: ${row}.`,
): ProviderError => new ProviderError(message, { ...answersOf[row], ...more });
