/** The source of everything that the service puts on its event bus; rules of subscribers match it. */
export const EVENT_SOURCE = "integration-security";
