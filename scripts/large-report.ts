import { once } from 'node:events';
import { createWriteStream } from 'node:fs';

/*
 * Writes a large report to measure the memory and time of svc-agent (docs/formats.md, “Large reports”):
 * npx tsx scripts/large-report.ts <sarif|semgrep|nuclei|csv|nessus> <MB> <file>
 */

const [kind = '', megabytes = '', path] = process.argv.slice(2);

const WORDS =
  'the user input flows into a query without validation which lets an attacker read or change data of other tenants'.split(
    ' ',
  );

const text = (seed: number, count: number) =>
  Array.from({ length: count }, (_, at) => WORDS[(seed * 7 + at * 13) % WORDS.length]).join(' ');

const listOf = <T>(length: number, member: (i: number) => T) => Array.from({ length }, (_, i) => member(i));

interface Layout {
  start: string;
  member(i: number): string;
  separator?: string;
  end?: string;
}

const rule = (i: number) => ({
  id: `js/rule-${i}`,
  shortDescription: { text: `Rule ${i}` },
  help: { text: text(i, 80) },
  properties: { tags: ['security', 'external/cwe/cwe-089'], 'security-severity': String(1 + (i % 9)) },
});

const step = (i: number, at: number) => ({
  location: {
    physicalLocation: {
      artifactLocation: { uri: `src/mod${i % 5000}/f${at}.js` },
      region: { startLine: at + 1 },
    },
    message: { text: text(i + at, 5) },
  },
});

const LAYOUTS: Record<string, Layout> = {
  // The rules and artifacts are behind the results that refer to them.
  sarif: {
    start: '{"version":"2.1.0","runs":[{"results":[',
    separator: ',',
    member: (i) =>
      JSON.stringify({
        ruleId: `js/rule-${i % 400}`,
        ruleIndex: i % 400,
        message: { text: `Finding ${i}: ${text(i, 30)}` },
        partialFingerprints: { primaryLocationLineHash: `${i.toString(16)}abc:1` },
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: `src/mod${i % 5000}/file${i % 37}.js`, index: i % 5000 },
              region: { startLine: 1 + (i % 900), snippet: { text: `  db.query("select " + input${i})` } },
              contextRegion: { startLine: i % 900, snippet: { text: text(i, 25) } },
            },
          },
        ],
        codeFlows: [{ threadFlows: [{ locations: listOf(3, (at) => step(i, at)) }] }],
      }),
    end: `],"artifacts":${JSON.stringify(listOf(5000, (i) => ({ location: { uri: `src/mod${i}/f.js` } })))},"tool":{"driver":${JSON.stringify({ name: 'BigScan', rules: listOf(400, rule) })}}}]}`,
  },
  semgrep: {
    start: '{"version":"1.100.0","results":[',
    separator: ',',
    member: (i) =>
      JSON.stringify({
        check_id: `javascript.lang.rule-${i % 300}`,
        path: `src/mod${i % 5000}/file${i % 37}.js`,
        start: { line: 1 + (i % 900), col: 3, offset: i },
        end: { line: 1 + (i % 900), col: 40, offset: i + 9 },
        extra: {
          message: text(i, 60),
          severity: ['ERROR', 'WARNING', 'INFO'][i % 3],
          lines: `  exec(input${i})`,
          fingerprint: `${'f'.repeat(100)}${i}`,
          metadata: { cwe: ['CWE-78: OS Command Injection'], owasp: ['A03:2021 - Injection'] },
        },
      }),
    end: '],"errors":[],"paths":{"scanned":[]}}',
  },
  nuclei: {
    start: '',
    member: (i) =>
      `${JSON.stringify({
        'template-id': `tpl-${i % 500}`,
        info: {
          name: `Template ${i % 500}`,
          severity: ['low', 'medium', 'high'][i % 3],
          description: text(i, 40),
        },
        type: 'http',
        host: `https://h${i % 20000}.example.org`,
        'matched-at': `https://h${i % 20000}.example.org/p/${i}`,
        request: `GET / HTTP/1.1\r\n${text(i, 30)}`,
        response: `HTTP/1.1 200 OK\r\n${text(i, 120)}`,
      })}\n`,
  },
  csv: {
    start: 'title,severity,description,file,line,cwe\n',
    member: (i) =>
      `"Problem ${i}, ${text(i, 6)}",${['low', 'medium', 'high'][i % 3]},"${text(i, 60)}\nsecond ""line""",src/f${i % 5000}.js,${1 + (i % 900)},CWE-79\n`,
  },
  nessus: {
    start: '<?xml version="1.0" ?>\n<NessusClientData_v2><Report name="r">',
    member: (i) =>
      `<ReportHost name="10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}">${listOf(
        60,
        (at) =>
          `<ReportItem port="${at}" protocol="tcp" severity="${at % 4}" pluginID="${10000 + at}" pluginName="Plugin ${at}"><description>${text(i + at, 60)} &lt;x&gt;</description><solution>${text(at, 10)}</solution><plugin_output>${text(i * at, 50)}</plugin_output><cve>CVE-2020-${1000 + at}</cve></ReportItem>`,
      ).join('')}</ReportHost>\n`,
    end: '</Report></NessusClientData_v2>',
  },
};

const layout = LAYOUTS[kind];
if (!layout || path === undefined) {
  process.stderr.write(
    `usage: npx tsx scripts/large-report.ts <${Object.keys(LAYOUTS).join('|')}> <MB> <file>\n`,
  );
  process.exit(1);
}
const { start, member, separator = '', end = '' } = layout;
const file = createWriteStream(path);
let size = 0;
const put = async (added: string) => {
  size += Buffer.byteLength(added);
  if (!file.write(added)) await once(file, 'drain');
};
await put(start);
for (let i = 0; size < Number(megabytes) * 1024 * 1024; i++)
  await put(`${i > 0 ? separator : ''}${member(i)}`);
await put(end);
file.end();
