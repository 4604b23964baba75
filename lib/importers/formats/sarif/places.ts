import type { ImportContext } from '../../importer.ts';
import { relativePath } from '../../support.ts';
import type { Location, Run } from './schema.ts';

/** The file of a location relative to the workspace, or to a base that the run names; or a URL of something else. */
export function placeIn(
  location: Location | undefined,
  run: Run,
  context: ImportContext,
): { file?: string | undefined; url?: string | undefined } {
  const given = location?.physicalLocation?.artifactLocation;
  const artifact = given?.uri ? given : (run.artifacts?.[given?.index ?? -1]?.location ?? given);
  const uri = artifact?.uri;
  if (!uri) return {};
  const base = /^[a-z][\w+.-]+:|^\//i.test(uri) ? '' : baseOf(artifact.uriBaseId, run);
  const whole = `${base}${uri}`;
  if (/^(?!file:)[a-z][\w+.-]+:\/\//i.test(whole)) return { url: whole };
  const path = pathOf(whole);
  const bases = Object.keys(run.originalUriBaseIds ?? {}).map((id) => pathOf(baseOf(id, run)));
  for (const root of [context.workspace.replaceAll('\\', '/'), ...bases].map((r) => r.replace(/\/+$/, ''))) {
    if (root && path.startsWith(`${root}/`)) {
      return { file: relativePath(path.slice(root.length), { workspace: '' }) };
    }
  }
  return { file: relativePath(path, { workspace: '' }) };
}

/** A base is a URI, or relative to another base. */
function baseOf(id: string | undefined | null, { originalUriBaseIds }: Run, depth = 0): string {
  const base = id && depth < 8 ? originalUriBaseIds?.[id] : undefined;
  if (!base?.uri) return '';
  const uri = base.uri.endsWith('/') ? base.uri : `${base.uri}/`;
  return base.uriBaseId ? baseOf(base.uriBaseId, { originalUriBaseIds } as Run, depth + 1) + uri : uri;
}

function pathOf(uri: string): string {
  const path = uri
    .replace(/^file:(?:\/\/[^/]*)?(?=\/)/i, '')
    .replaceAll('\\', '/')
    .replace(/^\/(?=[a-z]:\/)/i, '');
  try {
    return decodeURIComponent(path);
  } catch {
    // Not every tool escapes what it writes.
    return path;
  }
}
