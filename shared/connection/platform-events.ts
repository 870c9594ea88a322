/**
 * Which connections get the events that arrive at the platform's endpoint. A connection by OAuth does as long as it is
 * connected. An API key may have been revoked while the organization holds its circuit open and so sends nothing: its
 * connection gets them while the provider has accepted the key lately. Pure. docs/connection.md, "Platform events".
 */
import { HOUR_MS } from "../terms/hours.ts";

/** Decisions: for this long after the provider has accepted a key, its connection gets platform events. */
export const PROOF_LIFE_MS = 24 * HOUR_MS;

/** An accepted call is noted if the last note is older: so a note may lag behind by this much. */
const NOTE_AFTER_MS = HOUR_MS;

/** Decisions: a key is proved at least this often while its circuit is not open. */
const PROOF_INTERVAL_MS = 8 * HOUR_MS;

/** A proof is due after this time, two hours early: the hourly search for keys may be late or fail once. */
const PROOF_DUE_MS = PROOF_INTERVAL_MS - 2 * HOUR_MS;

/** `acceptedAt`: when the provider last accepted the API key, epoch ms. */
type Proof = { method: "api_key" | "oauth"; acceptedAt?: number | undefined };

/** @param now epoch ms. */
export const isEntitled = ({ method, acceptedAt }: Proof, now: number): boolean =>
  method === "oauth" || (acceptedAt !== undefined && now - acceptedAt < PROOF_LIFE_MS);

/** Whether an accepted call with the connection's key must be noted. @param now epoch ms. */
export const mustNoteAccepted = ({ method, acceptedAt }: Proof, now: number): boolean =>
  method === "api_key" && (acceptedAt === undefined || now - acceptedAt >= NOTE_AFTER_MS);

/** Whether a read of the account must prove the connection's key. @param now epoch ms. */
export const isProofDue = ({ method, acceptedAt }: Proof, now: number): boolean =>
  method === "api_key" && (acceptedAt === undefined || now - acceptedAt >= PROOF_DUE_MS);

/** Whether scheduled runs alone do not prove keys often enough. */
export const needsProofs = (syncIntervalMs: number): boolean => syncIntervalMs > PROOF_INTERVAL_MS;
