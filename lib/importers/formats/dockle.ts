import { z } from 'zod';
import { type Importer, type Result, readRequired, skipped } from '../importer.ts';
import { imageName } from '../kinds/dependency.ts';
import { failedCheck } from '../kinds/resources.ts';
import { documentOf, hasKind } from '../read/report.ts';
import { number, requiredText, text, texts } from '../read/schema.ts';
import { property } from '../read/values.ts';
import { nameIn } from '../scanned.ts';
import { severityIn } from '../support.ts';

const Detail = z.object({ code: requiredText, title: text, level: text, alerts: texts });

/** `dockle -f json` */
export const dockle: Importer = {
  name: 'dockle',
  about: {
    tool: '[Dockle](https://github.com/goodwithtech/dockle)',
    command: '`dockle -f json -o report.json <image>`',
    versions: 'the report names no version',
    identity: 'image, checkpoint',
    severity: '`level`: FATAL is high, WARN medium, INFO low',
  },

  detects: (report) => hasKind(documentOf(report), { details: 'list', summary: { fatal: 'value' } }),

  category: (report) => imageName(nameIn(report, 'image') ?? ''),

  results(report, context) {
    const document = documentOf(report);
    const image = text.parse(property(document, 'image'));
    context.skip('passed', number.parse(property(document, 'summary', 'pass')) ?? 0);
    return readRequired(Detail, document, 'details', context).flatMap((detail): Result | [] => {
      const { code, title, level, alerts } = detail;
      const word = level?.toUpperCase() ?? '';
      if (word === 'PASS') return [];
      if (word === 'IGNORE' || word === 'SKIP')
        return skipped(word === 'SKIP' ? 'skipped' : 'ignored', context);
      return failedCheck({
        tool: 'dockle',
        entries: [detail],
        id: code,
        name: title,
        resource: image,
        resourceIdentity: [image && imageName(image)],
        severity: severityIn({ fatal: 'high', warn: 'medium', info: 'low' }, word),
        message: alerts.join('\n'),
        references: [
          `https://github.com/goodwithtech/dockle/blob/master/CHECKPOINT.md#${code.toLowerCase()}`,
        ],
      });
    });
  },
};
