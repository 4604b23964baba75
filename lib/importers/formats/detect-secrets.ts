import { z } from 'zod';
import { type Importer, ReportError, readList } from '../importer.ts';
import { documentOf, hasKind } from '../read/report.ts';
import { flag, number, requiredText } from '../read/schema.ts';
import { isObject, property } from '../read/values.ts';
import { secretResults } from '../tools/secret-results.ts';

const Secret = z.object({
  type: requiredText,
  filename: requiredText,
  /** SHA-1. */
  hashed_secret: requiredText,
  is_verified: flag,
  /** The verdict of the audit. */
  is_secret: flag,
  line_number: number,
});

/** `detect-secrets scan`, also a baseline. */
export const detectSecrets: Importer = {
  name: 'detect-secrets',
  about: {
    tool: '[detect-secrets](https://github.com/Yelp/detect-secrets)',
    command: '`detect-secrets scan > report.json`',
    versions: '1.0 and 1.5',
    identity: 'type, file, secret',
    severity: 'high; critical if the secret was verified',
  },

  detects: (report) => hasKind(documentOf(report), { results: 'object', plugins_used: 'list' }),

  results(report, context) {
    const document = documentOf(report);
    const files = property(document, 'results');
    if (!isObject(files)) throw new ReportError('expected an object', 'results');
    const members = Object.entries(files).flatMap(([filename, found]) =>
      [found].flat().map((one) => (isObject(one) ? { filename, ...one } : one)),
    );
    const secrets = readList(Secret, members, 'results', context).filter(({ is_secret: isSecret }) => {
      if (isSecret === false) context.skip('the audit says that it is no secret');
      return isSecret !== false;
    });
    const places = secrets.map((found) => ({
      rule: found.type,
      path: found.filename,
      line: found.line_number,
      secret: found.hashed_secret,
      severity: found.is_verified ? ('critical' as const) : ('high' as const),
      facts: {
        Verified: found.is_verified ? 'yes' : 'no',
        Audit: found.is_secret ? 'is a secret' : undefined,
      },
    }));
    return secretResults('detect-secrets', places, context);
  },
};
