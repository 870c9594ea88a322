/**
 * Replaces the endpoint rules of every service but S3: returns the endpoint that the client was given.
 * A client without an endpoint is a bug, because this shim cannot derive the endpoint from a region.
 */
type Resolved = { url: URL; properties: object; headers: Record<string, string[]> };

const resolved = new Map<string, Resolved>();

/** @param parameters as the SDK derives them from a client's configuration. */
export const defaultEndpointResolver = ({ Endpoint }: { Endpoint?: string }): Resolved => {
  if (Endpoint === undefined) throw new Error("This bundle has no endpoint rules: give the client its endpoint.");
  const known = resolved.get(Endpoint);
  if (known !== undefined) return known;
  const endpoint = { url: new URL(Endpoint), properties: {}, headers: {} };
  resolved.set(Endpoint, endpoint);
  return endpoint;
};
