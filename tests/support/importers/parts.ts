import type { Finding } from '../../../lib/importers/finding.ts';
import type { Workspace } from '../../../lib/importers/importer.ts';
import type { ImportOptions } from '../../../lib/importers/index.ts';
import { type ImportedParts, importInParts, type ReportSource } from '../../../lib/importers/parts/index.ts';
import { memoryStore } from '../../../lib/reports/memory-store.ts';

/** A report in chunks of a few bytes, which are overwritten after they were read. */
export function sourceOf(content: string | Uint8Array, chunkBytes = 4_099): ReportSource {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return {
    size: bytes.length,
    async *open() {
      const chunk = new Uint8Array(chunkBytes);
      for (let at = 0; at < bytes.length; at += chunkBytes) {
        const length = Math.min(chunkBytes, bytes.length - at);
        chunk.set(bytes.subarray(at, at + length));
        yield chunk.subarray(0, length);
      }
    },
  };
}

/** As small as possible: each member of a list is a part of its own, unless what all parts contain is larger. */
export const SMALL = { partBytes: 1, maxBytes: 32 * 1024 * 1024 };

export async function findingsOf(imported: ImportedParts): Promise<Finding[]> {
  const findings: Finding[] = [];
  for await (const batch of imported.findings()) findings.push(...batch);
  return findings;
}

/** Imports a report in parts. */
export async function importedInParts(
  content: string | Uint8Array,
  workspace: Workspace,
  options: ImportOptions = {},
  { limits = SMALL, chunkBytes = 4_099 } = {},
) {
  const imported = await importInParts(
    sourceOf(content, chunkBytes),
    workspace,
    { createStore: memoryStore, ...options },
    limits,
  );
  const { findings: _, count, ...remarks } = imported;
  const findings = await findingsOf(imported);
  return { ...remarks, count, findings };
}
