import fc from 'fast-check';
import { anyText } from '../any-text.ts';

/** Values that no scanner writes. */
const NASTY = [
  ...[null, true, '', '\0', '\ud800', '\udfff x', -1, 0, 1e308, -1e308, 2 ** 53, 0.5, [], {}, [[]], [null]],
  ...['../../etc/passwd', 'file:///../../x', 'C:\\..\\x', '/', '.', '%E0%A4%A', '%00', 'a/..b..c/d'],
  ...['```\n<script>alert(1)</script>', '<!-- ', '`'.repeat(7), '](x)', '{0} {1} {{', '$&$1'],
  ...['__proto__', 'constructor', 'CWE-0', 'CWE-99999999999', 'CVE-1-1', '11', 'NaN', 'CVSS:3.1/AV:N'],
  ...['é'.repeat(60_000), 'x'.repeat(2000), '@'.repeat(5000), '1e999'],
];

/** A report of one or more JSON documents in which parts are removed, changed, exchanged or truncated. */
export function mangled(documents: readonly unknown[]): fc.Arbitrary<string> {
  const value = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom<unknown>(...NASTY) },
    anyText,
    fc.jsonValue(),
  );
  const change = fc.record({
    at: fc.nat(),
    other: fc.nat(),
    how: fc.constantFrom(
      'drop',
      'replace',
      'wrap',
      'exchange',
      'append',
      'repeat',
      'twist',
      'twist',
      'twist',
    ),
    value,
  });
  const changed = fc.array(change, { minLength: 1, maxLength: 4 }).map((changes) => {
    const root: Record<string, unknown> = { documents: structuredClone(documents) };
    for (const { at, other, how, value } of changes) {
      const all = slots(root);
      const [parent, key] = all[at % all.length] ?? [root, 'documents'];
      const [from, name] = all[other % all.length] ?? [root, 'documents'];
      const present = parent[key];
      if (how === 'drop') delete parent[key];
      if (how === 'replace') parent[key] = structuredClone(value);
      if (how === 'twist') {
        const alike = NASTY.filter((one) => typeof one === typeof present);
        parent[key] = structuredClone(alike[other % alike.length]);
      }
      if (how === 'wrap') parent[key] = Array.isArray(present) ? { 0: present[0] } : [present];
      if (how === 'exchange') parent[key] = structuredClone(from[name]);
      if (how === 'append') {
        const added = typeof value === 'string' ? value : JSON.stringify(value);
        parent[key] = (typeof present === 'string' ? present : '') + added;
      }
      if (how === 'repeat' && Array.isArray(present)) parent[key] = [...present, ...structuredClone(present)];
    }
    const left = Array.isArray(root.documents) ? root.documents : [root.documents];
    return left.map((document) => JSON.stringify(document) ?? '').join('\n');
  });
  const end = fc.oneof({ weight: 8, arbitrary: fc.constant(null) }, fc.nat());
  return fc
    .tuple(changed, end)
    .map(([text, end]) => (end === null ? text : text.slice(0, end % (text.length + 1))));
}

type Slot = [parent: Record<string, unknown>, key: string];

/** Every property of a report. */
function slots(parent: Record<string, unknown>): Slot[] {
  return Object.keys(parent).flatMap((key) => {
    const value = parent[key];
    const inner = typeof value === 'object' && value ? slots(value as Record<string, unknown>) : [];
    return [[parent, key] as Slot, ...inner];
  });
}
