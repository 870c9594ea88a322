/** S3 of the local cloud: with the SDK's client, with the functions' own, and with plain HTTP for links. */
import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { type ObjectBuckets, openObjectBuckets } from "../../../../infra/local/buckets/buckets.ts";
import type { PolicyStatement } from "../../../../infra/local/core/model.ts";
import { createS3Service } from "../../../../infra/local/gateway/s3-service.ts";
import { createObjectStore, createS3 } from "../../../../shared/runtime/object-store.ts";
import { deepIt } from "../../../support/deep-it.ts";
import { stackModel } from "../../../support/stack-model.ts";
import { newDirectory } from "../../../support/temporary-directory.ts";
import { startTestGateway, type TestGateway } from "../../../support/test-gateway.ts";

const DAY_MS = 86_400_000;
const arn = "arn:aws:s3:::exports";
const allow = (actions: string[], Resource: string | string[], Condition = {}): PolicyStatement => ({
  Effect: "Allow",
  Action: actions.map((action) => `s3:${action}`),
  Resource,
  Condition,
});
const model = stackModel({
  roles: {
    everything: [allow(["*"], "*")],
    prefixed: [
      allow(["PutObject", "GetObject"], `${arn}/acme/*`),
      allow(["ListBucket"], arn, { StringEquals: { "s3:prefix": "acme/" } }),
    ],
    reader: [allow(["GetObject"], `${arn}/*`)],
  },
  resourcePolicies: {
    [arn]: [
      {
        Effect: "Deny",
        Principal: { AWS: "*" },
        Action: "s3:*",
        Resource: [arn, `${arn}/*`],
        Condition: { Bool: { "aws:SecureTransport": "false" } },
      },
    ],
  },
});
model.buckets.push({ logicalId: "Exports", name: "exports", arn, expirationDays: 7, abortUploadsAfterDays: 1 });

let dataDirectory: string;
let now: number;
let buckets: ObjectBuckets;
let gateway: TestGateway;

const start = async () => {
  const clock = { now: () => now };
  buckets = openObjectBuckets({ buckets: model.buckets, dataDirectory, clock });
  gateway = await startTestGateway(model, { services: { s3: createS3Service({ buckets, clock }) } });
};
const stop = async () => {
  await gateway.close();
  buckets.close();
};
const restart = async () => {
  await stop();
  await start();
};
beforeAll(async () => {
  dataDirectory = newDirectory("s3-");
  await start();
});
afterAll(stop);
beforeEach(() => {
  now = Date.now();
  gateway.denials.splice(0);
});
afterEach(async () => {
  const store = storeOf("everything");
  await store.delete((await store.list("")).objects.map(({ key }) => key));
});

const clientOf = (role: string): S3Client => gateway.clientOf(role, createS3);
const storeOf = (role: string) => createObjectStore(() => clientOf(role), "exports");
const csv = { contentType: "text/csv" };
const textOf = async (stream: AsyncIterable<Uint8Array> | undefined) =>
  stream && (await buffer(Readable.from(stream))).toString();

const KEYS = ["plain.csv", "a b/é&<'\"+%20/🌵", "a/../b//c", "tab\tand\nline"];

