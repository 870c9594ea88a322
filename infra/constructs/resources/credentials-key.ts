import { RemovalPolicy } from "aws-cdk-lib";
import { Key } from "aws-cdk-lib/aws-kms";
import { Construct } from "constructs";
import type { Grant } from "./access.ts";
import type { DeploymentConfig } from "./deployment-config.ts";

/** What is sealed, as its encryption context says: a function may open one and not the other. */
export type SecretPurpose = "provider-credentials" | "webhook-secrets";

/**
 * The key of the data keys that organizations' secrets are sealed with (shared/runtime/envelope.ts). The encryption
 * context names the organization and the purpose, and roles are bound to a purpose.
 */
export class CredentialsKey extends Construct {
  readonly key: Key;
  /** What tells a function which key it is. */
  readonly environment: Readonly<Record<string, string>>;

  constructor(scope: Construct, id: string, { stage }: Pick<DeploymentConfig, "stage">) {
    super(scope, id);
    this.key = new Key(this, "Key", {
      description: "Seals the credentials of organizations' provider accounts",
      enableKeyRotation: true,
      removalPolicy: stage === "dev" ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
    });
    this.environment = { CREDENTIALS_KEY_ID: this.key.keyArn };
  }

  /** The right to seal (GenerateDataKey) or to open (Decrypt) what is for a purpose. */
  grant(action: "GenerateDataKey" | "Decrypt", purpose: SecretPurpose): Grant {
    return {
      actions: [`kms:${action}`],
      resources: [this.key.keyArn],
      conditions: {
        StringEquals: { "kms:EncryptionContext:purpose": purpose },
        // Nothing is sealed for no organization, or for something else besides.
        Null: { "kms:EncryptionContext:organization": "false" },
        "ForAllValues:StringEquals": { "kms:EncryptionContextKeys": ["organization", "purpose"] },
      },
    };
  }
}
