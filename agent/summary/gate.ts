import { type Client, ServiceError } from '../../lib/client/index.ts';
import { withRetries } from '../../lib/client/retry.ts';
import { type Finding, SEVERITIES, type Severity } from '../../lib/importers/finding.ts';
import { describeError, describeUnreachable } from '../delivery/refusals.ts';

/** A finding that fails a gate. */
export interface FailingFinding extends Pick<Finding, 'severity' | 'title' | 'file' | 'line'> {
  /** Why it counts as new. */
  reason: string;
}

/** The new findings of a scan, as the service sees them. */
export interface Gate {
  /** All that fail it. */
  total: number;
  /** At most 100, the most severe first. */
  findings: FailingFinding[];
  /** The response, for `--json`. */
  response: object;
}

/** Why there is no gate. */
export interface NoGate {
  reason: string;
  /** Whether the service has no gates. Otherwise it could not be asked. */
  isOlder: boolean;
}

/** The response has 100 findings at most. An incompatible service could send more. */
const MAX_LISTED = 100;
const MAX_COMMIT = 7;

/**
 * Asks the service which findings of a scan its base does not have.
 * @param ref the scanned branch
 */
export async function askGate(
  client: Client,
  scanId: string,
  { failOn, ref }: { failOn: Severity; ref: string | undefined },
): Promise<Gate | NoGate> {
  const params = { path: { id: scanId }, query: { fail_on: failOn } };
  try {
    const { result } = await withRetries(() => client.get('/agent/scans/{id}/gate', { params }));
    if (!Number.isInteger(result.total) || !Array.isArray(result.findings)) return OLDER;
    const reason = reasonFor(result.base, ref);
    const listed = result.findings
      .slice(0, MAX_LISTED)
      .filter(({ severity }) => SEVERITIES.includes(severity));
    const findings = listed.map((finding) => ({ ...finding, title: String(finding.title), reason }));
    return { total: result.total, findings, response: { ...result, findings } };
  } catch (error) {
    if (error instanceof ServiceError) return error.status === 404 ? OLDER : notAsked(describeError(error));
    return notAsked(describeUnreachable(error));
  }
}

const OLDER: NoGate = { reason: 'the service is older and has no gates', isOlder: true };
const notAsked = (problem: string): NoGate => ({
  reason: `the gate could not be asked (${problem.replace(/\.$/, '')})`,
  isOlder: false,
});

export type Base = { ref: string | null; commit: string | null } | null;

/** Why a finding counts as new. */
export function reasonFor(base: Base | undefined, ref: string | undefined): string {
  if (!base) return 'no earlier scan to compare with';
  if (base.ref && base.ref !== ref) return `not on ${base.ref}`;
  return base.commit
    ? `not in the scan of commit ${base.commit.slice(0, MAX_COMMIT)} before`
    : 'not in the scan before';
}
