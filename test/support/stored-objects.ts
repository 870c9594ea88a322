import * as z from "zod";
import type { Service } from "./service.ts";

const Buckets = z.object({ buckets: z.array(z.string()) });
const Objects = z.object({ objects: z.array(z.object({ key: z.string() })) });
const Body = z.object({ base64: z.base64() });

/** The objects of a bucket of a running service with a prefix, by key. @param name part of the bucket's name. */
export const storedObjects = async (
  { stack }: Pick<Service, "stack">,
  name: string,
  prefix: string,
): Promise<Map<string, Buffer>> => {
  const get = async (path: string, query: Record<string, string> = {}): Promise<unknown> => {
    const answer = await fetch(`${stack.controlUrl}${path}?${new URLSearchParams(query)}`);
    if (answer.status !== 200) throw new Error(`GET ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  const bucket = Buckets.parse(await get("/buckets")).buckets.find((one) => one.toLowerCase().includes(name));
  const { objects } = Objects.parse(await get(`/buckets/${bucket}`, { prefix }));
  const found = new Map<string, Buffer>();
  for (const { key } of objects) {
    const { base64 } = Body.parse(await get(`/buckets/${bucket}/object`, { key }));
    found.set(key, Buffer.from(base64, "base64"));
  }
  return found;
};
