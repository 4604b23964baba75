import { PERSONAS } from '../../db/schema/values.ts';
import { scanCommit } from '../findings/input.ts';
import { FORMATS } from '../importers/names.ts';
import { Scan } from '../resources.ts';
import { count, text, z } from '../schema.ts';

const names = new Set<string>(FORMATS);

/** The query parameters of a report. */
export const reportQuery = {
  persona: z.enum(PERSONAS).default('sharingan'),
  format: z
    .string()
    .refine((name) => names.has(name), 'must be a format of docs/formats.md')
    .optional()
    .openapi({
      description: 'The format of the report, such as `trivy` or `sarif`. Default: detected.',
      example: 'trivy',
    }),
  name: text({ min: 1, max: 200, trim: true, example: 'Nightly audit' }).optional(),
  target_path: text({ max: 2048, example: 'services/web' }).optional(),
  target_ref: text({ max: 2048, example: 'main' }).optional(),
  commit: scanCommit().optional(),
};

export type ReportQuery = z.output<z.ZodObject<typeof reportQuery>>;

export const ImportedReport = z
  .object({
    scan: Scan,
    format: z.string().openapi({
      example: 'trivy',
      description: 'Empty for an empty list, which names no scanner.',
    }),
    warnings: z.array(z.string()).openapi({
      example: ['Unknown severity “Hot” of 2 results: rated as medium, or higher by the CVSS score'],
      description: 'Remarks about the report that do not make it incomplete. At most 11.',
    }),
    changes: z
      .object({
        new: count(3).openapi({ description: 'Findings that were not known.' }),
        again: count(12).openapi({ description: 'Findings that were known.' }),
        gone: count(2).openapi({
          description:
            'Findings that the latest comparable scan reported and this one did not; 0 if the report is incomplete.',
        }),
        regressed: count(1).openapi({
          description: 'Findings of `again` that were `fixed`, and are `open` now.',
        }),
      })
      .openapi('ReportChanges'),
  })
  .openapi('ImportedReport');

export const REPORT_FILE =
  'The report as the scanner wrote it: as the body, with any content type, or as the only file of a `multipart/form-data` form. `Content-Encoding: gzip` and gzip files are unpacked. At most `SVC_MAX_REPORT` (64 MiB by default), unpacked.';
