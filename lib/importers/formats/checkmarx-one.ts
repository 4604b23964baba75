import { z } from 'zod';
import { type ImportContext, type Importer, type Result, readList } from '../importer.ts';
import { codeResults } from '../kinds/code.ts';
import { documentOf, firstDocument, hasKind } from '../read/report.ts';
import { fields, list, number, object, objects, optional, requiredText, text } from '../read/schema.ts';
import { property } from '../read/values.ts';
import { infrastructureFinding, packageResult } from '../tools/checkmarx-one-others.ts';
import { readReport } from '../tools/checkmarx-one-report.ts';
import { isOpen, nodeOf, OneNode, staticFinding } from '../tools/checkmarx-results.ts';

const PackageData = z.object({ locations: list(requiredText), fixLink: text });

const OneResult = z.object({
  type: requiredText,
  ...fields(text, 'id', 'similarityId', 'status', 'state', 'severity', 'description'),
  data: z.object({
    ...fields(text, 'queryName', 'ruleName', 'group', 'languageName', 'fileName', 'filename', 'snippet'),
    ...fields(text, 'platform', 'issueType', 'expectedValue', 'value', 'packageIdentifier', 'packageName'),
    ...fields(text, 'packageVersion', 'imageName', 'recommendedVersion', 'recommendations'),
    nodes: list(OneNode),
    line: number,
    packageData: objects({ url: text }),
    scaPackageData: optional(PackageData),
  }),
  vulnerabilityDetails: object({ cweId: text, cvssScore: number, cveName: text }),
});
type OneResult = z.output<typeof OneResult>;

/** The results of Checkmarx One: its API and command line, and the JSON reports of its web application. */
export const checkmarxOne: Importer = {
  name: 'checkmarx-one',
  about: {
    tool: '[Checkmarx One](https://docs.checkmarx.com)',
    command: '`cx results show --scan-id … --report-format json`, or the JSON report of a scan',
    versions: 'the report names no version: reports and API answers of 2022 to 2026',
    identity: 'query and similarity id; for packages the package and the advisory',
  },

  detects(report) {
    const document = documentOf(report);
    const results = property(document, 'results');
    if (!Array.isArray(results)) return hasKind(document, { scanResults: 'object', reportHeader: 'object' });
    return results[0] === undefined
      ? hasKind(document, { scanID: 'value' })
      : hasKind(results[0], { data: 'object', similarityId: 'value' });
  },

  results(report, context) {
    const document = firstDocument(report);
    const results = property(document, 'results');
    if (!Array.isArray(results)) return readReport(document, context);
    const read = readList(OneResult, results, 'results', context);
    const { data: total } = number.safeParse(property(document, 'totalCount'));
    if (total !== undefined && total > results.length)
      context.error(`The report has ${results.length} of ${total} results`);
    return readResults(read, context);
  },
};

function readResults(results: readonly OneResult[], context: ImportContext): Result[] {
  const open = results.filter(({ state }) => isOpen(state, context));
  const isPackage = ({ data }: OneResult) => Boolean(data.packageIdentifier ?? data.packageName);
  const inCode = open.filter((result) => !isPackage(result));
  const packages = open.filter(isPackage);
  return [
    ...codeResults(
      'checkmarx-one',
      inCode.map((result) => {
        const { data, vulnerabilityDetails, ...common } = result;
        const query = data.queryName ?? data.ruleName ?? result.id ?? result.type;
        const cwe = vulnerabilityDetails?.cweId;
        if (data.nodes.length > 0 || result.type === 'sast') {
          return staticFinding(
            'checkmarx-one',
            {
              ...common,
              entries: [result],
              query,
              cwe,
              group: data.group,
              language: data.languageName,
              nodes: data.nodes.map(nodeOf),
            },
            context,
          );
        }
        return infrastructureFinding(
          {
            ...common,
            entries: [result],
            query,
            cwe,
            category: data.group,
            platform: data.platform,
            file: data.fileName ?? data.filename,
            line: data.line,
            code: data.snippet,
            expected: data.expectedValue,
            actual: data.value,
            issueType: data.issueType,
          },
          context,
        );
      }),
      context,
    ),
    ...packages.map((result) => {
      const { data, vulnerabilityDetails: details, ...common } = result;
      return packageResult(
        {
          ...common,
          entries: [result],
          id: details?.cveName?.startsWith('CVE') ? details.cveName : (common.id ?? common.similarityId),
          identifier: data.packageIdentifier,
          name: data.packageName,
          version: data.packageVersion,
          image: data.imageName,
          file: data.scaPackageData?.locations[0] ?? data.fileName,
          cwe: details?.cweId,
          score: details?.cvssScore,
          fixed: data.recommendedVersion,
          recommendation: data.recommendations,
          references: [data.scaPackageData?.fixLink, ...data.packageData.map(({ url }) => url)],
        },
        context,
      );
    }),
  ];
}
