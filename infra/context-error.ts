/** The deployment's context cannot be used. The message is all that its operator needs. */
export class ContextError extends Error {}
