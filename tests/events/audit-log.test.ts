import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eraseNames } from '../../db/audit/erase.ts';
import { expireEntries } from '../../db/audit/expire.ts';
import { defineOrgTables } from '../../db/schema/org.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import {
  addMember,
  addProject,
  type CallOptions,
  createOrg,
  must,
  type TestOrg,
} from '../support/api/api.ts';
import { createLimited } from '../support/api/limited.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import { type Receiver, startReceiver } from './outbox-kit.ts';
import { type EventStream, openStream } from './stream-client.ts';

/* Webhooks and streams get the whole audit log by the filter `audit.*`, and nobody else gets anything of it. */

const IP = '203.0.113.7';
const HEADERS = { 'user-agent': 'curl/8', 'x-forwarded-for': IP };

let t: TestApp;
let org: TestOrg & { asOwner: CallOptions };
let receiver: Receiver;

beforeAll(async () => {
  t = await startApp({ env: { SVC_OUTBOUND_ALLOW: '127.0.0.1', SVC_TRUST_PROXY: 'on' } });
});

beforeEach(async () => {
  const { asOwner, ...made } = await createOrg(t.api);
  org = { ...made, asOwner: { ...asOwner, headers: HEADERS } };
  receiver = await startReceiver();
});

const follow = async (events = ['audit.*'], fields: object = {}, { url } = receiver): Promise<string> =>
  must(await t.api.post('/webhooks', { ...org.asOwner, body: { url, events, ...fields } })).id;
const tables = () => defineOrgTables(orgSchemaName(org.id));
const entries = async (of = org) => must(await t.api.get('/audit', of.asOwner)).toReversed();
/** The types and states of the deliveries that are listed, newest first. */
const listed = async (webhook: string) =>
  must(await t.api.get(`/webhooks/${webhook}/deliveries`, org.asOwner)).map(
    ({ event, state }: { event: { type: string }; state: string }) => [event.type, state],
  );
const bodies = ({ received } = receiver) => received.map(({ body }) => body);
/** Makes an entry. Everything before it has arrived when it does. */
const mark = async (of = org) =>
  must(await t.api.post('/views', { ...of.asOwner, body: { name: 'Mark', query: 'severity=high' } }));
/** Waits until a receiver has events of these types, in any order. */
const arrived = (types: readonly string[], from = receiver) =>
  expect
    .poll(async () => {
      await t.services.outbox.publish(org.id);
      await t.services.outbox.run();
      return bodies(from)
        .map(({ type }) => type)
        .toSorted();
    })
    .toEqual(types.toSorted());
const rename = (id: string, options: CallOptions, name = 'Mall') =>
  t.api.patch(`/projects/${id}`, { ...options, body: { name } });

