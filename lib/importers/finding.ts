/** Most severe first. */
export const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** The word of a tool that is no known severity, and the severity that is used. `importReport` warns of it. */
export interface UnknownSeverity {
  word: string;
  severity: Severity;
}

/** The severity of a result. */
export type Rating = Severity | UnknownSeverity;

/** A finding as an agent reports it: the body of a push without the ids of the scan and the project. */
export interface Finding {
  /** Stable when the scan is repeated or lines shift. The service stores one finding per project and fingerprint. */
  fingerprint: string;
  /**
   * Fingerprints that identified the same problem before, at most 5. If the service knows no finding with `fingerprint`, it
   * looks for these in their order, and the finding takes the new fingerprint.
   */
  previous_fingerprints?: string[] | undefined;
  title: string;
  severity: Severity;
  /** Markdown. */
  description: string;
  /** `CWE-89` */
  cwe?: string | undefined;
  /** `CVE-2026-12345` */
  cve?: string | undefined;
  /** 0.0 to 10.0 */
  cvss_score?: number | undefined;
  cvss_vector?: string | undefined;
  /** Relative to the workspace. */
  file?: string | undefined;
  line?: number | undefined;
  /** The tool that found it, such as `semgrep`. */
  source?: string | undefined;
  /** The id that the tool gives to the rule, check or vulnerability, without the place where it was found: `python.lang.eval`. */
  rule_id?: string | undefined;
}
