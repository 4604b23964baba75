import type { Importer } from '../importer.ts';
import { codeResults } from '../kinds/code.ts';
import { hasRoot, rootOf } from '../read/report.ts';
import { textAt } from '../read/schema.ts';
import { readDetailed } from '../tools/veracode-detailed.ts';
import { isFindings, readFindings } from '../tools/veracode-findings.ts';

/** The detailed report in XML, and the findings of the API in JSON. */
export const veracode: Importer = {
  name: 'veracode',
  about: {
    tool: '[Veracode](https://docs.veracode.com)',
    command: 'the detailed report in XML, or `/appsec/v2/applications/GUID/findings`',
    versions: 'detailed report 1.5, answers of the findings API',
    identity: 'application and number of the flaw; for packages the application, package and CVE',
    severity: '`severity`: 5 is critical, 4 high, 3 medium, 2 low',
  },

  detects: (report) => hasRoot(report, 'detailedreport') || isFindings(report),

  category: (report) =>
    report.kind === 'xml' ? textAt(rootOf(report, 'detailedreport'), '@_app_name') : undefined,

  results(report, context) {
    const { flaws, packages } =
      report.kind === 'xml' ? readDetailed(report, context) : readFindings(report, context);
    return [...codeResults('veracode', flaws, context), ...packages];
  },
};
