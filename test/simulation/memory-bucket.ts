/** The objects of S3 in memory, by what the SDK's commands ask. Files of simulations are small: none has parts. */
import { createHash } from "node:crypto";
import { Readable } from "node:stream";

type Command = {
  Bucket: string;
  Key?: string;
  Body?: string | Uint8Array;
  IfMatch?: string;
  Prefix?: string;
  Delimiter?: string;
  Delete?: { Objects: { Key: string }[] };
};

export const createMemoryBucket = () => {
  const objects = new Map<string, Buffer>();
  const nameOf = (bucket: string, key = "") => `${bucket}/${key}`;

  const etagOf = (body: Buffer): string => `"${createHash("md5").update(body).digest("hex")}"`;
  const failure = (name: string) => Object.assign(new Error(name), { name });

  const operations: Readonly<Record<string, (command: Command) => object>> = {
    PutObject({ Bucket, Key, Body = "", IfMatch }) {
      const [name, body] = [nameOf(Bucket, Key), Buffer.from(Body)];
      const found = objects.get(name);
      if (IfMatch !== undefined && (found === undefined || etagOf(found) !== IfMatch))
        throw failure("PreconditionFailed");
      objects.set(name, body);
      return { ETag: etagOf(body) };
    },
    GetObject({ Bucket, Key }) {
      const body = objects.get(nameOf(Bucket, Key));
      if (body === undefined) throw failure("NoSuchKey");
      return { Body: Readable.from([body]), ETag: etagOf(body) };
    },
    ListObjectsV2({ Bucket, Prefix, Delimiter }) {
      const prefix = nameOf(Bucket, Prefix);
      const found = [...objects].filter(([name]) => name.startsWith(prefix)).sort(([a], [b]) => (a < b ? -1 : 1));
      const Contents = found.map(([name, { length: Size }]) => ({ Key: name.slice(nameOf(Bucket).length), Size }));
      if (Delimiter === undefined) return { Contents };
      const folders = new Set(Contents.map(({ Key }) => `${Key.split("/", 1)[0]}/`));
      return { CommonPrefixes: [...folders].map((folder) => ({ Prefix: folder })) };
    },
    DeleteObjects({ Bucket, Delete }) {
      for (const { Key } of Delete?.Objects ?? []) objects.delete(nameOf(Bucket, Key));
      return {};
    },
  };

  return {
    /** The answer to a command; undefined if no simulation needs the operation. */
    call: (operation: string, command: object): object | undefined => operations[operation]?.(command as Command),
    read: (bucket: string, key: string): Buffer | undefined => objects.get(nameOf(bucket, key)),
  };
};
