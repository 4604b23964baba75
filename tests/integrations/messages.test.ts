import { describe, expect, it } from 'vitest';
import { CHAT_KINDS } from '../../db/schema/destinations.ts';
import type { EventBody } from '../../lib/events/body.ts';
import { CHAT_FORMATS, type ChatKind } from '../../lib/integrations/chat/formats.ts';
import { messageAbout, testMessage } from '../../lib/integrations/chat/message.ts';

/* The messages to chat services. Texts of users and reports are hostile: none may be markup, a mention or a link. */

type ScanEvent = Extract<EventBody, { type: 'scan.completed' | 'scan.failed' }>;
type Finding = ScanEvent['data']['findings'][number];

const ID = '0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07';
const BASE = 'https://findings.example.com/o/acme';

const finding = (fields: Partial<Finding> = {}): Finding => ({
  ...{ id: ID, title: 'SQL injection', severity: 'high', project_id: ID, status: 'open', regressed: false },
  ...{ file: 'src/search.ts', line: 42, url: `${BASE}/findings/${ID}`, ...fields },
});

const scan = (
  data: Partial<ScanEvent['data']> = {},
  fields: Partial<ScanEvent['data']['scan']> = {},
  type: ScanEvent['type'] = 'scan.completed',
): ScanEvent =>
  ({
    ...{ id: ID, type, timestamp: '2026-11-30T10:00:00.000Z' },
    organization: { id: ID, slug: 'acme', name: 'Acme' },
    data: {
      scan: {
        ...{ id: 'nightly', project_id: ID, project: 'Web shop', name: 'Nightly audit', persona: 'senku' },
        ...{ status: 'completed', ref: 'main', commit: '4f2a9c1e6d8b7a5039c1e2f4a6b8d0c2e4f6a8b0' },
        summary: { total: 6, critical: 1, high: 5, medium: 0, low: 0, info: 0 },
        ...{ url: `${BASE}/scans/nightly`, ...fields },
      },
      ...{ new: 1, regressed: 0, findings: [finding()], ...data },
    },
  }) as ScanEvent;

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever is sent
const bodyOf = (kind: ChatKind, event: EventBody): any => {
  const message = messageAbout(event);
  return message && JSON.parse(JSON.stringify(CHAT_FORMATS[kind](message)));
};

/** All texts of a body by the name of their property. */
function textsOf(body: unknown, name = ''): [string, string][] {
  if (typeof body === 'string') return [[name, body]];
  if (typeof body !== 'object' || body === null) return [];
  return Object.entries(body).flatMap(([key, value]) => textsOf(value, Array.isArray(body) ? name : key));
}

