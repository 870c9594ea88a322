import { Validations } from "aws-cdk-lib";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { Construct } from "constructs";

/**
 * The secret that seals the cursors of lists, OAuth states, links, and stored answers to requests with an Idempotency-Key
 * (shared/runtime/sealing.ts); the deployment generates it. CloudFormation resolves it into the environment of the functions that seal, so they need no call and no
 * right to read it. Users of the account who may read a function's configuration can read the secret. It does not suffice to
 * get data: cursors and states also need their caller's token, links to reports are stored, and a stored answer also needs
 * the client's key and body (docs/threat-model.md).
 */
export class CursorKey extends Construct {
  /** A reference that CloudFormation resolves at deployment; the template never contains the value. */
  readonly reference: string;

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
    this.reference = secret.secretValue.unsafeUnwrap();
  }
}
