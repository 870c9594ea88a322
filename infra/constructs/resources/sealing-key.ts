import { Validations } from "aws-cdk-lib";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { Construct } from "constructs";
import { type Access, together, variables } from "./access.ts";

/**
 * The secret that seals the cursors of lists, OAuth states, links, and stored answers to requests with an Idempotency-Key
 * (shared/wiring/sealing.ts); the deployment generates it. Neither the template nor a function's configuration has the value.
 */
export class SealingKey extends Construct {
  /** To read the key at its first use. */
  readonly read: Access;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    const secret = new Secret(this, "Secret", {
      description: "Seals the cursors of lists",
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
    });
    Validations.of(secret).acknowledge({
      id: "AwsSolutions-SMG4",
      reason: "Rotation would invalidate clients' cursors. What is sealed is bound to its caller, or stored as well.",
    });
    const { secretArn } = secret;
    this.read = together(variables({ SEALING_KEY_ARN: secretArn }), {
      grants: [{ actions: ["secretsmanager:GetSecretValue"], resources: [secretArn] }],
      environment: {},
    });
  }
}
