/** The context keys on the signed checkpoints of the sealed log: docs/deployment.md. */
import * as z from "zod";
import { wholeNumber } from "./whole-number.ts";

/** A name of a signed note. https://c2sp.org/signed-note */
const ORIGIN = /^[^\s+]{1,200}$/u;
const ORIGIN_EXPECTED = "expected at most 200 characters without spaces and plus signs";
const BUCKET_EXPECTED = "expected the name of a bucket";
const KEY_EXPECTED = "expected the ARN of a KMS key";

export const checkpointKeys = {
  /** Whether S3 keeps checkpoints from being replaced: by anybody (`compliance`), or but for a special right (`governance`). */
  checkpointLock: z
    .enum(["none", "governance", "compliance"], "expected none, governance or compliance")
    .default("none"),
  checkpointLockDays: wholeNumber(1, 3_650).default(400),
  /** The name of the log in its checkpoints, fixed when the first hour is sealed; default: made from stack and region. */
  checkpointOrigin: z.string(ORIGIN_EXPECTED).regex(ORIGIN, ORIGIN_EXPECTED).optional(),
  /** An existing bucket, best of another account, that gets a copy of each checkpoint. */
  checkpointCopyBucket: z
    .string(BUCKET_EXPECTED)
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, BUCKET_EXPECTED)
    .optional(),
  /** A signing key that this stack's key replaces: both sign until the key is left out again. */
  checkpointOldKeyArn: z
    .string(KEY_EXPECTED)
    .regex(/^arn:[^:]+:kms:[^:]+:\d{12}:key\/[\w-]+$/, KEY_EXPECTED)
    .optional(),
};
