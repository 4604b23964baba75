/** A report is invalid or its format is not supported. */
export class ReportError extends Error {
  /** The position of the error, such as `runs.0.results.3.message` or `line 7`. */
  readonly location: string | undefined;
  /** The importer that refused the report. Unset: no importer has read it. */
  format: string | undefined;

  constructor(message: string, location?: string) {
    super(location === undefined ? message : `${message} at ${location}`);
    this.name = 'ReportError';
    this.location = location;
  }
}
