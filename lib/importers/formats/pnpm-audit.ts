import { type Importer, ReportError, readList } from '../importer.ts';
import { firstDocument } from '../read/report.ts';
import { relativePath } from '../support.ts';
import {
  advisoriesIn,
  advisoryResult,
  hasAdvisories,
  isOfPnpm,
  RegistryAdvisory,
} from '../tools/registry-advisory.ts';

/** `pnpm audit --json`: a finding for each advisory. */
export const pnpmAudit: Importer = {
  name: 'pnpm-audit',
  about: {
    tool: '[pnpm audit](https://pnpm.io/cli/audit)',
    command: '`pnpm audit --json > report.json`',
    versions: 'the report names no version: the layout without `actions`',
    identity: 'lock file, package, advisory',
  },

  detects: (report) => {
    const document = firstDocument(report);
    return hasAdvisories(document) && isOfPnpm(document);
  },

  results(report, context) {
    const document = firstDocument(report);
    if (!hasAdvisories(document)) throw new ReportError('The field “advisories” is missing', 'advisories');
    const muted = document.muted;
    context.skip('muted in pnpm', Array.isArray(muted) ? muted.length : 0);
    const file = relativePath('pnpm-lock.yaml', context);
    return readList(RegistryAdvisory, advisoriesIn(document), 'advisories', context).map((advisory) =>
      advisoryResult(
        'pnpm-audit',
        advisory,
        file,
        advisory.findings.flatMap(({ paths }) => paths),
      ),
    );
  },
};
