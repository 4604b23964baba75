import { describe, expect, it } from 'vitest';
import { identifyCode } from '../../lib/importers/identity/identity.ts';
import { scopeOf } from '../../lib/importers/identity/source/scope.ts';
import { ReportError } from '../../lib/importers/importer.ts';
import { importReport } from '../../lib/importers/index.ts';
import { addressIdentity, shownAddress } from '../../lib/importers/kinds/issues.ts';
import { parseReport } from '../../lib/importers/read/parse.ts';
import { htmlLines, htmlMarkdown, linksIn } from '../../lib/importers/text/html.ts';
import { codeBlock, inlineCode } from '../../lib/importers/text/markdown.ts';
import { context, own } from '../support/importers/importers.ts';
import { limit } from '../support/run/limits.ts';

/** The size of what a report becomes, or the message of the error. */
function outcomeOf(report: string): number | string {
  try {
    return JSON.stringify(parseReport(report)).length;
  } catch (error) {
    if (!(error instanceof ReportError)) throw error;
    return error.message;
  }
}

const entity = (name: string, value: string) => `<!ENTITY ${name} "${value}">`;

describe('hostile XML', () => {
  it('does not expand entities of entities', () => {
    const nested = Array.from({ length: 9 }, (_, i) => entity(`e${i + 1}`, `&e${i};`.repeat(10))).join('');
    expect(outcomeOf(`<!DOCTYPE z [${entity('e0', 'lol')}${nested}]><z>&e9;</z>`)).toBeLessThan(1_000);
  });

  it.each([
    ['in an element', (uses: string) => `<z>${uses}</z>`],
    ['in an attribute', (uses: string) => `<z a="${uses}"/>`],
    ['in many elements', (uses: string) => `<z>${uses.replaceAll('&a;', '<y>&a;</y>')}</z>`],
  ])('does not expand a long entity many times: %s', (_where, use) => {
    const report = `<!DOCTYPE z [${entity('a', 'a'.repeat(9_000))}]>${use('&a;'.repeat(1_000))}`;
    expect(outcomeOf(report)).toMatch(/limit exceeded/);
  });

  it('refuses many entities', () => {
    const many = Array.from({ length: 2_000 }, (_, i) => entity(`e${i}`, 'x')).join('');
    expect(outcomeOf(`<!DOCTYPE z [${many}]><z/>`)).toMatch(/Entity count/);
  });

  it.each([
    ['SYSTEM', '<!ENTITY x SYSTEM "file:///etc/passwd">'],
    ['PUBLIC', '<!ENTITY x PUBLIC "p" "file:///etc/passwd">'],
    ['parameter', '<!ENTITY % x SYSTEM "file:///etc/passwd"> %x;'],
  ])('refuses external entities: %s', (_kind, declaration) => {
    expect(outcomeOf(`<!DOCTYPE z [${declaration}]><z>&x;</z>`)).toEqual(expect.any(String));
  });

  it('ignores an external document type, which Qualys has', () => {
    expect(own('network/qualys.xml')).toContain('<!DOCTYPE ASSET_DATA_REPORT SYSTEM "https://');
    expect(importReport(own('network/qualys.xml'), context).findings).toHaveLength(2);
    expect(parseReport('<!DOCTYPE z SYSTEM "file:///etc/passwd"><z>&x;</z>')).toMatchObject({
      document: { z: ['&x;'] },
    });
  });

  it('refuses deep nesting', () => {
    expect(outcomeOf('<a>'.repeat(50_000) + '</a>'.repeat(50_000))).toMatch(/nested/);
    const tests = '<Paragraph>'.repeat(5_000) + '</Paragraph>'.repeat(5_000);
    const report = own('network/nexpose.xml').replace('Running kernel 5.0', tests);
    expect(() => importReport(report, context)).toThrow(ReportError);
  });

  it('refuses attributes of many megabytes', () => {
    for (const quote of ['"', "'"])
      expect(outcomeOf(`<z a=${quote}${'x'.repeat(20_000_000)}${quote}/>`)).toMatch(
        /attributes of more than/,
      );
    expect(outcomeOf(`<z a="${'x'.repeat(100_000)}"/>`)).toBeGreaterThan(100_000);
  });

  it('does not confuse long text with an attribute', () => {
    expect(outcomeOf(`<z>a="<b/>${'x'.repeat(5_000_000)}</z>`)).toBeGreaterThan(5_000_000);
  });

  it('does not touch the prototypes of objects', () => {
    for (const name of ['__proto__', 'constructor', 'prototype', 'hasOwnProperty'])
      outcomeOf(`<z ${name}="1"><${name} polluted="1">1</${name}></z>`);
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as Record<string, unknown>)['@_polluted']).toBeUndefined();
  });

  it.each([
    ['comments', `<a>${'<!--'.repeat(100_000)}</a>`],
    ['sections', `<a>${'<![CDATA['.repeat(100_000)}</a>`],
    ['instructions', `<a>${'<?'.repeat(100_000)}</a>`],
    ['tags', `<a>${'<'.repeat(100_000)}</a>`],
    ['quotes', `<a ${'"'.repeat(100_001)}/>`],
    ['attributes', `<a ${'="'.repeat(100_000)}/>`],
    ['declarations', `<!DOCTYPE z [${'<!ELEMENT a '.repeat(50_000)}`],
  ])('refuses unfinished %s within the time of a test', (_kind, report) => {
    expect(outcomeOf(report)).toEqual(expect.any(String));
  });
});