describe("objects", () => {
  it.each(KEYS)("are written, read, replaced and deleted by the key %j", async (key) => {
    const store = storeOf("everything");
    await store.put(key, "first", csv);
    await store.put(key, "é", { ...csv, contentEncoding: "gzip", contentDisposition: 'attachment; filename="x"' });
    await expect(store.read(key).then(textOf)).resolves.toBe("é");
    const head = await clientOf("everything").send(new HeadObjectCommand({ Bucket: "exports", Key: key }));
    expect(head).toMatchObject({
      ContentType: "text/csv",
      ContentEncoding: "gzip",
      ContentDisposition: 'attachment; filename="x"',
      ContentLength: 2,
      LastModified: expect.any(Date),
      ETag: expect.stringMatching(/^"[\da-f]{32}"$/),
    });
    await expect(store.list("")).resolves.toEqual({ objects: [{ key, bytes: 2 }], isLast: true });
    await store.delete([key, "missing"]);
    await expect(store.read(key)).resolves.toBe(undefined);
  });

  it("are listed by prefix in the order of their UTF-8 bytes, 1,000 at once", async () => {
    const bucket = buckets.find("exports");
    const keys = Array.from({ length: 1_001 }, (_, i) => `many/${String(i).padStart(4, "0")}`);
    for (const key of [...keys, "ma_y", "many", "manyé"]) bucket?.put(key, Buffer.from(key), {});
    const store = storeOf("everything");
    const first = await store.list("many/");
    expect(first.objects.map(({ key }) => key)).toEqual(keys.slice(0, 1_000));
    expect(first.isLast).toBe(false);
    const rest = await store.list("many", first.objects.at(-1)?.key);
    expect(rest).toMatchObject({ objects: [{ key: "many/1000" }, { key: "manyé" }], isLast: true });
    await store.delete(keys);
  });

  it("are replaced only if they are still as they were read", async () => {
    const store = storeOf("everything");
    await expect(store.replace("shared", Buffer.from("x"), csv, '"0"')).resolves.toBe(false);
    await store.put("shared", "first", csv);
    const { tag = "" } = (await store.readTagged("shared")) ?? {};
    await store.put("shared", "second", csv);
    await expect(store.replace("shared", Buffer.from("third"), csv, tag)).resolves.toBe(false);
    await expect(store.read("shared").then(textOf)).resolves.toBe("second");
    const read = await store.readTagged("shared");
    await expect(store.replace("shared", Buffer.from("third"), csv, read?.tag ?? "")).resolves.toBe(true);
    await expect(store.read("shared").then(textOf)).resolves.toBe("third");
  });

  it("are in folders at the top of the bucket, which are listed 1,000 at once", async () => {
    const bucket = buckets.find("exports");
    const folders = Array.from({ length: 1_001 }, (_, i) => `f${String(i).padStart(4, "0")}/`);
    for (const key of [...folders.map((folder) => `${folder}x`), "f0000-/y", "f0000/z", "f00000/y"])
      bucket?.put(key, Buffer.from(key), {});
    const all = [...folders, "f0000-/", "f00000/"].sort();
    const first = await storeOf("everything").listFolders();
    expect(first).toEqual({ folders: all.slice(0, 1_000), isLast: false });
    const rest = await storeOf("everything").listFolders(first.folders.at(-1));
    expect(rest).toEqual({ folders: all.slice(1_000), isLast: true });
    const inTheMiddle = await storeOf("everything").listFolders("f0000/");
    expect(inTheMiddle.folders[0]).toBe("f00000/");
    bucket?.remove(bucket.list({ prefix: "", after: "", limit: 2_000 }).map(({ key }) => key));
  });

  it.each([
    ["bytes=0-0", "0", "bytes 0-0/10"],
    ["bytes=8-", "89", "bytes 8-9/10"],
    ["bytes=-3", "789", "bytes 7-9/10"],
    ["bytes=2-99", "23456789", "bytes 2-9/10"],
  ])("are read in part by %s", async (Range, text, ContentRange) => {
    await storeOf("everything").put("digits", "0123456789", csv);
    const part = await clientOf("everything").send(new GetObjectCommand({ Bucket: "exports", Key: "digits", Range }));
    expect(part).toMatchObject({ ContentRange, ContentLength: text.length, $metadata: { httpStatusCode: 206 } });
    await expect(part.Body?.transformToString()).resolves.toBe(text);
    const beyond = new GetObjectCommand({ Bucket: "exports", Key: "digits", Range: "bytes=10-" });
    await expect(clientOf("everything").send(beyond)).rejects.toMatchObject({ name: "InvalidRange" });
  });

  it("are taken with the SDK's default checksums, also as a stream in chunks, and refused if a checksum is wrong", async () => {
    const client = gateway.clientOf("everything", (place) => new S3Client(place));
    const put = (input: object) => client.send(new PutObjectCommand({ Bucket: "exports", Key: "sum", ...input }));
    await put({ Body: "text" });
    const body = randomBytes(200_000);
    await put({ Body: Readable.from([body.subarray(0, 70_000), body.subarray(70_000)]), ContentLength: body.length });
    const stored = await client.send(new GetObjectCommand({ Bucket: "exports", Key: "sum" }));
    expect(Buffer.from((await stored.Body?.transformToByteArray()) ?? []).equals(body)).toBe(true);
    await expect(put({ Body: "text", ChecksumCRC32: "AAAAAA==" })).rejects.toMatchObject({ name: "BadDigest" });
  });
});

