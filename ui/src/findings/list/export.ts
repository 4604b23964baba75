import * as text from '#strings/findings/list.tsx';
import { ServiceError } from '../../app/api.ts';
import { stringifySearch } from '../../app/search.ts';
import type { FindingFilter } from '../list-queries.ts';

export const FORMATS = text.formats;

export type Format = keyof typeof FORMATS;

/**
 * Downloads the matching findings as a file. A link cannot be used, because it cannot send the header that names the
 * organization.
 * @param onBytes called with the number of bytes received
 */
export async function exportFindings(
  slug: string,
  filter: FindingFilter,
  format: Format,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<File> {
  const response = await fetch(`/api/v1/findings${stringifySearch({ ...filter, format })}`, {
    headers: { 'x-org-slug': slug },
    signal,
  });
  if (!response.ok || !response.body) {
    throw new ServiceError(response, await response.json().catch(() => undefined));
  }
  let bytes = 0;
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        onBytes(bytes);
        controller.enqueue(chunk);
      },
    }),
  );
  const type = response.headers.get('content-type') ?? '';
  const blob = await new Response(counted).blob();
  const said = /filename="([\w.-]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1];
  return new File([blob], said ?? `findings.${format}`, { type });
}