describe('hostile texts', () => {
  const LONG = 100_000;
  /** Linear time is a few milliseconds; quadratic time was 28 to 43 s. */
  const LIMIT = { timeout: limit(15_000) };

  it.each([
    ['unclosed comments', '<!--'.repeat(LONG)],
    ['unclosed code', '<pre>'.repeat(LONG)],
    ['unclosed tags', '<a '.repeat(LONG)],
    ['entities', '&#x'.repeat(LONG)],
    ['spaces', `<p>${' '.repeat(LONG)}x`],
    ['an address of dots', `https://${'.'.repeat(LONG)}`],
  ])('of HTML take linear time: %s', LIMIT, (_kind, html) => {
    expect(htmlMarkdown(html).length).toBeLessThan(10 * html.length);
    expect(htmlLines(html).length).toBeLessThan(10 * html.length);
    expect(linksIn(html).length).toBeLessThan(2);
  });

  it.each([
    ['slashes', `https://${'/'.repeat(LONG)}`],
    ['at signs', `https://${'@'.repeat(LONG)}`],
    ['session ids', `https://a/${';sid='.repeat(LONG)}`],
    ['parameters', `https://a/?${'&a='.repeat(LONG)}`],
    ['schemes', '://'.repeat(LONG)],
  ])('of addresses take linear time: %s', LIMIT, (_kind, address) => {
    expect(addressIdentity(address).length).toBeLessThan(10 * address.length);
    expect(shownAddress(address).length).toBeLessThan(10 * address.length);
  });

  it('of HTML lose their tags, and Markdown of reports stays text', () => {
    expect(htmlMarkdown('<p onclick="x">a</p><script>b</script><img src=x onerror=y>')).toBe('a\n\nb');
    expect(htmlMarkdown('&lt;img src=x&gt; [a](javascript:b) `c`')).toBe(
      '\\<img src=x> \\[a](javascript:b) \\`c\\`',
    );
  });
});

describe('addressIdentity', () => {
  it.each([
    ['https://user:pass@Shop.example.org:443/a?b=1&a=2#c', 'https://shop.example.org/a?a&b'],
    ['http://shop.example.org', 'http://shop.example.org/'],
    ['http://shop.example.org:443/', 'http://shop.example.org:443/'],
    ['https://shop.example.org/a;jsessionid=8A4F?x', 'https://shop.example.org/a?x'],
    ['/a?token=secret', '/a?token'],
    ['', ''],
  ])('%s is %s', (address, identity) => {
    expect(addressIdentity(address)).toBe(identity);
  });
});