describe("uploads in parts", () => {
  const MiB = 1_048_576;

  deepIt("become one object, also over a restart; a part of the same number replaces the former", async () => {
    const parts = [5 * MiB, 5 * MiB + 3, 17].map((size) => randomBytes(size));
    const id = await storeOf("everything").beginUpload("big", csv);
    // Numbers need not be consecutive: a dead worker's part is left out.
    for (const number of [2, 3])
      await storeOf("everything").uploadPart("big", id, number, Buffer.from("a dead worker's"));
    const uploaded: { number: number; etag: string }[] = [];
    for (const [i, part] of parts.entries()) {
      if (i === 1) await restart();
      const number = i * 2 + 1;
      uploaded.push({ number, etag: await storeOf("everything").uploadPart("big", id, number, part) });
    }
    await expect(storeOf("everything").read("big")).resolves.toBe(undefined);
    await expect(storeOf("everything").completeUpload("big", id, uploaded)).resolves.toBe(true);
    await expect(storeOf("everything").completeUpload("big", id, uploaded)).resolves.toBe(false);
    await restart();
    const whole = Buffer.concat(parts);
    const read = await storeOf("everything").read("big");
    expect((await buffer(Readable.from(read ?? []))).equals(whole)).toBe(true);
    const Range = `bytes=${5 * MiB - 2}-${5 * MiB + 1}`;
    const middle = await clientOf("everything").send(new GetObjectCommand({ Bucket: "exports", Key: "big", Range }));
    expect(Buffer.from((await middle.Body?.transformToByteArray()) ?? [])).toEqual(
      whole.subarray(5 * MiB - 2, 5 * MiB + 2),
    );
    expect(middle.ETag).toMatch(/^"[\da-f]{32}-3"$/);
  });

  it("are refused if a part is small, missing or changed, and can be aborted", async () => {
    const store = storeOf("everything");
    const id = await store.beginUpload("small", csv);
    const etags = [await store.uploadPart("small", id, 1, Buffer.from("a"))];
    etags.push(await store.uploadPart("small", id, 2, Buffer.from("b")));
    const complete = (Parts: object[]) =>
      clientOf("everything").send(
        new CompleteMultipartUploadCommand({
          Bucket: "exports",
          Key: "small",
          UploadId: id,
          MultipartUpload: { Parts },
        }),
      );
    const [one, two] = etags.map((ETag, i) => ({ ETag, PartNumber: i + 1 }));
    await expect(complete([{ ...one }, { ...two }])).rejects.toMatchObject({ name: "EntityTooSmall" });
    await expect(complete([{ ...two }, { ...one }])).rejects.toMatchObject({ name: "InvalidPartOrder" });
    await expect(complete([{ ...one, ETag: two?.ETag }])).rejects.toMatchObject({ name: "InvalidPart" });
    await expect(complete([{ ...one, PartNumber: 3 }])).rejects.toMatchObject({ name: "InvalidPart" });
    await store.abortUpload("small", id);
    await store.abortUpload("small", id);
    await expect(store.completeUpload("small", id, [{ number: 1, etag: etags[0] ?? "" }])).resolves.toBe(false);
  });
});

describe("the lifecycle", () => {
  it("deletes objects and unfinished uploads at the midnight after their days, by the local clock", async () => {
    now = Math.floor(now / DAY_MS) * DAY_MS + 3_600_000;
    const store = storeOf("everything");
    await store.put("old", "x", csv);
    const id = await store.beginUpload("unfinished", csv);
    const etag = await store.uploadPart("unfinished", id, 1, Buffer.from("x"));
    now += DAY_MS;
    await expect(store.uploadPart("unfinished", id, 1, Buffer.from("x"))).resolves.toBe(etag);
    now += DAY_MS;
    await expect(store.completeUpload("unfinished", id, [{ number: 1, etag }])).resolves.toBe(false);
    now += 5 * DAY_MS;
    await expect(store.read("old").then(textOf)).resolves.toBe("x");
    now += DAY_MS;
    await expect(store.read("old")).resolves.toBe(undefined);
  });
});

