/** Replaces the SDK's event streams, which only operations with event streams use. */
export class EventStreamSerde {
  constructor() {
    throw new Error("This bundle has no event streams.");
  }
}
