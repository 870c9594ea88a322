import { Key } from "aws-cdk-lib/aws-kms";
import { Construct } from "constructs";
import type { Grant } from "./access.ts";
import type { DeploymentConfig } from "./deployment-config.ts";
import { removalPolicyOf } from "./removal-policy.ts";

/** The purpose of a sealed secret, in its encryption context. A function's rights are limited to purposes. */
export type SecretPurpose = "provider-credentials" | "webhook-secrets" | "notification";

/**
 * The KMS key that encrypts the data keys of organizations' secrets (shared/runtime/envelope.ts). The encryption
 * context names the organization and the purpose, and roles are limited to a purpose.
 */
export class CredentialsKey extends Construct {
  readonly key: Key;
  /** The variable with the key's id. */
  readonly environment: Readonly<Record<string, string>>;

  constructor(scope: Construct, id: string, config: Pick<DeploymentConfig, "isProtected" | "multiRegionKey">) {
    super(scope, id);
    this.key = new Key(this, "Key", {
      description: "Seals the credentials of organizations' provider accounts",
      enableKeyRotation: true,
      ...(config.multiRegionKey && { multiRegion: true }),
      removalPolicy: removalPolicyOf(config),
    });
    this.environment = { CREDENTIALS_KEY_ID: this.key.keyArn };
  }

  /** The right to seal (GenerateDataKey) or to open (Decrypt) secrets of a purpose. */
  grant(action: "GenerateDataKey" | "Decrypt", purpose: SecretPurpose): Grant {
    return {
      actions: [`kms:${action}`],
      resources: [this.key.keyArn],
      conditions: {
        StringEquals: { "kms:EncryptionContext:purpose": purpose },
        // The context must name an organization and must have no other keys.
        Null: { "kms:EncryptionContext:organization": "false" },
        "ForAllValues:StringEquals": { "kms:EncryptionContextKeys": ["organization", "purpose"] },
      },
    };
  }
}
