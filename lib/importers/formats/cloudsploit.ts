import { z } from 'zod';
import { type Importer, type Result, readList, skipped } from '../importer.ts';
import { distinct, failedCheck, listsOf } from '../kinds/resources.ts';
import { documentOf, hasKind } from '../read/report.ts';
import { fields, requiredText, text } from '../read/schema.ts';

const Check = z.object({
  plugin: requiredText,
  ...fields(text, 'category', 'title', 'description', 'resource', 'region', 'status', 'message'),
});

/** `./index.js --json` */
export const cloudsploit: Importer = {
  name: 'cloudsploit',
  about: {
    tool: '[CloudSploit](https://github.com/aquasecurity/cloudsploit)',
    command: '`./index.js --config config.js --json report.json`',
    versions: 'the report names no version',
    identity: 'plugin, region, resource',
    severity: '`status`: FAIL is high, WARN medium',
  },

  detects: (report) =>
    hasKind([documentOf(report)].flat()[0], {
      plugin: 'value',
      status: 'value',
      region: 'value',
      resource: 'value',
    }),

  results(report, context) {
    return readList(Check, listsOf(report), '', context).flatMap((check): Result | [] => {
      const { plugin, region, resource, message } = check;
      const status = check.status?.toUpperCase();
      if (status === 'OK' || status === 'PASS') return skipped('passed', context);
      if (status === 'UNKNOWN') {
        // The plugin could not read the account.
        context.error(
          `${distinct(plugin, region).join(' in ')} was not checked: ${message ?? 'no reason given'}`,
        );
        return [];
      }
      const isResource = resource && resource !== 'N/A';
      return failedCheck({
        tool: 'cloudsploit',
        entries: [check],
        id: plugin,
        name: check.title,
        resource: isResource ? resource : region,
        resourceIdentity: [region, isResource ? resource : undefined],
        severity: status === 'WARN' ? 'medium' : 'high',
        message,
        about: check.description,
        facts: { Category: check.category, Region: region },
      });
    });
  },
};
