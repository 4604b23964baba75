import { type Importer, ReportError } from '../importer.ts';
import { codeResults } from '../kinds/code.ts';
import { parseReport } from '../read/parse.ts';
import { readAudit } from '../tools/fortify-audit.ts';
import { readFvdl } from '../tools/fortify-fvdl.ts';
import { readListing } from '../tools/fortify-listing.ts';

/** FPR archives, the `audit.fvdl` in them, and the XML of a Fortify report. */
export const fortify: Importer = {
  name: 'fortify',
  about: {
    tool: '[Fortify SCA](https://www.opentext.com/products/static-application-security-testing)',
    command: '`sourceanalyzer -b ID -scan -f report.fpr`, or the XML of `ReportGenerator`',
    versions: 'FVDL 1.12 of SCA 23.1 and 24.2, XML reports of SCA 18.2, 20.1 and 22.1',
    identity: 'the instance id of Fortify, which does not depend on lines',
    severity: 'the Fortify priority, from impact and likelihood',
  },

  detects: (report) =>
    report.kind === 'archive'
      ? report.names.includes('audit.fvdl')
      : report.kind === 'xml' && (report.root === 'FVDL' || report.root === 'ReportDefinition'),

  results(report, context) {
    if (report.kind === 'xml' && report.root === 'ReportDefinition')
      return codeResults('fortify', readListing(report.document, context), context);
    if (report.kind !== 'archive')
      return codeResults('fortify', readFvdl(report, new Map(), context), context);
    const audit = report.read('audit.xml');
    const decisions = audit === undefined ? new Map() : readAudit(audit, context);
    const scan = parseReport(report.read('audit.fvdl') ?? '');
    if (scan.kind !== 'xml') throw new ReportError('audit.fvdl is not XML');
    return codeResults('fortify', readFvdl(scan, decisions, context), context);
  },
};
