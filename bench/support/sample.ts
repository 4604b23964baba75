import { finding, type TestOrg } from '../../tests/support/api/client.ts';
import { MARK } from '../../tests/support/load/load.ts';

const FINDING_BYTES = 500;
const TEXT = 'User input reaches the query without being escaped. '.repeat(FINDING_BYTES);

/** The fields of a finding whose JSON has {@link FINDING_BYTES}. */
export function sampleFields(org: TestOrg, scanId: string) {
  const fields = {
    ...{ fingerprint: MARK, title: 'SQL injection in the search of the web shop', severity: 'high' },
    ...{ cwe: 'CWE-89', cvss_score: 8.6, file: 'src/shop/search.ts', line: 42, source: 'semgrep' },
    description: `${MARK} `,
  };
  const missing = FINDING_BYTES - JSON.stringify(finding(org, scanId, fields)).length;
  return { ...fields, description: fields.description + TEXT.slice(0, missing) };
}
