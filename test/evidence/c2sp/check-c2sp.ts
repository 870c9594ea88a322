/**
 * npm run check:c2sp
 *
 * Has a verifier of C2SP's formats that is not ours check what witnesses read: checkpoints and consistency proofs between
 * all of them, from a local cloud over HTTP. The verifier is that of the Go project, golang.org/x/mod/sumdb. It must also
 * refuse each proof with a changed hash, and each checkpoint with a changed root. Takes a minute.
 *
 * It needs Go and golang.org/x/mod, as Debian's packages golang-go and golang-golang-x-mod-dev have them. GO names
 * another `go`, GOPATH another place of the packages.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prepareAssembly } from "../../../infra/prepare-assembly.ts";
import type { CheckpointWithProof } from "../../../shared/sealing/checkpoint.ts";
import type { Integrity } from "../../../shared/sealing/integrity.ts";
import { HOUR_MS } from "../../../shared/terms/hours.ts";
import { requestsTo, withCloud } from "../../bench/bench-cloud.ts";

/** Hours that pass before each step. A step that comes late adds a leaf for each, and signs once. */
const PASSED_HOURS = [2, 1, 1, 1, 1, 1, 1, 1, 1];
/** Of an hour. The worker seals at minute 43. */
const AFTER_SEALING_MS = 50 * 60_000;

type Proof = { name: string; older: string; newer: string; consistency: string[]; isToBeRefused: boolean };

/** Base64 with another first byte. */
const forged = (hash: string): string => {
  const bytes = Buffer.from(hash, "base64");
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  return bytes.toString("base64");
};

const withForgedRoot = (checkpoint: string): string =>
  checkpoint
    .split("\n")
    .map((line, number) => (number === 2 ? forged(line) : line))
    .join("\n");

const forgeries = ({ name, older, newer, consistency }: Proof): Proof[] => [
  ...consistency.map((_, changed) => ({
    name: `${name}, hash ${changed} changed`,
    older,
    newer,
    consistency: consistency.map((hash, index) => (index === changed ? forged(hash) : hash)),
    isToBeRefused: true,
  })),
  { name: `${name}, root changed`, older, newer: withForgedRoot(newer), consistency, isToBeRefused: true },
];

const readProofs = async (workDirectory: string): Promise<{ key: string; proofs: Proof[] }> => {
  const assemblyDirectory = await prepareAssembly(join(workDirectory, "assembly"));
  return withCloud({ assemblyDirectory, workDirectory }, async (cloud) => {
    const send = await requestsTo(cloud, "acme");
    await cloud.advanceClock(HOUR_MS - (Date.now() % HOUR_MS) + AFTER_SEALING_MS);
    for (const hours of PASSED_HOURS) {
      await send("GET", "/security");
      await cloud.advanceClock(hours * HOUR_MS);
    }
    const { publicKey } = await send<Integrity>("GET", "/security/integrity");
    const read = (size: number, from: number) =>
      send<CheckpointWithProof>("GET", `/security/checkpoints/${size}?from=${from}`).catch(() => undefined);
    const checkpoints = new Map<number, string>();
    for (let size = 1; size <= PASSED_HOURS.length + 2; size++) {
      const found = await read(size, size);
      if (found !== undefined) checkpoints.set(size, found.checkpoint);
    }
    const proofs: Proof[] = [];
    for (const [from, older] of checkpoints)
      for (const size of checkpoints.keys()) {
        const found = from < size ? await read(size, from) : undefined;
        if (found === undefined) continue;
        const { checkpoint: newer, consistency } = found;
        proofs.push({ name: `from ${from} to ${size}`, older, newer, consistency, isToBeRefused: false });
      }
    return { key: publicKey, proofs };
  });
};

const workDirectory = mkdtempSync(join(tmpdir(), "c2sp-"));
try {
  const { key, proofs } = await readProofs(workDirectory);
  if (proofs.length < PASSED_HOURS.length) throw new Error(`The log has only ${proofs.length} proofs.`);
  const input = JSON.stringify({ key, proofs: proofs.flatMap((proof) => [proof, ...forgeries(proof)]) });
  const { GO = "go", GOPATH = "/usr/share/gocode" } = process.env;
  const env = { ...process.env, GOPATH, GO111MODULE: "off", GOCACHE: join(workDirectory, "go") };
  const { status, error } = spawnSync(GO, ["run", join(import.meta.dirname, "verify.go")], {
    env,
    input,
    stdio: ["pipe", "inherit", "inherit"],
  });
  if (error !== undefined) throw error;
  process.exitCode = status ?? 1;
} finally {
  rmSync(workDirectory, { recursive: true });
}
