/** The source of every event that the service publishes on its bus, for the rules of subscribers. */
export const EVENT_SOURCE = "integration-security";
