/** The objects of S3 in memory, by what the SDK's commands ask. Files of simulations are small: none has parts. */

type Command = {
  Bucket: string;
  Key?: string;
  Body?: string | Uint8Array;
  Prefix?: string;
  Delete?: { Objects: { Key: string }[] };
};

export const createMemoryBucket = () => {
  const objects = new Map<string, Buffer>();
  const nameOf = (bucket: string, key = "") => `${bucket}/${key}`;

  const operations: Readonly<Record<string, (command: Command) => object>> = {
    PutObject({ Bucket, Key, Body = "" }) {
      objects.set(nameOf(Bucket, Key), Buffer.from(Body));
      return { ETag: '"of the object"' };
    },
    ListObjectsV2({ Bucket, Prefix }) {
      const prefix = nameOf(Bucket, Prefix);
      const found = [...objects].filter(([name]) => name.startsWith(prefix)).sort(([a], [b]) => (a < b ? -1 : 1));
      const Contents = found.map(([name, { length: Size }]) => ({ Key: name.slice(nameOf(Bucket).length), Size }));
      return { Contents };
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
