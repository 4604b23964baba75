import { z } from 'zod';

/*
 * A backup is a gzip stream of lines of JSON, usually encrypted (encryption.ts):
 *
 *   {"format":"svc-findings organization backup","format_version":1,"service_version":…,"schema_version":…,"org":{…},…}
 *   {"table":"shared.orgs","columns":["name","slug",…]}
 *   ["Acme","acme",…]                                     one line per row: PostgreSQL's text of each value, or null
 *   {"table":"org.findings","columns":[…]}
 *   …
 *   {"end":true,"rows":{"shared.orgs":1,…},"sha256":…}    the hash of all lines before it
 *
 * A file without the last line is not complete.
 */

export const FORMAT = 'svc-findings organization backup';
export const FORMAT_VERSION = 1;

/** The longest line in bytes. The largest rows have about a megabyte. */
export const MAX_LINE = 64 * 1024 * 1024;

export const Header = z.object({
  format: z.literal(FORMAT),
  format_version: z.number(),
  service_version: z.string().max(100),
  /** How many migrations the schema has had. */
  schema_version: z.number().int().min(1).max(10_000),
  created_at: z.iso.datetime(),
  org: z.object({
    id: z.string().regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
    slug: z.string().max(100),
    name: z.string().max(1_000),
  }),
});
export type Header = z.infer<typeof Header>;

export const SectionLine = z.object({
  table: z.string().max(100),
  columns: z.array(z.string().max(100)).max(500),
});

export const EndLine = z.object({
  end: z.literal(true),
  rows: z.record(z.string(), z.number().int().nonnegative()),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

/** The values of a row. */
export type Cells = (string | null)[];