describe("links", () => {
  const linkTo = async (key: string, seconds = 900) =>
    storeOf("reader").linkTo(key, seconds, { fileName: "events.csv" });

  // HTTP clients remove `..` from a path.
  it.each(KEYS.filter((key) => !key.includes("..")))(
    "open %j outside, with the name of the file, until they expire",
    async (key) => {
      await storeOf("everything").put(key, "content", csv);
      const link = await linkTo(key);
      // The SDK dates the link by the machine's clock.
      now = Date.now();
      const response = await fetch(link);
      expect({ status: response.status, text: await response.text() }).toEqual({ status: 200, text: "content" });
      expect(response.headers.get("content-disposition")).toBe('attachment; filename="events.csv"');
      now += 890_000;
      expect((await fetch(link, { headers: { range: "bytes=0-2" } })).status).toBe(206);
      now += 10_000;
      const expired = await fetch(link);
      expect(expired.status).toBe(403);
      expect(await expired.text()).toContain("<Code>AccessDenied</Code><Message>Request has expired</Message>");
    },
  );

  it.each<[string, (link: string) => string, string]>([
    ["another object", (link) => link.replace("mine", "your"), "SignatureDoesNotMatch"],
    ["another time", (link) => link.replace("X-Amz-Expires=900", "X-Amz-Expires=9000"), "SignatureDoesNotMatch"],
    ["another file name", (link) => link.replace("events.csv", "evil.html"), "SignatureDoesNotMatch"],
    ["no time", (link) => link.replace("X-Amz-Expires=900", ""), "AuthorizationQueryParametersError"],
    ["an unknown key", (link) => link.replace("Credential=ASIA", "Credential=ASIB"), "InvalidAccessKeyId"],
  ])("do not open for %s", async (_what, change, code) => {
    await storeOf("everything").put("mine", "content", csv);
    await storeOf("everything").put("your", "content", csv);
    const response = await fetch(change(await linkTo("mine")));
    expect(response.status).toBe(403);
    expect(await response.text()).toContain(`<Code>${code}</Code>`);
  });

  it("have the rights of the function that signed them", async () => {
    await storeOf("everything").put("beta/secret", "content", csv);
    const response = await fetch(await storeOf("prefixed").linkTo("beta/secret", 60, { fileName: "x" }));
    expect(response.status).toBe(403);
    expect(gateway.denials).toMatchObject([
      { logicalId: "prefixed", action: "s3:GetObject", resource: `${arn}/beta/secret` },
    ]);
  });
});

describe("rights", () => {
  it("are checked for each object and prefix", async () => {
    const store = storeOf("prefixed");
    await store.put("acme/a", "x", csv);
    await expect(store.read("acme/a").then(textOf)).resolves.toBe("x");
    await expect(store.list("acme/")).resolves.toMatchObject({ objects: [{ key: "acme/a" }] });
    const denied: [() => Promise<unknown>, string, string][] = [
      [() => store.put("beta/a", "x", csv), "s3:PutObject", `${arn}/beta/a`],
      [() => store.beginUpload("beta/a", csv), "s3:PutObject", `${arn}/beta/a`],
      [() => store.abortUpload("acme/a", "id"), "s3:AbortMultipartUpload", `${arn}/acme/a`],
      [() => store.delete(["acme/a"]), "s3:DeleteObject", `${arn}/acme/a`],
      [() => store.list(""), "s3:ListBucket", arn],
    ];
    for (const [call, action, resource] of denied) {
      gateway.denials.splice(0);
      await expect(call()).rejects.toMatchObject({ cause: { name: "AccessDenied" } });
      expect(gateway.denials).toMatchObject([{ logicalId: "prefixed", action, resource }]);
    }
    await expect(storeOf("everything").read("acme/a").then(textOf)).resolves.toBe("x");
  });

  it("to list the bucket are needed to learn that an object is missing", async () => {
    await expect(storeOf("reader").read("missing")).rejects.toMatchObject({ cause: { name: "AccessDenied" } });
    expect(gateway.denials).toMatchObject([{ action: "s3:ListBucket", resource: arn }]);
    await expect(storeOf("everything").read("missing")).resolves.toBe(undefined);
  });

  it("do not reach further than the supported operations", async () => {
    const copy = new CopyObjectCommand({ Bucket: "exports", Key: "copy", CopySource: "exports/acme" });
    await expect(clientOf("everything").send(copy)).rejects.toMatchObject({ name: "AccessDenied" });
    const conditional = new PutObjectCommand({ Bucket: "exports", Key: "x", Body: "x", IfNoneMatch: "*" });
    await expect(clientOf("everything").send(conditional)).rejects.toMatchObject({ name: "AccessDenied" });
    const other = new GetObjectCommand({ Bucket: "others", Key: "x" });
    await expect(clientOf("everything").send(other)).rejects.toMatchObject({ name: "NoSuchBucket" });
  });
});
