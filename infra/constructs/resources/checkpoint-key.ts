import { Key, KeySpec, KeyUsage } from "aws-cdk-lib/aws-kms";
import { Construct } from "constructs";
import type { Access } from "./access.ts";
import type { DeploymentConfig } from "./deployment-config.ts";
import { removalPolicyOf } from "./removal-policy.ts";

/**
 * The KMS key that signs the checkpoints of the sealed log, Ed25519 (shared/runtime/signing-keys.ts). Nobody can read its
 * private part. While another key replaces it, both sign.
 */
export class CheckpointKey extends Construct {
  /** To read the public keys. */
  readonly read: Access;
  /** To sign with the keys, and to read the public ones. */
  readonly sign: Access;

  constructor(scope: Construct, id: string, config: Pick<DeploymentConfig, "isProtected" | "checkpointOldKeyArn">) {
    super(scope, id);
    const key = new Key(this, "Key", {
      description: "Signs the checkpoints of the sealed log of security events",
      keySpec: KeySpec.ECC_NIST_EDWARDS25519,
      keyUsage: KeyUsage.SIGN_VERIFY,
      removalPolicy: removalPolicyOf(config),
    });
    const { checkpointOldKeyArn: old } = config;
    const resources = [...(old === undefined ? [] : [old]), key.keyArn];
    const environment = { CHECKPOINT_KEY_IDS: resources.join(",") };
    this.read = { grants: [{ actions: ["kms:GetPublicKey"], resources }], environment };
    this.sign = { grants: [{ actions: ["kms:GetPublicKey", "kms:Sign"], resources }], environment };
  }
}
