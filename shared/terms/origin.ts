/** Where a request came from, as the gateway says it; what a security event of the request names. */
export type Origin = { requestId: string; ipAddress: string; userAgent?: string };
