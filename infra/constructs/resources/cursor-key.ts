import { Validations } from "aws-cdk-lib";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { Construct } from "constructs";

/**
 * The secret that seals the cursors of lists (shared/http/cursor.ts); the deployment generates it. CloudFormation
 * resolves it into the environment of the functions with lists, so they need no call and no right to read it. Users who
 * may read a function's configuration can read the secret. It protects only the position of a page in the caller's own
 * list.
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
      reason:
        "Rotation would invalidate clients' cursors and protects no data: a cursor contains only the position of a page in the caller's own list.",
    });
    this.reference = secret.secretValue.unsafeUnwrap();
  }
}
