import { beforeAll, describe, expect, it } from 'vitest';
import { createOrg, createScan, must, push, type TestOrg } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

let t: TestApp;
let org: TestOrg;

/** Scans by what they report, in this order: `b` and `c` are seen first by one scan and again by others. */
const SCANS = { first: 'abc', second: 'bcd', third: 'cde', empty: '' };

beforeAll(async () => {
  t = await startApp();
  org = await createOrg(t.api);
  for (const [id, prints] of Object.entries(SCANS)) {
    await createScan(t.api, org, id);
    for (const fingerprint of prints) {
      const severity = fingerprint === 'd' ? 'critical' : 'low';
      await push(t.api, org, id, { fingerprint, severity, file: `src/${fingerprint}.ts` });
      // Twice by one scan is once.
      await push(t.api, org, id, { fingerprint, severity });
    }
  }
});

const list = (query: string, of = org) => t.api.get(`/findings?${query}`, of.asOwner);
const prints = async (query: string, of = org): Promise<string> =>
  must(await list(query, of))
    .map(({ fingerprint }: { fingerprint: string }) => fingerprint)
    .join('');

describe('GET /findings?scan_id=…&against=…&change=…', () => {
  const names = [...Object.keys(SCANS), 'unknown'];
  const pairs = names.flatMap((scan) => names.map((against) => [scan, against] as const));

  it.each(pairs)('%s against %s', async (scan, against) => {
    const of = (name: string) => [...(SCANS[name as keyof typeof SCANS] ?? '')];
    const expected = {
      new: of(scan).filter((print) => !of(against).includes(print)),
      seen_again: of(scan).filter((print) => of(against).includes(print)),
      gone: of(against).filter((print) => !of(scan).includes(print)),
    };
    for (const [change, expectedPrints] of Object.entries(expected)) {
      const query = `scan_id=${scan}&against=${against}&change=${change}&sort=created_at`;
      expect(await prints(query)).toBe(expectedPrints.join(''));
      const page = await list(`${query}&page=1&per_page=1`);
      expect(page.json.result_info.total).toBe(expectedPrints.length);
    }
  });

  it('goes with filters, orders, pages and files', async () => {
    const gone = 'scan_id=first&against=third&change=gone';
    expect(await prints(gone)).toBe('ed');
    expect(await prints(`${gone}&sort=created_at`)).toBe('de');
    expect(await prints(`${gone}&sort=-severity`)).toBe('de');
    expect(await prints(`${gone}&severity=low`)).toBe('e');
    expect(await prints(`${gone}&q=src/d`)).toBe('d');
    expect(await prints(`${gone}&project_id=${org.projectId}&status=open`)).toBe('ed');
    expect(await prints(`${gone}&status=fixed`)).toBe('');
    expect(await prints(`${gone}&page=2&per_page=1`)).toBe('d');
    expect((await list(`${gone}&format=csv`)).text.split('\r\n')).toHaveLength(4);
  });

  it.each([
    ['scan_id=first&against=second', ['change']],
    ['scan_id=first&change=new', ['against']],
    ['against=second&change=new', ['scan_id']],
    ['against=second', ['scan_id', 'change']],
    ['change=gone', ['scan_id', 'against']],
    ['scan_id=first&against=second&change=fixed', ['change']],
    ['scan_id=first&against=second&change=new,gone', ['change']],
    ['scan_id=first&against=%00&change=new', ['against']],
    ['scan_id=first&against=second&against=third&change=new', ['against']],
  ])('?%s is invalid', async (query, fields) => {
    const answer = await list(query);
    expect(answer.refusal).toBe(`400 validation_error/invalid_request ${fields.join(' ')}`);
  });
});
