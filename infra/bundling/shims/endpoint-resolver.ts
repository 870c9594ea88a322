/**
 * Stands in for the endpoint rules of DynamoDB, EventBridge and KMS: what they answer to a client that was given its
 * endpoint, which is that endpoint. A client without one is a mistake here, not a question of regions.
 */
type Resolved = { url: URL; properties: object; headers: Record<string, string[]> };

const resolved = new Map<string, Resolved>();

/** @param parameters as the SDK makes them of a client's configuration. */
export const defaultEndpointResolver = ({ Endpoint }: { Endpoint?: string }): Resolved => {
  if (Endpoint === undefined) throw new Error("This bundle has no endpoint rules: give the client its endpoint.");
  const known = resolved.get(Endpoint);
  if (known !== undefined) return known;
  const endpoint = { url: new URL(Endpoint), properties: {}, headers: {} };
  resolved.set(Endpoint, endpoint);
  return endpoint;
};
