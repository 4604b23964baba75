import { FINDING_STATUSES, SEVERITIES } from '../../db/schema/values.ts';
import { optional, text, textBytes, uuid, z } from '../http/schema.ts';

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

const MAX_LINE = 2_147_483_647;

/** A finding as an agent pushes it (API contract, "Finding"). */
export const FindingInput = z
  .object({
    scan_id: scanId(),
    project_id: uuid(),
    fingerprint: text({ min: 1, max: 256, example: 'sqli-search-7f3a' }),
    title: text({ min: 1, max: 500, example: 'SQL injection in search' }),
    severity: z.enum(SEVERITIES),
    description: textBytes({ min: 1, max: 102_400, example: 'User input reaches the **query**.' }),
    cwe: optional(
      z
        .string()
        .regex(/^CWE-[0-9]{1,9}$/, 'must have the form CWE-NNN')
        .openapi({ example: 'CWE-89' }),
    ),
    cve: optional(
      z
        .string()
        .regex(/^CVE-[0-9]{4}-[0-9]{4,19}$/, 'must have the form CVE-YYYY-NNNNN')
        .openapi({ example: 'CVE-2026-12345' }),
    ),
    cvss_score: optional(z.number().min(0).max(10).openapi({ example: 9.8 })),
    cvss_vector: optional(text({ max: 256, example: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' })),
    file: optional(
      text({ max: 1024 })
        .refine((path) => !path.includes('..'), 'must not contain ".."')
        .openapi({ pattern: '^(?:\\.?[^.\\u0000])*\\.?$', example: 'src/search.ts' }),
    ),
    line: optional(z.int().min(1).max(MAX_LINE).openapi({ example: 42 })),
    source: optional(text({ max: 255, example: 'semgrep' })),
  })
  .openapi('FindingInput');

export type FindingInput = z.output<typeof FindingInput>;