describe('a webhook with `audit.*`', () => {
  it('gets each entry as the log shows it, that of its own creation and those of refused calls, too', async () => {
    const webhook = await follow(['member.*', 'audit.*', 'scan.completed']);
    const bob = await addMember(t.api, org, 'viewer');
    expect((await rename(org.projectId, { ...bob.as, headers: HEADERS })).status).toBe(403);
    must(await rename(org.projectId, org.asOwner));
    await mark();
    const types = ['webhook.created', 'member.invited', 'access.refused', 'project.changed', 'view.created'];
    await arrived(types);
    const shown = (await entries()).slice(-5);
    expect(shown.map(({ action }: { action: string }) => action)).toEqual(types);
    expect(shown[0].target.id).toBe(webhook);
    expect(shown[2]).toMatchObject({ actor: { id: bob.id }, user_agent: 'curl/8', ip: IP });
    const organization = { id: org.id, slug: org.slug, name: org.slug };
    expect(bodies()).toEqual(
      shown.map(({ id, at, action, ...data }: Record<string, unknown>) => ({
        ...{ id, type: action, timestamp: at, organization, data },
      })),
    );
  });

  it('hears of deletions of findings and scans, which are entries', async () => {
    await follow();
    const { asAgent, asOwner, projectId } = org;
    const scan = { scan_id: `${org.slug}-scan`, project_id: projectId, persona: 'senku' };
    must(await t.api.post('/agent/scans', { ...asAgent, body: scan }));
    const ended = { ...asAgent, body: { status: 'completed' } };
    must(await t.api.patch(`/agent/scans/${scan.scan_id}`, ended));
    must(await t.api.delete(`/scans/${scan.scan_id}`, asOwner));
    await arrived(['webhook.created', 'scan.deleted']);
    expect(bodies()[1].data.target).toMatchObject({ type: 'scan', id: scan.scan_id });
  });

  it('and with projects hears of these projects only', async () => {
    await follow(['audit.*'], { project_ids: [org.projectId] });
    const { projectId: other } = await addProject(t.api, org, 'Shop');
    must(await rename(other, org.asOwner));
    await mark();
    must(await rename(org.projectId, org.asOwner, 'Market'));
    await arrived(['project.changed']);
    expect(bodies()[0].data).toMatchObject({
      ...{ target: { id: org.projectId }, ip: IP, request_id: expect.any(String) },
    });
  });

  it('gets nothing of another organization', async () => {
    const other = await createOrg(t.api);
    await follow();
    await mark(other);
    await mark();
    await arrived(['webhook.created', 'view.created']);
    expect(bodies().map(({ organization }) => organization.id)).toEqual([org.id, org.id]);
  });

  it('that was redelivered gets the entry as it is then', async () => {
    const webhook = await follow();
    const bob = await addMember(t.api, org, 'viewer', 'Bob Hidden');
    await arrived(['webhook.created', 'member.invited']);
    expect(bodies()[1].data).toMatchObject({ ip: IP, target: { name: bob.email } });
    await eraseNames(tables()).run(t.services.database.sql, { userIds: `{${bob.id},${org.owner.id}}` });
    const path = `/webhooks/${webhook}/deliveries`;
    const [{ id, event }] = must(await t.api.get(path, org.asOwner));
    expect(event.type).toBe('member.invited');
    must(await t.api.post(`${path}/${id}/redeliver`, org.asOwner));
    await arrived(['webhook.created', 'member.invited', 'webhook.redelivered', 'member.invited']);
    const { data } = bodies().findLast(({ type }) => type === 'member.invited');
    expect([data.actor, data.target]).toEqual([
      { type: 'user', id: org.owner.id },
      { type: 'member', id: bob.id },
    ]);
    expect(data).not.toHaveProperty('ip');
    expect(data).not.toHaveProperty('user_agent');
    expect(data).toHaveProperty('request_id');
  });

  it('gets nothing of an entry that has expired meanwhile', async () => {
    receiver.answer = (response) => response.writeHead(500).end();
    const webhook = await follow();
    await arrived(['webhook.created']);
    await expireEntries(t.services.database.sql, tables(), new Date(Date.now() + 60_000));
    receiver.answer = (response) => response.writeHead(204).end();
    const path = `/webhooks/${webhook}/deliveries`;
    const [{ id }] = must(await t.api.get(path, org.asOwner));
    must(await t.api.post(`${path}/${id}/redeliver`, org.asOwner));
    await arrived(['webhook.created', 'webhook.redelivered']);
    await expect.poll(() => listed(webhook)).toEqual([['webhook.redelivered', 'delivered']]);
  });
});

describe('a webhook without `audit.*`', () => {
  const KEYS = ['actor', 'target', 'changes'];

  it('gets what it asks for, without addresses', async () => {
    const all = await startReceiver();
    await follow(['member.*', 'token.*', 'project.*', 'finding.status_changed']);
    await follow(['audit.*'], {}, all);
    await addMember(t.api, org, 'viewer');
    await mark();
    must(await rename(org.projectId, org.asOwner));
    await arrived(['member.invited', 'project.changed']);
    await arrived(['webhook.created', 'member.invited', 'view.created', 'project.changed'], all);
    expect(bodies().map(({ type, data }) => [type, Object.keys(data)])).toEqual([
      ['member.invited', KEYS],
      ['project.changed', KEYS],
    ]);
    for (const [i, at] of [1, 3].entries()) {
      const { ip, user_agent, request_id, ...same } = bodies(all)[at].data;
      expect([ip, user_agent, request_id]).toEqual([IP, 'curl/8', expect.any(String)]);
      expect(bodies()[i]).toEqual({ ...bodies(all)[at], data: same });
    }
  });

  it('gets no entry that was due before an admin removed the filter', async () => {
    receiver.answer = (response, { url }) => response.writeHead(url?.endsWith('/2') ? 204 : 500).end();
    const webhook = await follow();
    await addMember(t.api, org, 'viewer');
    await mark();
    // All three have failed, and their turn is over.
    await expect
      .poll(async () => {
        await t.services.outbox.publish(org.id);
        await t.services.outbox.run();
        return t.services.database.sql.unsafe(
          'select failures, leases % 2 as leased from shared.destinations where id = $1',
          [webhook],
        );
      })
      .toMatchObject([{ failures: 3, leased: 0 }]);
    const body = { events: ['member.*'], url: `${receiver.url}/2` };
    must(await t.api.patch(`/webhooks/${webhook}`, { ...org.asOwner, body }));
    await expect
      .poll(async () => {
        await t.services.outbox.run();
        return listed(webhook);
      })
      .toEqual([['member.invited', 'delivered']]);
    expect(Object.keys(bodies().at(-1).data)).toEqual(KEYS);
  });
});

