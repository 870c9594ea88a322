/** Creates a certificate for 127.0.0.1 for each run. Node can sign, but has no API that writes X.509. */
import { generateKeyPairSync, randomBytes, sign } from "node:crypto";

const DAY_MS = 24 * 60 * 60_000;

/** A DER element: tag, length and content. https://www.itu.int/rec/T-REC-X.690 */
const element = (tag: number, ...content: Buffer[]): Buffer => {
  const body = Buffer.concat(content);
  const length =
    body.length < 0x80
      ? [body.length]
      : body.length < 0x100
        ? [0x81, body.length]
        : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
};

const sequence = (...content: Buffer[]) => element(0x30, ...content);
const set = (...content: Buffer[]) => element(0x31, ...content);
const octets = (...content: Buffer[]) => element(0x04, ...content);
const bits = (content: Buffer) => element(0x03, Buffer.from([0]), content);
const identifier = (hex: string) => element(0x06, Buffer.from(hex, "hex"));
const time = (ms: number) =>
  element(
    0x17,
    Buffer.from(
      `${new Date(ms)
        .toISOString()
        .replace(/[-:T]|\..*/g, "")
        .slice(2)}Z`,
    ),
  );

const COMMON_NAME = "550403";
const SUBJECT_ALTERNATIVE_NAME = "551d11";
const BASIC_CONSTRAINTS = "551d13";
const ECDSA_WITH_SHA256 = "2a8648ce3d040302";

const name = (text: string) => sequence(set(sequence(identifier(COMMON_NAME), element(0x0c, Buffer.from(text)))));

type CertificateOptions = { hosts?: readonly string[]; expiresAt?: number };

/** A self-signed certificate, valid for 127.0.0.1 and the hosts for one day or until a time, and its key. Both are PEM. */
export const createSelfSignedCertificate = ({
  hosts = [],
  expiresAt = Date.now() + DAY_MS,
}: CertificateOptions = {}): { key: string; certificate: string } => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = sequence(identifier(ECDSA_WITH_SHA256));
  const names = hosts.map((host) => element(0x82, Buffer.from(host, "ascii")));
  const addresses = sequence(element(0x87, Buffer.from([127, 0, 0, 1])), ...names);
  const isAuthority = sequence(element(0x01, Buffer.from([0xff])));
  const extensions = sequence(
    sequence(identifier(SUBJECT_ALTERNATIVE_NAME), octets(addresses)),
    sequence(identifier(BASIC_CONSTRAINTS), octets(isAuthority)),
  );
  const content = sequence(
    element(0xa0, element(0x02, Buffer.from([2]))),
    element(0x02, Buffer.from([1]), randomBytes(8)),
    algorithm,
    name("plant-store-bench"),
    sequence(time(Math.min(Date.now(), expiresAt) - DAY_MS), time(expiresAt)),
    name("plant-store-bench"),
    publicKey.export({ type: "spki", format: "der" }),
    element(0xa3, extensions),
  );
  const der = sequence(content, algorithm, bits(sign("sha256", content, privateKey)));
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    certificate: `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`,
  };
};
