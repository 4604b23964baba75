import { describe, expect, it } from 'vitest';
import { createIds } from '../../db/ids.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';

describe('ids', () => {
  it('only grow, and carry their time', () => {
    let now = 1_800_000_000_000;
    const next = createIds(() => new Date(now));
    const made = Array.from({ length: 5_000 }, (_, i) => {
      // The clock stands still, and once goes back.
      if (i % 1_000 === 0) now += i === 2_000 ? -50 : 1;
      return next();
    });
    const ids = made.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].sort());
    for (const { id, at } of made)
      expect(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toBe(at.getTime());
  });

  it('name schemas only when they are ids', () => {
    expect(orgSchemaName('01890a5d-ac96-774b-bcce-b302099a8057')).toBe(
      'org_01890a5dac96774bbcceb302099a8057',
    );
    for (const id of [
      '',
      'x',
      '01890a5d-ac96-774b-bcce-b302099a805"',
      'A1890a5d-ac96-774b-bcce-b302099a8057',
    ]) {
      expect(() => orgSchemaName(id)).toThrow();
    }
  });
});