describe('a stream', () => {
  const open = (query: string, options: CallOptions = org.asOwner) => openStream(t.app, query, options);

  it('has the audit log for admins who ask for it', async () => {
    const streams = await Promise.all(
      ['?events=audit.*', '?events=member.*', ''].map((query) => open(query)),
    );
    const [asked, members, all] = streams as [EventStream, EventStream, EventStream];
    const quiet = all.text();
    await mark();
    await asked.until(1);
    expect(all.text()).toBe(quiet);
    await addMember(t.api, org, 'viewer');
    for (const [i, stream] of streams.entries()) await stream.until(i === 0 ? 2 : 1);
    expect([asked, members, all].map((stream) => stream.types())).toEqual([
      ...[['view.created', 'member.invited'], ['member.invited'], ['member.invited']],
    ]);
    expect(asked.events.map(({ data }) => data)).toEqual(
      (await entries())
        .slice(-2)
        .map(({ id: _, at: _at, action: _action, ...data }: Record<string, unknown>) => data),
    );
    expect(members.text()).not.toMatch(/"(?:ip|user_agent|request_id)":/);
    expect(all.text()).not.toMatch(/"(?:ip|user_agent|request_id)":/);
  });

  it('is refused to others, which the log has', async () => {
    const { orgs, cyd } = await createLimited(t);
    const { mine } = orgs;
    const [viewer, member] = [await addMember(t.api, mine, 'viewer'), await addMember(t.api, mine)];
    const feature = { ...mine.asOwner, body: { enabled: true } };
    must(await t.api.patch('/org-features/org_wide_tokens', feature));
    const tokenWith = async (scope: string) => {
      const body = { name: scope, scopes: [scope] };
      return must(await t.api.post('/tokens', { ...mine.asOwner, body })).token;
    };
    const callers = [viewer.as, member.as, cyd.as, { token: await tokenWith('triage'), org: mine.slug }];
    for (const caller of callers) {
      const answer = await t.api.get('/events?events=finding.assigned,audit.*', caller);
      expect(answer.refusal).toBe('403 permission_error/denied');
    }
    const refused = (await entries(mine)).slice(-callers.length);
    for (const { action, target } of refused)
      expect([action, target.id]).toEqual(['access.refused', 'GET /api/v1/events']);
    const stranger = await t.api.get('/events?events=audit.*', { ...mine.asOwner, org: org.slug });
    expect(stranger.error).toBe('tenant_error/not_member');
    expect((await entries()).at(-1).action).not.toBe('access.refused');
    const admin = await open('?events=audit.*', { token: await tokenWith('admin'), org: mine.slug });
    await mark(mine);
    await admin.until(1);
    expect(admin.types()).toEqual(['view.created']);
  });

  it('has no more entries once its caller is no admin', async () => {
    const bob = await addMember(t.api, org, 'admin');
    const stream = await open('?events=audit.*,finding.commented', bob.as);
    await mark();
    await stream.until(1);
    must(await t.api.patch(`/members/${bob.id}`, { ...org.asOwner, body: { role: 'viewer' } }));
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const before = stream.events.length;
    await mark();
    const witness = await open('?events=audit.*');
    await mark();
    await witness.until(1);
    expect(stream.events).toHaveLength(before);
  });
});
