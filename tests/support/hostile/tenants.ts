import { expect } from 'vitest';
import { createOrg, must, type TestOrg } from '../api/api.ts';
import { openWire, type Wire } from '../http/wire.ts';
import { startApp, type TestApp } from '../server/app.ts';

/** On one host, or on the base domain svc.test. */
export type Mode = 'alone' | 'based';

export const CUSTOM = { own: 'findings.own.example', victim: 'findings.victim.example' };
export const PROJECTS = '/api/v1/projects';
export const FINDINGS = '/api/v1/agent/findings';

/** Other headers that name hosts. Proxies set them, and so can any client. */
export const FORWARDED = [
  'X-Forwarded-Host: victim.svc.test',
  'X-Forwarded-Host: findings.victim.example',
  'X-Forwarded-Server: victim.svc.test',
  'X-Host: victim.svc.test',
  'X-Original-Host: victim.svc.test',
  'X-HTTP-Host-Override: victim.svc.test',
  'Forwarded: host=victim.svc.test;proto=https',
  'Forwarded: for=127.0.0.1;host="findings.victim.example"',
  'X-Original-URL: http://victim.svc.test/api/v1/projects',
  'X-Rewrite-URL: //victim.svc.test/api/v1/projects',
  'Origin: https://victim.svc.test',
  'Referer: https://victim.svc.test/',
];

/** Two organizations with custom domains, `own` and `victim`. Requests name one or the other. */
export interface Tenants {
  /** The organization of the callers. */
  own: TestOrg;
  /** Two apps over the same database. */
  apps: Record<Mode, { app: TestApp; wire: Wire }>;
  /** The project that a member of both organizations sees, or the status of a refusal. */
  reached(mode: Mode, target: string, headers: string[]): Promise<string | number>;
  /** The status for an agent of `own`, whose token is valid there only. */
  asAgent(mode: Mode, target: string, headers: string[]): Promise<number>;
}

/** Makes them for the calling suite. */
export async function openTenants(): Promise<Tenants> {
  const alone = await startApp();
  const based = await startApp({ databaseUrl: alone.databaseUrl, env: { SVC_BASE_DOMAIN: 'svc.test' } });
  const apps = {
    alone: { app: alone, wire: await openWire(alone) },
    based: { app: based, wire: await openWire(based) },
  };
  const [own, victim] = [await createOrg(alone.api, 'own'), await createOrg(alone.api, 'victim')];
  // A member of both: only the host then decides between the organizations.
  const { sql } = alone.services.database;
  await sql.unsafe(
    `insert into shared.memberships (org_id, user_id, role, created_at) values ($1, $2, 'owner', now())`,
    [victim.id, own.owner.id],
  );
  for (const org of [own, victim]) {
    const domain = CUSTOM[org.slug as keyof typeof CUSTOM];
    await sql.unsafe('update shared.orgs set custom_domain = $1 where id = $2', [domain, org.id]);
    must(await alone.api.post('/projects', { ...org.asOwner, body: { name: `Of ${org.slug}` } }));
  }
  const get = (mode: Mode, target: string, headers: string[], who: string) =>
    apps[mode].wire.exchange(
      [`GET ${target} HTTP/1.1`, ...headers, who, 'Connection: close', '', ''].join('\r\n'),
    );

  return {
    own,
    apps,
    async reached(mode, target, headers) {
      const [answer, ...more] = await get(mode, target, headers, `Cookie: svc_token=${own.owner.cookie}`);
      expect(more).toEqual([]);
      if (answer?.status !== 200) return answer?.status ?? 0;
      const names = JSON.parse(answer.body).result.map(({ name }: { name: string }) => name);
      return names.find((name: string) => name.startsWith('Of '));
    },
    async asAgent(mode, target, headers) {
      const query = `${target}?project_id=${own.projectId}`;
      const [answer] = await get(mode, query, headers, `Authorization: Bearer ${own.token}`);
      return answer?.status ?? 0;
    },
  };
}