describe('hostile source code and texts', () => {
  /** The slowest of these took minutes with the quadratic code before. */
  const LIMIT_MS = limit(15_000);

  function expectFast(run: () => unknown) {
    const start = performance.now();
    run();
    expect(performance.now() - start).toBeLessThan(LIMIT_MS);
  }

  it.each([
    ['semicolons', ';'.repeat(400_000)],
    ['semicolons and commas', ',;'.repeat(200_000)],
    ['literals', Array.from({ length: 100_000 }, (_, i) => `"lit${i}x"`).join('+')],
  ])('identifies a result in a line of %s', (_kind, line) => {
    const location = { file: 'a.js', line: 1 };
    const workspace = { directory: '/work', linesOf: () => [`x = ${line}!`] };
    expectFast(() => identifyCode('tool', ['rule'], location, workspace)('a.js'));
    const code = `x = ${line}!`;
    expectFast(() => identifyCode('tool', ['rule'], { ...location, code }, { directory: '/work' })('a.js'));
  });

  it('tells apart long lines that differ in the middle', () => {
    const identityOf = (middle: string) => {
      const linesOf = () => [`${'a();'.repeat(5_000)}${middle}${'b();'.repeat(5_000)}`];
      const identify = identifyCode('t', ['r'], { file: 'a.js', line: 1 }, { directory: '/work', linesOf });
      return identify('a.js');
    };
    expect(identityOf('eval(x)')).toBe(identityOf('eval(x)'));
    expect(identityOf('eval(x)')).not.toBe(identityOf('eval(y)'));
  });

  it('masks thousands of secrets in one line', () => {
    const leaks = Array.from({ length: 5_000 }, (_, i) => ({
      RuleID: 'generic-api-key',
      Description: `Beside sec${(i + 1) % 5_000}retvalue`,
      File: 'a.js',
      StartLine: 1,
      StartColumn: i,
      Match: `key="sec${i}retvalue"`,
      Secret: `sec${i}retvalue`,
    }));
    expectFast(() => {
      const { findings } = importReport(JSON.stringify(leaks), context);
      expect(findings).toHaveLength(5_000);
      expect(JSON.stringify(findings)).not.toContain('retvalue');
    });
  });

  it('masks a generated line with many literals in a finding about secrets', () => {
    const line = Array.from({ length: 150_000 }, (_, i) => `"lit${i}x"`).join('+');
    const report = JSON.parse(own('semgrep.json'));
    const [result] = report.results;
    report.results = [
      { ...result, check_id: 'generic.secrets.hardcoded', extra: { ...result.extra, lines: `k=${line}` } },
    ];
    expectFast(() => {
      const { findings } = importReport(JSON.stringify(report), context);
      expect(findings).toHaveLength(1);
      expect(findings[0]?.description).not.toContain('lit1x');
    });
  });

  it('quotes code with many backticks', () => {
    const code = '` '.repeat(200_000);
    expect(codeBlock(code)).toMatch(/^```\n/);
    expect(inlineCode(code)).toMatch(/^`` /);
  });

  it('finds the stages of a Dockerfile of many lines', () => {
    const lines = ['FROM scratch AS base', ...Array.from({ length: 400_000 }, () => 'RUN x')];
    expectFast(() => {
      for (let line = 1; line < 400_000; line += 100)
        expect(scopeOf(lines, line, 'Dockerfile')).toBe('stage base');
    });
  });

  it('detects the format of many documents in a row', () => {
    expectFast(() => expect(() => importReport('{"a":1}'.repeat(200_000), context)).toThrow(ReportError));
  });

  it('refuses an archive that states billions of files', () => {
    const bytes = new Uint8Array(102);
    const view = new DataView(bytes.buffer);
    const fields: [at: number, value: number][] = [
      [0, 0x04034b50],
      // ZIP64: the number of files, and where their list would start.
      ...([
        [4, 0x06064b50],
        [36, 0xffff_ffff],
        [52, 0x1000_0000],
      ] as [number, number][]),
      ...([
        [60, 0x07064b50],
        [68, 4],
      ] as [number, number][]),
      ...([
        [80, 0x06054b50],
        [88, 0xffff_ffff],
        [96, 0xffff_ffff],
      ] as [number, number][]),
    ];
    for (const [at, value] of fields) view.setUint32(at, value, true);
    expectFast(() => expect(() => importReport(bytes, context)).toThrow(/more than 100000 files/));
  });
});
