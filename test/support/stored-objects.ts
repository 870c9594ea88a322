import * as z from "zod";
import type { Service } from "./service.ts";

const Buckets = z.object({ buckets: z.array(z.string()) });
const Objects = z.object({ objects: z.array(z.object({ key: z.string() })) });
const Body = z.object({ base64: z.base64() });

const ask = async (
  { stack }: Pick<Service, "stack">,
  path: string,
  query: Record<string, string> = {},
): Promise<unknown> => {
  const answer = await fetch(`${stack.controlUrl}${path}?${new URLSearchParams(query)}`);
  if (answer.status !== 200) throw new Error(`GET ${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
};

/** The names of the buckets of a running service. */
export const bucketsOf = async (service: Pick<Service, "stack">): Promise<string[]> =>
  Buckets.parse(await ask(service, "/buckets")).buckets;

/** The objects of a bucket of a running service with a prefix, by key. @param name part of the bucket's name. */
export const storedObjects = async (
  service: Pick<Service, "stack">,
  name: string,
  prefix: string,
): Promise<Map<string, Buffer>> => {
  const bucket = (await bucketsOf(service)).find((one) => one.toLowerCase().includes(name));
  const { objects } = Objects.parse(await ask(service, `/buckets/${bucket}`, { prefix }));
  const found = new Map<string, Buffer>();
  for (const { key } of objects) {
    const { base64 } = Body.parse(await ask(service, `/buckets/${bucket}/object`, { key }));
    found.set(key, Buffer.from(base64, "base64"));
  }
  return found;
};
