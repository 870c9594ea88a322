/** Replaces the SDK's event streams, which only operations with event streams use. */
export class EventStreamSerde {
  constructor() {
    throw new Error("This bundle has no event streams.");
  }
}

// The client of S3 configures event streams when it is created, for SelectObjectContent, which the service never calls.
export const eventStreamSerdeProvider = () => undefined;
export const resolveEventStreamSerdeConfig = <Config>(config: Config): Config => config;
