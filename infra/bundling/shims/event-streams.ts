/** Stands in for the SDK's event streams, which only operations with streams of events ask for. */
export class EventStreamSerde {
  constructor() {
    throw new Error("This bundle has no event streams.");
  }
}