/** Markdown without code and the links of this service: everything that is interpreted. */
const interpreted = (markdown: string) =>
  markdown
    .replaceAll(/`[^`]*`/g, '')
    .replaceAll(/\[Open[ \w]*\]\(https:\/\/findings\.example\.com\/[^\s()]*\)/g, '');

const HOSTILE = [
  '<!channel> <@U024BE7LD> <https://evil.example|Reset your password>',
  '@everyone @here @all @channel @ada ~town-square <@&123> <#456>',
  '[Click](https://evil.example) ![x](https://evil.example/x.png) https://evil.example',
  '*bold* _it_ ~~s~~ `code` ```block``` || spoiler || # heading > quote - item | a | b |',
  '`@all` \\`@channel` ``@here``',
  '<at>Ada</at> {{DATE(2017-02-14T06:00:00Z, SHORT)}} {title}',
  'a\u202e gnp.exe \u2066 \u0000 \u0007 line\nbreak\r\n- item',
  'שלום עולם \u200f\u200e',
  '\u200b\u2060',
  'x'.repeat(5_000),
  '😀'.repeat(2_500),
  'a\u0301'.repeat(2_000),
];

const hostile = (text: string) =>
  scan(
    { new: 9, regressed: 1, findings: Array.from({ length: 9 }, () => finding({ title: text, file: text })) },
    { project: text, name: text, ref: text, commit: text, error_message: text },
    'scan.failed',
  );

describe('a scan', () => {
  it('with new and regressed findings is told with the worst of them', () => {
    const findings = [
      finding({ severity: 'critical', title: 'Remote code execution', regressed: true }),
      ...Array.from({ length: 7 }, () => finding()),
    ];
    const text: string = bodyOf('mattermost', scan({ new: 7, regressed: 1, findings })).text;
    expect(text.split('\n')).toEqual([
      '#### Scan completed: 7 new and 1 regressed',
      '**Project:** `Web shop`',
      '**Scan:** `Nightly audit (senku)`',
      '**Branch:** `main`',
      '**Commit:** `4f2a9c1e6d8b`',
      '**All findings:** `1 critical, 5 high`',
      `- **Critical** (regressed) \`Remote code execution\` \`src/search.ts:42\` [Open](${BASE}/findings/${ID})`,
      ...Array(4).fill(`- **High** \`SQL injection\` \`src/search.ts:42\` [Open](${BASE}/findings/${ID})`),
      'and 3 more',
      `[Open the scan](${BASE}/scans/nightly)`,
    ]);
  });

  it('is told only if it failed, or has new or regressed findings', () => {
    const none = { new: 0, regressed: 0, findings: [] };
    expect(messageAbout(scan(none))).toBeUndefined();
    expect(messageAbout(scan({ ...none, regressed: 1 }))?.headline).toBe('Scan completed: 1 regressed');
    const failed = messageAbout(scan(none, { error_message: 'Out of memory' }, 'scan.failed'));
    expect(failed?.headline).toBe('Scan failed');
    expect(failed?.facts.at(-1)).toEqual(['Error', 'Out of memory']);
    expect(messageAbout(scan({ new: 10_000 }))?.headline).toBe('Scan completed: at least 10000 new');
  });

  it('of a long path is told with its end', () => {
    const { findings = [] } = messageAbout(
      scan({ findings: [finding({ file: `${'dir/'.repeat(100)}end.ts`, line: 7 })] }),
    ) ?? { findings: [] };
    expect(findings[0]?.place).toMatch(/^….{90,99}\/end\.ts:7$/);
  });

  it('with an id of an agent has an address that ends no link', () => {
    const url = `${BASE}/scans/${encodeURIComponent("a)!*'(b [x](y)")}`;
    const { text } = bodyOf('mattermost', scan({}, { url }));
    expect(interpreted(text)).not.toMatch(/[[\]()]/);
    expect(new URL(text.match(/scan\]\((.*)\)$/)[1]).pathname).toBe(
      new URL(url).pathname.replaceAll(/[!'()*]/g, (c: string) => `%${c.charCodeAt(0).toString(16)}`),
    );
  });
});

