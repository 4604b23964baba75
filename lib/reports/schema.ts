import { PERSONAS, SEVERITIES } from '../../db/schema/values.ts';
import { baseRef, defaultRef, scanCategory, scanCommit, targetPart } from '../findings/input.ts';
import { FORMATS } from '../importers/names.ts';
import { MAX_SOURCES } from '../importers/scanned.ts';
import { Scan } from '../resources.ts';
import { findingShape, PreviewGate } from '../scans/gate.ts';
import { count, flag, id, shown, text, z } from '../schema.ts';

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
  target_type: targetPart('repository').optional(),
  target_path: targetPart('services/web').optional(),
  target_url: targetPart('https://git.example.com/acme/web-shop').optional(),
  target_ref: targetPart('main').optional(),
  base_ref: baseRef().optional(),
  default_ref: defaultRef().optional(),
  category: scanCategory().optional(),
  commit: scanCommit().optional(),
  sources: z
    .union([z.string(), z.array(z.string())])
    .transform((given) => [given].flat())
    .pipe(z.array(text({ min: 1, max: 255 })).max(MAX_SOURCES))
    .optional()
    .openapi({
      type: 'array',
      items: { type: 'string', minLength: 1, maxLength: 255 },
      maxItems: MAX_SOURCES,
      example: ['semgrep'],
      description: 'The scanners that ran, as a repeated parameter. Default: those of the report.',
    }),
  preview: flag().optional().openapi({
    description: 'Writes nothing, and returns what the import would change.',
    example: false,
  }),
  fail_on: z.enum(SEVERITIES).default('high').openapi({
    description: 'The lowest severity that fails the gate of a preview.',
  }),
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

/** The findings in a preview. */
export const MAX_PREVIEWED = 1_000;
/** The findings in a preview that would be closed. */
export const MAX_CLOSING = 100;

export const MATCHES = ['fingerprint', 'previous_fingerprint', 'moved_code'] as const;

export const ReportPreview = z
  .object({
    format: z.string().openapi({ example: 'trivy' }),
    warnings: z.array(z.string()).openapi({ example: [], description: 'As of an import.' }),
    status: z.enum(['completed', 'failed']).openapi({ description: 'The status of the scan.' }),
    error_message: shown('2 files could not be parsed', 'Set if the report is incomplete.').optional(),
    new: count(3).openapi({ description: 'Findings that are not known.' }),
    again: count(12).openapi({ description: 'Findings that are known.' }),
    regressed: count(1).openapi({ description: 'Findings of `again` that are back after they were fixed.' }),
    gone: count(2).openapi({
      description: 'Findings that the latest comparable scan reported and the report does not.',
    }),
    would_close: count(1).openapi({ description: 'Findings that would be closed (`close_after_scans`).' }),
    counts: z.object(Object.fromEntries(SEVERITIES.map((severity) => [severity, count(0)]))).openapi({
      description: 'The findings of the report by severity, without false positives and accepted risks.',
    }),
    gate: PreviewGate,
    findings: z
      .array(
        z.object({
          id: id().optional().openapi({ description: 'Absent for a new finding.' }),
          ...findingShape,
          outcome: z.enum(['new', 'again', 'regressed']),
          matched_by: z.enum(MATCHES).optional().openapi({
            description:
              'How a known finding was found. `moved_code`: it has another file, or the same fingerprint in another line.',
          }),
          moved_from: z
            .object({
              file: shown('src/find.ts').optional(),
              line: z.int().optional().openapi({ example: 12 }),
            })
            .optional()
            .openapi({ description: 'The former place of moved code.' }),
          fails_gate: z.boolean().openapi({ example: true }),
        }),
      )
      .openapi({
        description: `At most ${MAX_PREVIEWED}: those that fail the gate first, then the most severe ones.`,
      }),
    closing: z
      .array(z.object({ id: id(), ...findingShape }))
      .openapi({ description: `What would be closed, at most ${MAX_CLOSING}, the most severe first.` }),
  })
  .openapi('ReportPreview');

export const REPORT_FILE =
  'The report as the scanner wrote it: as the body, with any content type, or as the only file of a `multipart/form-data` form. `Content-Encoding: gzip` and gzip files are unpacked. At most `SVC_MAX_REPORT` (64 MiB by default), unpacked.';
