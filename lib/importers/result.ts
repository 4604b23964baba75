import { fitToLimits } from './clean.ts';
import type { Finding } from './finding.ts';
import type { Fingerprints } from './identity/fingerprints.ts';
import type { Shown } from './importer.ts';
import { maskObvious } from './text/credentials.ts';

/** The finding of a result. @param source the tool, unless the result names another one */
export function findingOf(result: Shown, fingerprints: Fingerprints, source: string): Finding {
  const { column: _c, repeats: _r, ...finding } = result;
  return fitToLimits({
    ...{ source, ...finding, ...fingerprints },
    title: maskObvious(finding.title),
    description: maskObvious(finding.description),
  });
}
