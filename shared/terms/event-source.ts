/** The source of every event that the service publishes on its bus; subscribers' rules match it. */
export const EVENT_SOURCE = "integration-security";
