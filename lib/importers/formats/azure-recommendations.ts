import { z } from 'zod';
import { type Importer, type Result, readList, skipped } from '../importer.ts';
import { failedCheck } from '../kinds/resources.ts';
import { hasColumns, rowsOf } from '../read/report.ts';
import { fields, text } from '../read/schema.ts';
import { severityOf } from '../support.ts';

const Row = z.object({
  ...fields(text, 'subscriptionId', 'subscriptionName', 'resourceGroup', 'resourceType', 'resourceName'),
  ...fields(text, 'resourceId', 'recommendationId', 'recommendationName', 'recommendationDisplayName'),
  ...fields(text, 'description', 'remediationSteps', 'severity', 'state', 'controls'),
  azurePortalRecommendationLink: text,
});

const COLUMNS = ['recommendationId', 'recommendationDisplayName', 'resourceId', 'state'];

/** The recommendations of Microsoft Defender for Cloud (Azure Security Center), downloaded as CSV. */
export const azureRecommendations: Importer = {
  name: 'azure-recommendations',
  about: {
    tool: '[Microsoft Defender for Cloud](https://learn.microsoft.com/azure/defender-for-cloud/) (Azure Security Center)',
    command: 'Recommendations, Download CSV report',
    versions: 'the report names no version: an export of 2021',
    identity: 'recommendation, resource',
  },

  detects: (report) => hasColumns(report, ...COLUMNS),

  results(report, context) {
    return readList(Row, rowsOf(report), '', context).flatMap((row): Result[] => {
      const state = row.state?.toLowerCase() ?? '';
      if (state === 'healthy') return skipped('passed', context);
      if (/^(?:not ?applicable|off by policy|exempt(?:ed)?)$/.test(state)) return skipped(state, context);
      // The id of a recommendation starts with the resource and ends with the assessment.
      const assessment =
        row.recommendationName || row.recommendationId?.split('/').at(-1) || row.recommendationDisplayName;
      const check = failedCheck({
        tool: 'azure-recommendations',
        entries: [row],
        id: assessment ?? '',
        name: row.recommendationDisplayName,
        resource: row.resourceName || row.resourceId,
        resourceIdentity: [row.resourceId?.toLowerCase()],
        severity: severityOf(row.severity),
        about: row.description,
        fix: row.remediationSteps,
        facts: {
          'Resource type': row.resourceType,
          'Resource group': row.resourceGroup,
          Subscription: row.subscriptionName || row.subscriptionId,
          Control: row.controls,
        },
        references: [row.azurePortalRecommendationLink?.replace(/^(?!https?:)/, 'https://')],
      });
      return [{ ...check, title: `${row.recommendationDisplayName} (${row.resourceName})` }];
    });
  },
};
