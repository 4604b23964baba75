import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { cancelMove, purgeMoved } from '../../lib/admin/move/manage.ts';
import { moveOrg } from '../../lib/admin/move/move.ts';
import { fill, rowsOf, sharedRowsOf } from '../support/admin/backup.ts';
import { type Cells, type Death, Died, inCells, startCells } from '../support/admin/cells.ts';
import { createOrg, createScan, finding, must, push, type TestOrg } from '../support/api/api.ts';
import { expectKeptCounts } from '../support/database/counts.ts';
import type { TestApp } from '../support/server/app.ts';

/* Organizations that move to the database of another cell. */

let cells: Cells;
let one: TestApp;
let two: TestApp;
let org: TestOrg;

beforeAll(async () => {
  cells = await startCells();
  ({ one, two } = cells);
});

beforeEach(async () => {
  org = await createOrg(one.api);
});

const move = (from = one, to = two, death?: Death) =>
  inCells(from, to, (call) => moveOrg(call, org.slug, { to: 'two', maxPauseMs: 10_000 }), death && { death });

describe('an organization that has moved', () => {
  it('has all of its rows, its members and tokens in the other cell', async () => {
    await fill(one, org);
    const rows = await rowsOf(one.services.database, org);
    const shared = await sharedRowsOf(one.services.database, org);
    const moved = await move();
    expect(moved).toMatchObject({ org: org.slug, members: 2, members_left_out: [] });
    const after = await rowsOf(two.services.database, org);
    delete rows.policy_versions;
    delete after.policy_versions;
    expect(after).toEqual(rows);
    expect(await sharedRowsOf(two.services.database, org)).toEqual(shared);
    await expectKeptCounts(two.services.database, org);
    await push(two.api, org, await createScan(two.api, org));
  });
});

describe('a process that dies', () => {
  it('before any statement leaves the organization in one cell, and a repeated command completes the move', async () => {
    await fill(one, org);
    const rows = await rowsOf(one.services.database, org);
    delete rows.policy_versions;
    let deaths = 0;
    for (let before = 1; ; before++) {
      const death = { before, statements: 0 };
      const moved = await move(one, two, death).catch((error: unknown) => error);
      const served = [];
      for (const t of [one, two]) {
        const { status, error } = await t.api.get('/projects', org.asOwner);
        served.push(status === 200 ? 'serves' : error);
      }
      if (!(moved instanceof Died)) {
        expect(moved).toMatchObject({ org: org.slug });
        break;
      }
      deaths++;
      expect(served.filter((one) => one === 'serves').length, String(before)).toBeLessThanOrEqual(1);
    }
    console.log(deaths);
    const after = await rowsOf(two.services.database, org);
    delete after.policy_versions;
    expect(after).toEqual(rows);
  }, 600_000);
});