describe.each(HOSTILE.map((text) => [text.slice(0, 40), text]))('the text %j', (_, text) => {
  it('is plain text in Slack', () => {
    const body = bodyOf('slack', hostile(text));
    expect(Object.keys(body)).toEqual(['text', 'blocks', 'unfurl_links', 'unfurl_media']);
    expect(body).toMatchObject({ unfurl_links: false, unfurl_media: false });
    expect(body.text).not.toMatch(/[<>]|&(?!(?:amp|lt|gt);)/);
    const [header, rich] = body.blocks;
    expect(header).toMatchObject({ type: 'header', text: { type: 'plain_text', emoji: false } });
    expect(header.text.text).toBe('Scan failed: 9 new and 1 regressed');
    const [facts, list, end] = rich.elements;
    expect(rich).toMatchObject({ type: 'rich_text', elements: { length: 3 } });
    expect(list).toMatchObject({ type: 'rich_text_list', style: 'bullet', elements: { length: 5 } });
    const sections = [facts, ...list.elements, end];
    for (const section of sections) {
      expect(section.type).toBe('rich_text_section');
      for (const element of section.elements) {
        expect(['text', 'link']).toContain(element.type);
        expect(element.text).not.toBe('');
        if (element.type === 'link') expect(element.url.startsWith(`${BASE}/`)).toBe(true);
      }
    }
    const length = (all: { elements: { text: string }[] }) =>
      all.elements.reduce((sum, element) => sum + element.text.length, 0);
    for (const section of sections) expect(length(section)).toBeLessThanOrEqual(3_000);
  });

  it('is plain text in Teams', () => {
    const body = bodyOf('teams', hostile(text));
    expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(16 * 1_024);
    const [{ content, contentType, contentUrl }] = body.attachments;
    expect([body.type, contentType, contentUrl]).toEqual([
      'message',
      'application/vnd.microsoft.card.adaptive',
      null,
    ]);
    expect(content).toMatchObject({ type: 'AdaptiveCard', version: '1.4', msteams: { width: 'Full' } });
    // Only text blocks have Markdown, and only entities mention.
    const [title, ...lines] = content.body;
    expect(title).toMatchObject({ type: 'TextBlock', text: 'Scan failed: 9 new and 1 regressed' });
    expect(lines.map(({ type }: { type: string }) => type)).toEqual(Array(12).fill('RichTextBlock'));
    const runs = lines.flatMap(({ inlines }: { inlines: object[] }) => inlines);
    for (const run of runs) {
      expect(run.type).toBe('TextRun');
      if (run.selectAction)
        expect(run.selectAction).toEqual({ type: 'Action.OpenUrl', url: `${BASE}/findings/${ID}` });
    }
    expect(content.actions).toEqual([
      { type: 'Action.OpenUrl', title: 'Open the scan', url: `${BASE}/scans/nightly` },
    ]);
    expect(content.msteams).not.toHaveProperty('entities');
  });

  it('is code in Discord', () => {
    const body = bodyOf('discord', hostile(text));
    expect(body.allowed_mentions).toEqual({ parse: [] });
    expect(Object.keys(body)).toEqual(['embeds', 'allowed_mentions']);
    const [{ title, description, url, ...others }] = body.embeds;
    expect([title, url, others]).toEqual(['Scan failed: 9 new and 1 regressed', `${BASE}/scans/nightly`, {}]);
    expect(description.length).toBeLessThanOrEqual(4_096);
    expect(title.length + description.length).toBeLessThanOrEqual(6_000);
    expect(interpreted(description)).toMatch(/^(?:[\w\n:.() -]|\*\*)*$/);
    expect(interpreted(description)).not.toMatch(/https?:/);
  });

  it('is code in Mattermost', () => {
    const body = bodyOf('mattermost', hostile(text));
    expect(Object.keys(body)).toEqual(['text']);
    expect(body.text.length).toBeLessThanOrEqual(4_000);
    expect(interpreted(body.text)).toMatch(/^####(?:[\w\n:.() -]|\*\*)*$/);
  });

  it.each(CHAT_KINDS)('has no control or invisible characters in %s', (kind) => {
    for (const [name, shown] of textsOf(bodyOf(kind, hostile(text)))) {
      const bad = /(?!\n)\p{Cc}|[\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufffd]/u;
      expect(`${name}: ${shown}`).not.toMatch(bad);
      expect(shown.isWellFormed()).toBe(true);
    }
  });
});

it('findings that do not fit are counted', () => {
  const base = `https://${'very-long-name.'.repeat(16)}example.com/o/acme`;
  const findings = Array.from({ length: 9 }, () =>
    finding({ title: 't'.repeat(500), file: 'f'.repeat(500), url: `${base}/${'p'.repeat(400)}` }),
  );
  const { text } = bodyOf('mattermost', scan({ new: 9, findings }));
  expect(text.length).toBeLessThanOrEqual(4_000);
  const listed = text.match(/^- /gm).length;
  expect(listed).toBeLessThan(5);
  expect(text).toContain(`\nand ${9 - listed} more\n`);
});

it('other events are not told', () => {
  const { id, timestamp, organization } = scan();
  const data = { findings: [], total: 0 };
  expect(messageAbout({ id, timestamp, organization, type: 'finding.overdue', data })).toBeUndefined();
});

it.each(CHAT_KINDS)('the test for %s has no data but the name of the organization', (kind) => {
  const body = CHAT_FORMATS[kind](testMessage({ name: 'Acme @all [x](https://evil.example)' }));
  const texts = JSON.stringify(body);
  expect(texts).toContain('svc-findings is connected');
  expect(texts).toContain('Acme @all [x](https://evil.example)');
  expect(texts).not.toMatch(/Open the scan|null[^,]|undefined/);
});
