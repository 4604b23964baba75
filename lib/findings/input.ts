import type { Limits } from '../../db/findings/field-type.ts';
import { type FindingField, type PushedName, pushedFindingFields } from '../../db/findings/fields.ts';
import { MAX_PREVIOUS_FINGERPRINTS, type Push } from '../../db/findings/ingest/push.ts';
import { FINDING_STATUSES } from '../../db/schema/values.ts';
import { MAX_SOURCES } from '../importers/scanned.ts';
import { optional, text, textBytes, uuid, z } from '../schema.ts';

/** The statuses a user may set; `verified` is the agent's (API contract, "Finding status"). */
export const USER_STATUSES = FINDING_STATUSES.filter((status) => status !== 'verified');

/** The statuses an agent may set. */
export const AGENT_STATUSES = ['open', 'verified'] as const;

/**
 * No control characters, separators of lines, nor the common format and private-use characters: `\P{C}` would depend
 * on whose version of Unicode is asked. And not "." or "..", which a URL cannot name.
 */
const SCAN_ID =
  '^(?!\\.\\.?$)[^\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ue000-\\uf8ff\\ufeff\\ufff9-\\ufffb\\ufffe\\uffff]+$';

/** A scan's id as an agent makes it. */
export const scanId = () =>
  text({ min: 1, max: 36 })
    .regex(new RegExp(SCAN_ID, 'u'), 'must be printable characters, and not "." or ".."')
    .openapi({
      minLength: 1,
      maxLength: 36,
      pattern: SCAN_ID,
      example: '01890a5d-ac96-774b-bcce-b302099a8057',
    });

/** Text of a declared form. */
export const matching = ({ pattern, form }: { pattern: RegExp; form: string }) =>
  z.string().regex(pattern, `must have the form ${form}`);

/** The schemas of a push's fields, from their declaration. */
const pushShape = Object.fromEntries(
  pushedFindingFields.map((field) => {
    const schema = schemaOf(field, field.input);
    return [field.name, field.notNull ? schema : optional(schema)];
  }),
) as { [K in PushedName]-?: z.ZodType<Push[K]> };

function schemaOf({ name, sqlType, enumValues, example }: FindingField, limits: Limits): z.ZodType {
  if (limits === 'any') {
    if (enumValues) return z.enum(enumValues);
    if (sqlType === 'uuid') return uuid();
    throw new Error(`the field ${name} needs limits`);
  }
  if ('characters' in limits) return text({ ...limits.characters, example: String(example) });
  if ('bytes' in limits) return textBytes({ ...limits.bytes, example: String(example) });
  if ('number' in limits) {
    const number = sqlType === 'integer' ? z.int() : z.number();
    return number.min(limits.number.min).max(limits.number.max).openapi({ example });
  }
  if ('pattern' in limits) return matching(limits).openapi({ example });
  if (limits.format === 'scan id') return scanId();
  return text({ max: limits.max })
    .refine((path) => !path.includes('..'), 'must not contain ".."')
    .openapi({ pattern: '^(?:\\.?[^.\\u0000])*\\.?$', example });
}

/** The scanned commit. Empty is the same as none. */
export const scanCommit = () =>
  text({ max: 64, trim: true, example: '4f2a9c1e6d8b7a5039c1e2f4a6b8d0c2e4f6a8b0' }).openapi({
    description: 'The scanned commit, for links to the code. Scans of different commits are comparable.',
  });

/** A part of a scan's target. */
export const targetPart = (example: string) => text({ max: 2048, example });

export const baseRef = () =>
  targetPart('main').openapi({ description: 'The branch that a pull request goes into.' });

export const defaultRef = () =>
  text({ max: 255, trim: true, example: 'main' }).openapi({
    description: 'The default branch of the repository.',
  });

export const scanCategory = () =>
  text({ max: 255, trim: true, example: 'registry.example.com/acme/web-shop' }).openapi({
    description:
      'Tells scans of one source apart that look at different things, such as images or websites. The same in each scan of a thing.',
  });

/** The fields of a scan that an agent sets when it registers or ends it. */
export const scannedShape = {
  target: optional(
    z.object({
      type: optional(targetPart('repository')),
      path: optional(targetPart('services/web')),
      url: optional(targetPart('https://git.example.com/acme/web-shop')),
      ref: optional(targetPart('main')),
      base_ref: optional(baseRef()),
      default_ref: optional(defaultRef()),
      category: optional(scanCategory()),
    }),
  ),
  sources: optional(
    z
      .array(text({ min: 1, max: 255, example: 'semgrep' }))
      .max(MAX_SOURCES)
      .openapi({
        description:
          'The scanners that ran, also those that found nothing, by the `source` of their findings.',
        example: ['semgrep'],
      }),
  ),
};

/** A finding as an agent pushes it (API contract, "Finding"). */
export const FindingInput = z
  .object({
    ...pushShape,
    previous_fingerprints: optional(
      z
        .array(pushShape.fingerprint)
        .max(MAX_PREVIOUS_FINGERPRINTS)
        .openapi({
          description:
            'Fingerprints that identified the finding before. If no finding of the project has `fingerprint`, the first of these that one has counts: that finding takes the new `fingerprint`.',
          example: ['sqli-search-1'],
        }),
    ),
  })
  .openapi('FindingInput');
