import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { type JsonRoutes, refuse } from "../http/json-server.ts";
import type { ObjectBucket, ObjectBuckets } from "./buckets.ts";
import type { StoredObject } from "./object-table.ts";

/** Objects that one list shows. */
const MAX_SHOWN = 1_000;

const shown = ({ key, bytes, headers, modified_at }: StoredObject) => ({
  key,
  bytes,
  headers,
  modifiedAt: modified_at,
});

/**
 * For the control server, what functions have stored: `GET /buckets` lists the buckets, `GET /buckets/{name}` the first
 * 1,000 objects of the prefix in `prefix`, `GET /buckets/{name}/object` the object of the key in `key`, with its bytes.
 * Keys have slashes, so they are in the query.
 */
export const bucketRoutes = (buckets: ObjectBuckets): JsonRoutes => {
  const names = () => buckets.list().map(({ model }) => model.name);
  const inBucket = (name: string, answer: (bucket: ObjectBucket) => ReturnType<JsonRoutes[string]>) => {
    const bucket = buckets.find(name);
    if (bucket !== undefined) return answer(bucket);
    return refuse(404, `there is no bucket ${name}; there are: ${names().join(", ") || "none"}`);
  };
  return {
    "GET /buckets": () => ({ status: 200, body: { buckets: names() } }),
    "GET /buckets/{name}": ({ parameters: { name = "" }, query }) =>
      inBucket(name, (bucket) => {
        const objects = bucket.list({ prefix: query.get("prefix") ?? "", after: "", limit: MAX_SHOWN });
        return { status: 200, body: { name, objects: objects.map(shown) } };
      }),
    "GET /buckets/{name}/object": ({ parameters: { name = "" }, query }) =>
      inBucket(name, async (bucket) => {
        const key = query.get("key") ?? "";
        const object = bucket.find(key);
        if (object === undefined) return refuse(404, `there is no object ${key} in ${name}`);
        const body = await buffer(Readable.from(bucket.read(object, 0, object.bytes - 1)));
        return { status: 200, body: { ...shown(object), base64: body.toString("base64") } };
      }),
  };
};
