import { Validations } from "aws-cdk-lib";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { Construct } from "constructs";

/**
 * The secret that cursors of lists are sealed with (shared/http/cursor.ts), made by the deployment itself.
 * CloudFormation resolves it into the environment of the functions that page: no call at run time, no right to read
 * it. Whoever may read a function's configuration may read it too; all it protects is where a page of the caller's
 * own list starts.
 */
export class CursorKey extends Construct {
  /** A reference that CloudFormation resolves at deployment; the template never holds the value. */
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
        "Rotation would void the cursors that clients hold, and protects no data: a cursor only says where a page of the caller's own list starts.",
    });
    this.reference = secret.secretValue.unsafeUnwrap();
  }
}
