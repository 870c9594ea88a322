import { isIP } from "node:net";

/**
 * Replaces the endpoint rules of S3: puts the bucket before the host of the endpoint that the client was given, or into
 * the path if the host is an address. https://docs.aws.amazon.com/AmazonS3/latest/userguide/VirtualHosting.html
 */
type Parameters = { Endpoint?: string; Bucket?: string; Region?: string };
type Resolved = { url: URL; properties: object; headers: Record<string, string[]> };

/** @param parameters as the SDK derives them from a client's configuration and the call. */
export const defaultEndpointResolver = (parameters: Parameters): Resolved => {
  const { Endpoint, Bucket, Region } = parameters;
  if (Endpoint === undefined) throw new Error("This bundle has no endpoint rules: give the client its endpoint.");
  const url = new URL(Endpoint);
  if (Bucket !== undefined && isIP(url.hostname) !== 0) url.pathname = `/${Bucket}`;
  else if (Bucket !== undefined) url.hostname = `${Bucket}.${url.hostname}`;
  // The signer of links takes the region from here.
  const authScheme = { name: "sigv4", signingName: "s3", signingRegion: Region, disableDoubleEncoding: true };
  return { url, properties: { authSchemes: [authScheme] }, headers: {} };
};
