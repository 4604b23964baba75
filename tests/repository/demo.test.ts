import { describe, expect, it } from 'vitest';
import { FindingInput } from '../../lib/findings/input.ts';
import { PROJECTS } from '../../scripts/seed/company.ts';

describe('the demo organization', () => {
  it.each(PROJECTS)(
    '$name has findings that the service takes, each with a fingerprint of its own',
    (project) => {
      const findings = project.schedules.flatMap(({ parts }) =>
        parts.flatMap(({ candidates }) => candidates),
      );
      const ids = { scan_id: 'scan', project_id: '01890a5d-ac96-774b-bcce-b302099a8057' };
      for (const finding of findings) {
        expect(FindingInput.safeParse({ ...finding, ...ids }).error).toBeUndefined();
        if (finding.cve) expect(finding.cvss_score).toBeGreaterThan(0);
      }
      expect(new Set(findings.map(({ fingerprint }) => fingerprint)).size).toBe(findings.length);
    },
  );
});
