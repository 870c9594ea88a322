/** An error of KMS: `type` is the name that the SDK gives it. https://docs.aws.amazon.com/kms/latest/APIReference/API_Operations.html */
export class KmsError extends Error {
  override name = "KmsError";
  readonly type: string;

  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
}
