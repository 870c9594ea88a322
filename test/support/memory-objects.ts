/** Objects of a bucket in memory, with the rules of S3 for uploads in parts. For tests of what writes objects. */
import { createHash } from "node:crypto";
import type { ObjectHeaders, ObjectStore } from "../../shared/runtime/object-store.ts";

const MAX_PART_NUMBER = 10_000;

type Upload = { key: string; headers: ObjectHeaders; parts: Map<number, Buffer> };

const etagOf = (body: Uint8Array): string => `"${createHash("md5").update(body).digest("hex")}"`;

/** @param minPartBytes of each part but the last; 5 MiB in S3. */
export const createMemoryObjects = ({ minPartBytes = 5 * 1_024 * 1_024 } = {}) => {
  const objects = new Map<string, { body: Buffer; headers: ObjectHeaders }>();
  const uploads = new Map<string, Upload>();
  let names = 0;
  const uploadOf = (key: string, id: string): Upload => {
    const upload = uploads.get(id);
    if (upload?.key !== key) throw new Error("NoSuchUpload");
    return upload;
  };
  const store: ObjectStore = {
    async put(key, body, headers) {
      objects.set(key, { body: Buffer.from(body), headers });
    },
    async replace(key, body, headers, tag) {
      const found = objects.get(key);
      if (found === undefined || etagOf(found.body) !== tag) return false;
      objects.set(key, { body: Buffer.from(body), headers });
      return true;
    },
    async beginUpload(key, headers) {
      const id = `upload ${++names}`;
      uploads.set(id, { key, headers, parts: new Map() });
      return id;
    },
    async uploadPart(key, id, number, body) {
      if (!Number.isInteger(number) || number < 1 || number > MAX_PART_NUMBER) throw new Error("InvalidArgument");
      uploadOf(key, id).parts.set(number, Buffer.from(body));
      return etagOf(body);
    },
    async completeUpload(key, id, parts) {
      if (!uploads.has(id)) return false;
      const upload = uploadOf(key, id);
      if (parts.length === 0) throw new Error("MalformedXML");
      const bodies = parts.map(({ number, etag }, index) => {
        const body = upload.parts.get(number);
        if (index > 0 && number <= (parts[index - 1]?.number ?? 0)) throw new Error("InvalidPartOrder");
        if (body === undefined || etagOf(body) !== etag) throw new Error("InvalidPart");
        if (index < parts.length - 1 && body.length < minPartBytes) throw new Error("EntityTooSmall");
        return body;
      });
      objects.set(key, { body: Buffer.concat(bodies), headers: upload.headers });
      uploads.delete(id);
      return true;
    },
    async abortUpload(_key, id) {
      uploads.delete(id);
    },
    read: async (key) => (await store.readTagged(key))?.body,
    async readTagged(key) {
      const found = objects.get(key);
      if (found === undefined) return undefined;
      const { body } = found;
      const parts = (async function* () {
        for (let at = 0; at < body.length; at += 65_536) yield body.subarray(at, at + 65_536);
      })();
      return { body: parts, tag: etagOf(body) };
    },
    async delete(keys) {
      for (const key of keys) objects.delete(key);
    },
    async list(prefix, after = "") {
      const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
      const page = keys.slice(0, 2);
      return {
        objects: page.map((key) => ({ key, bytes: objects.get(key)?.body.length ?? 0 })),
        isLast: page.length === keys.length,
      };
    },
    async listFolders(after = "") {
      const folders = new Set([...objects.keys()].map((key) => `${key.split("/", 1)[0]}/`));
      const left = [...folders].filter((folder) => folder > after).sort();
      return { folders: left.slice(0, 2), isLast: left.length <= 2 };
    },
    linkTo: async (key, seconds, { fileName }) => `https://bucket.test/${key}?seconds=${seconds}&name=${fileName}`,
  };
  return {
    store,
    bodyOf: (key: string): Buffer | undefined => objects.get(key)?.body,
    /** A stored object as text. */
    textOf: (key: string): string | undefined => objects.get(key)?.body.toString(),
    keys: () => [...objects.keys()].sort(),
    openUploads: () => [...uploads.values()].map(({ key, parts }) => ({ key, numbers: [...parts.keys()].sort() })),
  };
};
