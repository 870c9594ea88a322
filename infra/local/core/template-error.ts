/** The template declares something that the local cloud does not run. The message begins with the logical id. */
export class TemplateError extends Error {
  override name = "TemplateError";
  readonly logicalId: string;

  constructor(logicalId: string, problem: string) {
    super(`${logicalId}: ${problem}`);
    this.logicalId = logicalId;
  }
}
