import { randomBytes } from 'node:crypto';
import { v7 } from 'uuid';
import type { Sql } from '../../../db/pool/query.ts';
import type { SignedTokens } from '../../../lib/accounts/sessions/signed-token.ts';
import { type Api, createOrg, createScan, must, PASSWORD, push, type TestOrg } from '../api/client.ts';
import type { Base } from './mutations.ts';
import type { HostileOperation } from './operations.ts';

/** An organization with every kind of object, and its callers. */
export interface HostileWorld {
  org: TestOrg;
  /** A valid request of the operation. */
  base(operation: HostileOperation): Base;
  /** Replaces the callers, whose credentials may have been revoked. */
  renew(): Promise<void>;
  /** The writes since the last call: operation, schema and table. */
  written(): Promise<string[]>;
}

export interface HostileWorldOptions {
  api: Api;
  sql: Sql;
  signedTokens: SignedTokens;
  /** The hash of {@link PASSWORD}. */
  passwordHash: string;
}

const unique = () => randomBytes(6).toString('hex');

/** Makes the target of hostile requests. */
export async function createHostileWorld(options: HostileWorldOptions): Promise<HostileWorld> {
  const { api, sql, signedTokens, passwordHash } = options;
  const org = await createOrg(api);
  const schema = `org_${org.id.replaceAll('-', '')}`;
  const scan = await createScan(api, org);
  const ended = await createScan(api, org);
  const finding = (await push(api, org, scan)).id as string;
  const exploit = must(
    await api.post(`/agent/findings/${finding}/exploits`, {
      ...org.asAgent,
      body: { filename: 'poc.py', language: 'python', code: 'print(1)' },
    }),
  ).id as string;
  const tokens = `/projects/${org.projectId}/tokens`;
  const spare = must(await api.post(tokens, { ...org.asOwner, body: { name: 'spare' } })).info.id as string;
  must(await api.patch('/org-features/org_wide_tokens', { ...org.asOwner, body: { enabled: true } }));
  // `POST /projects/demo` returns it.
  await sql.unsafe(`update ${schema}.projects set demo = true where id = '${org.projectId}'`);
  await watchWrites(sql, schema);
  // For the operations that delete and restore an organization; each actor finds them under slugs of its own.
  const [spareOrg, goneOrg] = [await createOrg(api), await createOrg(api)];
  let actor = await renewed();

  /** A user with every kind of object, made by SQL without the cost of registering. */
  async function renewed() {
    const [user, session, other, member, primary, second, third, totp, totp2, mailed, script, passkey] =
      Array.from({ length: 12 }, () => v7());
    const name = unique();
    await sql.unsafe(`
      insert into shared.users (id, name, password_hash, created_at) values
        ('${user}', 'Ada', '${passwordHash}', now()), ('${member}', 'Mallory', null, now());
      insert into shared.user_emails (id, user_id, email, is_primary, verified_at, created_at) values
        ('${primary}', '${user}', '${name}@example.com', true, now(), now()),
        ('${second}', '${user}', 'second-${name}@example.com', false, now(), now()),
        ('${third}', '${user}', 'third-${name}@example.com', false, null, now()),
        ('${v7()}', '${member}', 'member-${name}@example.com', true, null, now());
      insert into shared.sessions (id, user_id, ip_address, user_agent, browser, os, device_type, created_at,
          last_active_at, expires_at)
        select id, '${user}', '', '', '', '', '', now(), now(), now() + interval '1 day'
        from unnest(array['${session}', '${other}']::uuid[]) id;
      insert into shared.memberships (org_id, user_id, role, created_at) values
        ('${org.id}', '${user}', 'owner', now()), ('${org.id}', '${member}', 'member', now());
      insert into shared.mfa_devices (id, user_id, type, name, secret, verified, created_at) values
        ('${totp}', '${user}', 'totp', 'Phone', 'plain.JBSWY3DPEHPK3PXP', false, now()),
        ('${totp2}', '${user}', 'totp', 'Other phone', 'plain.JBSWY3DPEHPK3PXP', true, now());
      insert into shared.mfa_devices (id, user_id, type, name, email_id, verified, created_at) values
        ('${mailed}', '${user}', 'email', 'second-${name}@example.com', '${second}', true, now());
      insert into shared.mfa_devices (id, user_id, type, name, verified, created_at, credential_id, public_key, sign_count, signs_in)
        values ('${passkey}', '${user}', 'passkey', 'Laptop', true, now(), '${passkey}', 'key', 0, true);
      insert into shared.personal_tokens (id, user_id, name, prefix, token_hash, scopes, created_at, expires_at)
        values ('${script}', '${user}', 'Script', 'svcp_0', '${script}', 'read', now(), now() + interval '1 day');
      insert into shared.mfa_logins (id, user_id, expires_at)
        values ('${session}', '${user}', now() + interval '1 day');
    `);
    const view = v7();
    await sql.unsafe(`insert into "${schema}".saved_views (id, owner_id, name, query, shared, created_at)
      values ('${view}', '${user}', 'Mine', 'status=open', false, now())`);
    const rule = v7();
    await sql.unsafe(`update "${schema}".rules set deleted_at = now() where deleted_at is null;
      insert into "${schema}".rules (id, position, name, enabled, conditions, actions, created_at, updated_at)
      values ('${rule}', 1, 'Tests', false, '{"path":["test/**"]}', '{"status":"wontfix"}', now(), now())`);
    const comment = v7();
    await sql.unsafe(`insert into "${schema}".finding_events (finding_id, at, id, kind, actor_id, note)
      values ('${finding}', now(), '${comment}', 'comment', '${user}', 'Hello')`);
    // For the operations that delete something.
    const [project, moving, endedScan] = [v7(), v7(), v7()];
    await sql.unsafe(`insert into "${schema}".projects (id, name, slug, created_at)
        values ('${project}', 'Gone', 'gone-${name}', now()), ('${moving}', 'Moving', 'moving-${name}', now());
      insert into shared.project_transfers (project_id, source_id, target_id, slug, started_at, findings, lease_until)
        values ('${moving}', '${org.id}', '${goneOrg.id}', 'moving-${name}', now(), 0, now());
      insert into "${schema}".scans (scan_id, project_id, persona, name, status, created_at)
        values ('${endedScan}', '${org.projectId}', 'senku', 'Gone', 'failed', now());
      insert into "${schema}".scan_counts as c (project_id, status, count) values ('${org.projectId}', 'failed', 1)
        on conflict (project_id, status) do update set count = c.count + 1`);
    const { id: deletable } = await push(api, org, scan);
    const [mine, gone] = [`gone-${name}`, `back-${name}`];
    await sql.unsafe(`delete from shared.org_deletions;
      update shared.orgs set slug = '${mine}' where id = '${spareOrg.id}';
      update shared.orgs set slug = '${gone}' where id = '${goneOrg.id}';
      insert into shared.org_deletions (org_id, deleted_at, purge_at, lease_until)
        values ('${goneOrg.id}', now(), now() + interval '30 days', now());
      insert into shared.memberships (org_id, user_id, role, created_at) values
        ('${spareOrg.id}', '${user}', 'owner', now()), ('${goneOrg.id}', '${user}', 'owner', now())`);
    const change = v7();
    await sql.unsafe(`insert into "${schema}".changes (id, at, actor_id, finding_ids, what, fields)
      values ('${change}', now(), '${user}', '{${finding}}', '{}', '[]')`);
    // A provider that does not answer, and accounts there.
    const [connection, domain, identity, trust] = [v7(), v7(), v7(), v7()];
    await sql.unsafe(`delete from shared.sso_connections where org_id = '${org.id}';
      delete from shared.org_domains where org_id = '${org.id}';
      insert into shared.sso_connections (id, org_id, name, issuer, client_id, scopes, claims, domains, role_mapping, enabled,
          require_sso, trust_mfa, created_at, updated_at)
        values ('${connection}', '${org.id}', 'Login', 'https://login.invalid', 'svc-findings', 'openid',
          '{"email":"email","name":"name","groups":"groups"}', '{}', '[]', true, false, false, now(), now());
      insert into shared.org_domains (id, org_id, domain, token, created_at)
        values ('${domain}', '${org.id}', 'named.example', 'token', now());
      insert into shared.identities (id, user_id, org_id, issuer, subject, email, created_at, last_used_at)
        values ('${identity}', '${user}', '${org.id}', 'https://login.invalid', '${name}', '${name}@example.com', now(), now());
      insert into "${schema}".api_tokens (id, project_id, name, prefix, token_hash, scopes, created_by, created_at)
        values ('${trust}', '${org.projectId}', 'CI', '', '${trust}', 'ingest', '${user}', now());
      insert into "${schema}".ci_trusts (project_id, id, issuer, claims)
        values ('${org.projectId}', '${trust}', 'https://ci.invalid', '{"repository_id":"74"}')`);
    const [webhook, integration, tracker, delivery] = [v7(), v7(), v7(), v7()];
    await sql.unsafe(`delete from shared.destinations where org_id = '${org.id}';
      insert into shared.destinations (id, org_id, kind, url, secret, events, enabled, created_at, updated_at)
        values ('${webhook}', '${org.id}', 'webhook', 'https://hooks.invalid', 'plain.whsec_', '{member.*}', true, now(), now()),
          ('${integration}', '${org.id}', 'slack', 'https://hooks.invalid', 'plain.https://hooks.invalid', '{scan.failed}', true, now(), now());
      insert into shared.destinations (id, org_id, kind, name, url, secret, events, tracker, enabled, created_at, updated_at)
        values ('${tracker}', '${org.id}', 'github', 'Web shop', 'https://github.com', 'plain.token', '{issue.requested}',
          '{"project":"acme/web-shop","labels":[]}', true, now(), now());
      insert into "${schema}".deliveries (destination_id, id, created_at, state)
        values ('${webhook}', '${delivery}', now(), 'failed'), ('${integration}', '${delivery}', now(), 'failed')`);
    await sql.unsafe(`insert into "${schema}".project_members (user_id, project_id, role, created_at)
      values ('${member}', '${org.projectId}', 'member', now())`);
    const issue = v7();
    await sql.unsafe(`insert into "${schema}".issues (id, destination_id, state, told, told_at, created_by, created_at)
        values ('${issue}', '${integration}', 'failed', 'open', now(), '${user}', now());
      insert into "${schema}".finding_issues (finding_id, destination_id, issue_id)
        select id, '${integration}', '${issue}' from "${schema}".findings`);
    const deletion = v7();
    await sql.unsafe(`insert into "${schema}".deletions (id, at, actor_id, state, finding_ids, selected)
      values ('${deletion}', now(), '${user}', 'deleted', '{}', 0)`);
    const now = new Date();
    const claims = { userId: user as string, id: session as string };
    return {
      cookie: await signedTokens.sign('session', claims, now),
      mfaToken: await signedTokens.sign('mfa', claims, now),
      address: `${name}@example.com`,
      slug: `gone-${name}`,
      ids: {
        deleteProject: project,
        startProjectTransfer: project,
        getProjectTransfer: moving,
        cancelProjectTransfer: moving,
        deleteScan: endedScan,
        deleteScanWithFindings: endedScan,
        deletions: deletion,
        deleteFinding: deletable as string,
        updateOrg: mine,
        deleteOrg: mine,
        restoreOrg: gone,
        sessions: other,
        members: member,
        emails: second,
        unverified: third,
        totp,
        devices: totp2,
        passkeys: passkey,
        mailed,
        email: primary,
        comments: comment,
        changes: change,
        views: view,
        rules: rule,
        webhooks: webhook,
        integrations: integration,
        trackers: tracker,
        deliveries: delivery,
        issues: issue,
        connections: connection,
        domains: domain,
        identities: identity,
        'ci-trusts': trust,
        revokePersonalToken: script,
      },
    };
  }

  function fieldsOf(id: string): Record<string, unknown> {
    return {
      email: id === 'login' ? actor.address : `new-${unique()}@example.com`,
      slug: `new-${unique()}`,
      project_id: org.projectId,
      project: undefined,
      scan_id: id === 'registerScan' ? v7() : scan,
      fingerprint: unique(),
      email_id: actor.ids.email,
      device_id: id === 'sendStepUpOtp' ? actor.ids.mailed : actor.ids.devices,
      mfa_token: actor.mfaToken,
      changes: [{ id: finding, status: 'confirmed' }],
      ids: [actor.ids.rules],
      integration_id: actor.ids.trackers,
      finding_ids: [finding],
      org_id: undefined,
      filter: undefined,
      conditions: { path: ['test/**'] },
      actions: { status: 'wontfix' },
      expected_count: undefined,
      organization: actor.slug,
      confirm: id === 'deleteMe' ? actor.address : actor.slug,
    };
  }

  const ids = (): Record<string, string | undefined> => ({
    ...actor.ids,
    projects: org.projectId,
    tokens: spare,
    findings: finding,
    exploits: exploit,
    orgs: org.slug,
    'org-features': 'org_wide_tokens',
    scans: scan,
    endScan: ended,
    sendVerification: actor.ids.unverified,
  });

  async function written(): Promise<string[]> {
    const rows = await sql.unsafe('delete from watched.writes returning what');
    return rows.map(({ what }) => what as string);
  }

  await written();
  return {
    org,
    base({ id, path, kind, body, query, takesFile }: HostileOperation): Base {
      const known = ids();
      const params: Record<string, string> = Object.fromEntries(
        [...path.matchAll(/([\w-]+)\/\{(\w+)\}/g)].map(([, word = '', name = '']) => [
          name,
          known[id] ?? known[word] ?? v7(),
        ]),
      );
      const given = fieldsOf(id);
      const auth: Record<string, string> =
        kind === 'bearer'
          ? { authorization: `Bearer ${org.token}` }
          : { cookie: `svc_token=${actor.cookie}` };
      return {
        params,
        query: {
          ...(query.includes('project') && { project_id: org.projectId }),
          ...(query.includes('page') && { page: '1' }),
        },
        ...(takesFile && { body: { findings: [{ title: 'Weak cipher', severity: 'Low' }] } }),
        ...(body && {
          body: {
            ...Object.fromEntries(
              Object.entries(body).map(([key, value]) => [key, key in given ? given[key] : value]),
            ),
            // Other requests may have resolved the finding.
            ...(['createIssue', 'createSharedIssue'].includes(id) && { force: true }),
          },
        }),
        headers: kind === 'public' || kind === 'baseDomainOnly' ? {} : { ...auth, 'x-org-slug': org.slug },
      };
    },
    async renew() {
      actor = await renewed();
      await written();
    },
    written,
  };
}

/**
 * Records every row that is written and committed, except the times of the last use, which a refused request may
 * update, and mails, which may be sent after their request. The audit log, whose entries are events, also has refused requests and exports.
 */
async function watchWrites(sql: Sql, schema: string): Promise<void> {
  await sql.unsafe(`
    create schema watched;
    create table watched.writes (what text not null);
    create function watched.note() returns trigger language plpgsql as $$
      begin
        insert into watched.writes values (tg_op || ' ' || tg_table_schema || '.' || tg_table_name);
        return null;
      end $$;
    do $$
      declare t record;
      begin
        for t in select table_schema as s, table_name as n from information_schema.tables
          where table_schema in ('shared', '${schema}') and table_name not in ('outgoing_mails', 'org_usage', 'events')
            and table_name not like 'audit%' loop
          execute format('create trigger watch after insert or delete on %I.%I for each row execute function watched.note()', t.s, t.n);
          execute format('create trigger watch_update after update on %I.%I for each row
            when (to_jsonb(old) - array[''last_used'', ''last_active_at''] is distinct from
                  to_jsonb(new) - array[''last_used'', ''last_active_at''])
            execute function watched.note()', t.s, t.n);
        end loop;
      end $$;
  `);
}
