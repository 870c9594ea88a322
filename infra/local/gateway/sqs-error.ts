/** An error of SQS: `type` is the name that the SDK gives it. https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_Operations.html */
export class SqsError extends Error {
  override name = "SqsError";
  readonly type: string;

  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
}
