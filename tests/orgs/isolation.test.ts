import * as fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { recountOrg } from '../../db/findings/counts/recount.ts';
import { createOrgTables } from '../../db/migrations/create-tables.ts';
import { prepareEmptyTables } from '../../db/migrations/empty-tables.ts';
import { isEmptySchema } from '../../db/schema/org-schema.ts';
import { endpoints } from '../../handlers/index.ts';
import { insertOrg } from '../../lib/orgs/create.ts';
import { type Answered, answerFaults } from '../support/isolation/answers.ts';
import { anyCall, type Call, optionsOf } from '../support/isolation/call.ts';
import { changeFaults } from '../support/isolation/changes.ts';
import { anyFirstWrite, anyFirstWrites } from '../support/isolation/first-writes.ts';
import { COOKIES, claimsOf } from '../support/isolation/picks.ts';
import {
  ACCESS,
  BASE_DOMAIN,
  type Change,
  CREATOR,
  DEVICES,
  DOMAIN,
  EMAILS,
  ENDPOINTS,
  type EndpointName,
  emailOf,
  type Facts,
  HAS_WEBHOOKS,
  INVITED,
  idOf,
  integrationOf,
  MEMBERS,
  mailedToken,
  mint,
  ORGS,
  type OrgName,
  PERSONAL,
  PERSONAL_SCOPES,
  personalText,
  RECOVERY_CODE,
  RIGHT_PASSWORD,
  RULES,
  readable,
  SCOPES,
  SESSIONS,
  STRICT,
  schemaOf,
  sha256,
  TOKENS,
  TOTP_SECRET,
  type TokenName,
  tokenText,
  UNVERIFIED,
  USERS,
  VIEWS,
  WITH_MFA,
  WITHOUT_TABLES,
  webhookOf,
} from '../support/isolation/world.ts';
import { limit } from '../support/run/limits.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import { withoutOutbox } from '../support/server/no-outbox.ts';

/*
 * Random calls with mixed-up hosts, cookies, tokens and ids, in organizations where the same ids name different things,
 * compared with a model of who may see and change what. Three of them have no tables until a call of the run writes to
 * them. Most runs begin with such first writes. ISOLATION_RUNS=5000 hunts longer. The seed and path that a failure prints play it
 * again; add `-t` with the name of the test.
 */

const { ISOLATION_RUNS, ISOLATION_SEED, ISOLATION_PATH } = process.env;
const RUNS = Number(ISOLATION_RUNS ?? 120);
const CALLS_PER_RUN = 16;
const TIME_LIMIT = 9_000;
const TIMEOUT = limit(60_000 + RUNS * 1_000);
const again = {
  ...(ISOLATION_SEED && { seed: Number(ISOLATION_SEED) }),
  ...(ISOLATION_PATH && { path: ISOLATION_PATH }),
};

let t: TestApp;
/** All over the same database. */
let apps: Record<'based' | 'single' | 'strict', TestApp>;
const sql = (text: string, params: string[] = []) => t.services.database.sql.unsafe(text, params);

beforeAll(async () => {
  // Few connections: each has to learn the tables of all organizations.
  const env = { SVC_DB_POOL_MAX: '3' };
  t = await startApp({ env });
  const { orgMigrations } = t.services;
  const same = { databaseUrl: t.databaseUrl, orgMigrations };
  await prepareEmptyTables(t.services.database.sql, orgMigrations);
  apps = {
    single: t,
    based: await startApp({ ...same, env: { ...env, SVC_BASE_DOMAIN: BASE_DOMAIN } }),
    strict: await startApp({
      ...same,
      // The sessions of the model were last used long ago.
      env: { ...env, SVC_STRICT: 'on', SVC_AUTH_LIMITS: 'off', SVC_SESSION_IDLE_MINUTES: '0' },
    }),
  };
  for (const app of Object.values(apps)) await withoutOutbox(app);
  // Thousands of commits, and of passwords: neither has to be safe here.
  await sql(`
    set synchronous_commit = off;
    do $$ begin execute format('alter database %I set synchronous_commit = off', current_database()); end $$`);
  for (const { services } of Object.values(apps))
    services.hasher = {
      hash: async (password) => `plain ${password}`,
      verify: async (hash, password) => hash === `plain ${password}`,
    };
  await makeUsers();
  for (const org of ORGS) {
    await makeOrg(org);
    if (!WITHOUT_TABLES.includes(org)) await recountOrg(t.services.database.sql, idOf('org', org));
  }
  await makePersonalTokens();
  await keepJournal();
});

// --- The world: all organizations hold the same ids, each text carries the mark of its owner ---

const NOW = new Date();
const at = (seconds: number) => new Date(NOW.getTime() + seconds * 1000).toISOString();
const DAY = 24 * 60 * 60;

/** Inserts rows given by column name. */
const insert = (table: string, rows: Record<string, unknown>[]) =>
  sql(`insert into ${table} select * from json_populate_recordset(null::${table}, $1::text::json)`, [
    JSON.stringify(rows),
  ]);

async function makePersonalTokens() {
  await insert(
    'shared.personal_tokens',
    USERS.flatMap((user) =>
      PERSONAL.map((name) => ({
        id: idOf('personal', `${user}/${name}`),
        user_id: idOf('user', user),
        org_id: name === 'alpha' ? idOf('org', 'alpha') : null,
        name: `secret.${user}.tokens.${name}`,
        prefix: 'svcp_aaaaaaaa',
        token_hash: sha256(personalText(user, name)),
        scopes: PERSONAL_SCOPES[name],
        created_at: at(-DAY),
        expires_at: at(name === 'expired' ? -1 : DAY),
      })),
    ),
  );
}

async function makeUsers() {
  const created_at = at(-DAY);
  const all = <T>(make: (user: (typeof USERS)[number]) => T[]) => USERS.flatMap(make);
  await insert(
    'shared.users',
    all((user) => [
      {
        id: idOf('user', user),
        name: `secret.${user}.name`,
        avatar_url: '',
        password_hash: `plain ${RIGHT_PASSWORD}`,
        mfa_enabled: WITH_MFA.includes(user),
        sign_ins: 0,
        created_at,
      },
    ]),
  );
  await insert(
    'shared.user_emails',
    all((user) =>
      EMAILS.map((name) => ({
        id: idOf('email', `${user}/${name}`),
        user_id: idOf('user', user),
        email: emailOf(user, name),
        is_primary: name === 'main',
        verified_at: name === 'hidden' || (name === 'main' && UNVERIFIED.includes(user)) ? null : created_at,
        created_at,
      })),
    ),
  );
  await insert(
    'shared.sessions',
    all((user) =>
      SESSIONS.map((state) => ({
        id: idOf('session', `${user}/${state}`),
        user_id: idOf('user', user),
        ip_address: '203.0.113.7',
        user_agent: `secret.${user}.agent`,
        browser: '',
        os: '',
        device_type: '',
        created_at,
        last_active_at: created_at,
        idle_seconds: 0,
        sso_mfa: false,
        expires_at: at(state === 'expired' ? -1 : DAY),
        revoked_at: state === 'revoked' ? created_at : null,
        // The time is tomorrow: it stays fresh in a long hunt, too. The other session was never stepped up.
        stepped_up_at: state === 'live' ? at(DAY) : null,
      })),
    ),
  );
  await insert(
    'shared.mfa_devices',
    all((user) =>
      [...DEVICES, 'passkey' as const].map((name) => ({
        id: idOf('device', `${user}/${name}`),
        user_id: idOf('user', user),
        type: name === 'mail' ? 'email' : name === 'passkey' ? 'passkey' : 'totp',
        name: `secret.${user}.${name}`,
        email_id: name === 'mail' ? idOf('email', `${user}/main`) : null,
        secret: name === 'mail' || name === 'passkey' ? null : `plain.${TOTP_SECRET}`,
        verified: name !== 'phone',
        created_at,
        ...{ credential_id: name === 'passkey' ? user : null, public_key: name === 'passkey' ? 'key' : null },
        ...{ sign_count: name === 'passkey' ? 0 : null, signs_in: name === 'passkey' ? true : null },
      })),
    ),
  );
  await insert(
    'shared.mailed_tokens',
    all((user) =>
      (['reset_password', 'verify_email'] as const).map((purpose) => ({
        token_hash: sha256(mailedToken(purpose, user)),
        purpose,
        user_id: idOf('user', user),
        email_id: idOf('email', `${user}/${purpose === 'verify_email' ? 'hidden' : 'main'}`),
        expires_at: at(DAY),
        created_at,
      })),
    ),
  );
  await insert(
    'shared.mfa_logins',
    USERS.map((user) => ({
      id: idOf('mfa', user),
      user_id: idOf('user', user),
      failures: 0,
      expires_at: at(2 * DAY),
    })),
  );
  await insert(
    'shared.primary_email_changes',
    USERS.map((user) => ({
      token_hash: sha256(mailedToken('undo_email_change', user)),
      user_id: idOf('user', user),
      old_email: emailOf(user, 'spare'),
      old_email_verified: true,
      new_email: emailOf(user, 'main'),
      changed_at: created_at,
      expires_at: at(2 * DAY),
    })),
  );
  await insert(
    'shared.recovery_codes',
    WITH_MFA.map((user) => ({
      user_id: idOf('user', user),
      code_hash: sha256(`${idOf('user', user)} ${RECOVERY_CODE.replaceAll('-', '')}`),
    })),
  );

  const { signedTokens } = t.services;
  for (const cookie of COOKIES) {
    const claims = claimsOf(cookie);
    if (!claims) continue;
    const signed = { userId: idOf('user', claims.user), id: claims.session };
    mint(cookie, await signedTokens.sign('session', signed, NOW));
  }
  // These tokens are of tomorrow, so that they are valid in a long hunt, too.
  for (const user of USERS) {
    const claims = { userId: idOf('user', user), id: idOf('mfa', user) };
    mint(`mfa/${user}`, await signedTokens.sign('mfa', claims, new Date(at(DAY))));
  }
}

async function makeDestinations(org: OrgName, created_at: string) {
  const hook = `secret.${org}.hook`;
  const common = {
    ...{ org_id: idOf('org', org), events: ['member.*'], enabled: true },
    ...{ url: `https://hooks.example/${hook}`, secret: `plain.${hook}` },
    ...{ wakes: 0, leases: 0, failures: 0, created_at, updated_at: created_at },
  };
  await insert('shared.destinations', [
    { id: webhookOf(org), kind: 'webhook', ...common },
    { id: integrationOf(org), kind: 'slack', name: hook, ...common },
  ]);
  await insert('shared.event_positions', [
    { org_id: idOf('org', org), seq: 0, check_at: at(DAY), overdue_until: created_at },
  ]);
  await insert(
    `${schemaOf(org)}.deliveries`,
    [webhookOf(org), integrationOf(org)].map((destination_id) => ({
      ...{ destination_id, id: idOf('delivery', 'sent'), created_at, state: 'failed' },
      ...{ attempts: 1, response: hook },
    })),
  );
}

async function makeOrg(org: OrgName) {
  const { db } = t.services.database;
  const id = idOf('org', org);
  const created_at = at(-DAY);
  const mark = (text: string) => `secret.${org}.${text}`;
  const made = {
    id,
    name: `secret.${org}`,
    slug: org,
    plan: 'free' as const,
    createdAt: new Date(created_at),
  };
  await db.transaction(async (tx) => {
    await insertOrg(tx, { ...made, ownerId: idOf('user', CREATOR) }, t.services);
    if (!WITHOUT_TABLES.includes(org)) await createOrgTables(tx, id, t.services.orgMigrations);
  });
  await sql('delete from shared.memberships where org_id = $1', [id]);
  const members = Object.entries(MEMBERS[org]);
  await insert(
    'shared.memberships',
    members.map(([user, role]) => {
      const invited = INVITED[org][user as (typeof USERS)[number]];
      return {
        org_id: id,
        user_id: idOf('user', user),
        role,
        invited_email: invited && emailOf(user, invited),
        confirmed_at: invited && invited !== 'hidden' ? created_at : null,
        is_held: false,
        project_access: ACCESS[org]?.[user as (typeof USERS)[number]] ? 'assigned' : 'all',
        ...{ break_glass: false, role_provisioned: false },
        created_at,
      };
    }),
  );
  if (org === DOMAIN.org)
    await sql('update shared.orgs set custom_domain = $1 where id = $2', [DOMAIN.host, id]);
  if (WITHOUT_TABLES.includes(org)) return;
  const schema = schemaOf(org);
  const enabled = [org === STRICT && 'require_mfa', org === 'alpha' && 'org_wide_tokens'].filter(Boolean);
  await sql(
    `insert into ${schema}.feature_flags
     select name, true, name = any(string_to_array($1, ',')), name from unnest(array['org_wide_tokens', 'require_mfa']) name`,
    [enabled.join()],
  );

  await insert(
    `${schema}.project_members`,
    Object.entries(ACCESS[org] ?? {}).flatMap(([user, roles]) =>
      Object.entries(roles).map(([project, role]) => ({
        ...{ user_id: idOf('user', user), project_id: idOf('project', project), role, created_at },
      })),
    ),
  );
  await insert(
    `${schema}.saved_views`,
    VIEWS.slice(0, 2).map((name, i) => ({
      id: idOf('view', name),
      owner_id: idOf('user', members[i]?.[0] as string),
      name: mark(name),
      query: `q=${mark(name)}`,
      shared: i === 1,
      created_at,
    })),
  );

  await insert(`${schema}.policy_versions`, [{ id: 1, version: 1 }]);
  if (HAS_WEBHOOKS) await makeDestinations(org, created_at);
  await insert(
    `${schema}.rules`,
    RULES.slice(0, 2).map((name, i) => ({
      ...{ id: idOf('rule', name), position: i + 1, name: mark(name), enabled: i === 1 },
      conditions: { title: ['secret*'], ...(i === 1 && { project_id: [idOf('project', 'shop')] }) },
      actions: {
        status: 'confirmed',
        note: mark(name),
        assignee_id: idOf('user', members[i]?.[0] as string),
      },
      ...{ created_at, updated_at: created_at },
    })),
  );

  // In Charlie slugs and things are the other way round.
  const turned = org === 'charlie';
  const other = { shop: 'site', site: 'shop', vault: 'vault' } as const;
  const projects = (['shop', 'site', 'vault'] as const).filter((name) => name !== 'vault' || org === 'bravo');
  const things = {
    shop: ['nightly', 'sqli'],
    site: ['weekly', 'xss'],
    vault: ['vault-scan', 'vault-rce'],
  } as const;
  for (const name of projects) {
    const project_id = idOf('project', turned ? other[name] : name);
    const project = turned ? other[name] : name;
    const [scan_id, finding] = things[name];
    await insert(`${schema}.projects`, [
      { id: project_id, name: mark(project), slug: turned ? other[project] : project, created_at },
    ]);
    await insert(`${schema}.scans`, [
      {
        scan_id,
        project_id,
        persona: 'senku',
        name: mark(`${project}.scan`),
        target: { path: mark(`${project}.path`) },
        status: 'running',
        created_at,
        tracked: true,
      },
    ]);
    await insert(`${schema}.findings`, [
      {
        id: idOf('finding', finding),
        project_id,
        fingerprint: finding,
        scan_id,
        last_scan_id: scan_id,
        title: mark(`${project}.title`),
        severity: 'high',
        description: mark(`${project}.description`),
        file: mark(`${project}.file`),
        status: 'open',
        status_changed_at: created_at,
        regressed: false,
        seen_count: 1,
        last_seen_at: created_at,
        created_at,
        updated_at: created_at,
        change_id: idOf('change', `of-${finding}`),
      },
    ]);
    await insert(`${schema}.finding_events`, [
      {
        finding_id: idOf('finding', finding),
        at: created_at,
        id: idOf('comment', `on-${finding}`),
        kind: 'comment',
        actor_id: idOf('user', Object.keys(MEMBERS[org])[0] as string),
        note: mark(`${project}.comment`),
      },
    ]);
    await insert(`${schema}.changes`, [
      {
        id: idOf('change', `of-${finding}`),
        at: created_at,
        actor_id: idOf('user', Object.keys(MEMBERS[org])[0] as string),
        finding_ids: [idOf('finding', finding)],
        what: { status: { to: 'open' } },
        fields: [
          {
            ...{ id: idOf('finding', finding), status: 'confirmed', status_changed_at: created_at },
            ...{ regressed: false, to_status: 'open', to_regressed: false },
          },
        ],
      },
    ]);
    await insert(`${schema}.exploits`, [
      {
        id: idOf('exploit', `poc-${finding.replace('vault-rce', 'vault')}`),
        finding_id: idOf('finding', finding),
        filename: mark(`${project}.filename`),
        language: 'python',
        code: mark(`${project}.code`),
        created_at,
      },
    ]);
  }
  await insert(
    `${schema}.api_tokens`,
    TOKENS.filter((name) => name !== 'nowhere' && (name !== 'vault' || org === 'bravo')).map((name) => {
      const is = (kind: TokenName, twin: OrgName) => name === kind || (name === 'twin' && org === twin);
      const isOfShop = name.startsWith('shop-') || is('shop', 'bravo');
      const ofProject = name === 'site' || name === 'vault' ? name : isOfShop ? 'shop' : undefined;
      return {
        id: idOf('token', name),
        project_id: ofProject ? idOf('project', ofProject) : null,
        name: mark(`tokens.${name}`),
        prefix: 'svc_aaaaaaaa',
        token_hash: sha256(tokenText(org, name)),
        scopes: SCOPES[name] ?? 'ingest',
        created_by: idOf('user', 'ada'),
        expires_at: is('expired', 'delta') ? at(-1) : null,
        revoked: is('revoked', 'charlie'),
        suspended: false,
        created_at,
      };
    }),
  );
}

// --- The journal: triggers write down every row that changes; a snapshot brings it back ---

async function keepJournal() {
  await sql(`
    create schema journal;
    create unlogged table journal.changes (n bigserial primary key, "schema" text, "table" text, op text, "row" jsonb);
    create function journal.note() returns trigger language plpgsql as $$
    declare
      was jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
      now jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
      touched text[] := '{last_used,last_active_at,idle_seconds}';
      op text := case when tg_op = 'UPDATE' and was - touched = now - touched then 'TOUCH' else tg_op end;
    begin
      if was is distinct from now then
        insert into journal.changes ("schema", "table", op, "row")
        select tg_table_schema, tg_table_name, op, r from unnest(array[was, now]) r
        where r is not null and (op <> 'TOUCH' or r = now);
      end if;
      return null;
    end $$;
    create schema snapshot;
    do $$
    declare
      t record;
      one text := (select max(name) from prepared.orgs);
    begin
      for t in select schemaname as s, tablename as n from pg_tables
        where (schemaname = 'shared' or schemaname ~ '^(org|empty_org|prepared)_')
          -- Measured in the background, at any time.
          and tablename <> 'org_usage'
      loop
        -- Mails are taken from their queue at any time.
        execute format('create trigger journal after %s on %I.%I for each row execute function journal.note()',
          case when t.n = 'outgoing_mails' then 'insert' else 'insert or update or delete' end, t.s, t.n);
        -- One of those that are prepared stands for all.
        continue when t.s ~ '^(empty_org|prepared)_' and t.s <> one;
        execute format('create table snapshot.%I as table %I.%I',
          case when t.s = one then 'prepared' else t.s end || '.' || t.n, t.s, t.n);
      end loop;
    end $$;
    create function journal.watch() returns event_trigger language plpgsql as $$
    declare t record;
    begin
      for t in select object_identity as name from pg_event_trigger_ddl_commands()
        where object_type = 'table' and schema_name = any ('{${WITHOUT_TABLES.map(schemaOf)}}')
      loop
        execute format('create trigger journal after insert or update or delete on %s
          for each row execute function journal.note()', t.name);
      end loop;
    end $$;
    create event trigger journal on ddl_command_end when tag in ('CREATE TABLE') execute function journal.watch()`);
}

let last = '0';

/** The rows that were written since the last call. */
async function readJournal(): Promise<Change[]> {
  const rows = await t.services.database.sql.unsafe<(Change & { n: string })[]>(
    'select * from journal.changes where n > $1 order by n',
    [last],
    { prepare: true },
  );
  last = rows.at(-1)?.n ?? last;
  for (const change of rows) {
    if (change.table !== 'outgoing_mails') continue;
    const { id, sealed } = change.row;
    change.row = { id, ...JSON.parse(await t.services.mailBox.open(String(sealed), String(id))) };
  }
  return rows.filter(({ row }) => row.recipient !== 'nobody@invalid');
}

/** Puts back what the changes have changed. */
async function undo(changes: readonly Change[]): Promise<void> {
  const kept = ORGS.filter((org) => !WITHOUT_TABLES.includes(org));
  const known = new Set<string>(['shared', ...kept.map(schemaOf)]);
  const written = changes.filter(({ table }) => table !== 'outgoing_mails');
  const tables = new Set(
    written.filter(({ schema }) => known.has(schema)).map((c) => `${c.schema}.${c.table}`),
  );
  const orgs = new Set(
    written.flatMap(({ table, row }) =>
      table === 'orgs' && !known.has(schemaName(row.id)) ? [String(row.id)] : [],
    ),
  );
  // Processes remember which organizations have tables.
  for (const id of orgs) for (const { services } of Object.values(apps)) services.orgs.forget(id);
  const statements = [
    // Neither foreign keys nor the journal.
    "set local session_replication_role = 'replica'",
    ...[...tables].flatMap((name) => [
      `delete from ${name}`,
      `insert into ${name} select * from snapshot."${name}"`,
    ]),
    // Whatever should not have been written there.
    ...written.filter(isInShared).map((c) => `delete from ${c.schema}.${c.table}`),
    ...[...orgs].flatMap((id) => giveBack(schemaName(id), written)),
  ];
  if (statements.length > 1) await sql(statements.join(';\n'));
}

let returned = 0;

/** Empties the schema of an organization, for another one. Dropping it would leave more and more dead rows in the catalog. */
function giveBack(schema: string, written: readonly Change[]): string[] {
  const tables = new Set(written.filter((one) => one.schema === schema).map(({ table }) => table));
  const name = `prepared_again_${returned++}`;
  return [
    ...[...tables].flatMap((table) => [
      `delete from ${schema}.${table}`,
      `insert into ${schema}.${table} select * from snapshot."prepared.${table}"`,
    ]),
    `do $$ begin
      if to_regnamespace('${schema}') is not null then
        alter schema ${schema} rename to ${name};
        insert into prepared.orgs values ('${name}');
      end if;
    end $$`,
  ];
}

const isInShared = ({ schema }: Change) => isEmptySchema({ schemaName: schema });
const schemaName = (orgId: unknown) => `org_${String(orgId).replaceAll('-', '')}`;

// --- The facts ---

/** By the organizations that have tables. */
const factsQueries = new Map<string, string>();

/** The flags of an organization until somebody changes them. */
const FLAGS_OFF = { org_wide_tokens: false, require_mfa: false };

async function readFacts(): Promise<Facts> {
  const { sql: client } = t.services.database;
  const found = await client.unsafe('select slug from shared.orgs where schema_version > 0', [], {
    prepare: true,
  });
  const withTables = ORGS.filter((org) => found.some(({ slug }) => slug === org));
  const text = factsQueries.get(withTables.join()) ?? factsOf(withTables);
  factsQueries.set(withTables.join(), text);
  const [row] = await client.unsafe<{ facts: Facts }[]>(text, [], { prepare: true });
  if (!row) throw new Error('no facts');
  for (const org of ORGS) row.facts.orgs[org].flags = { ...FLAGS_OFF, ...row.facts.orgs[org].flags };
  return row.facts;
}

/** The statement that reads the facts. */
function factsOf(withTables: readonly OrgName[]): string {
  const map = (from: string, key: string, value: string) =>
    `(select coalesce(json_object_agg(${key}, ${value}), '{}') from ${from})`;
  const object = (fields: Record<string, string>) =>
    `json_build_object(${Object.entries(fields).map(([key, value]) => `'${key}', ${value}`)})`;
  const destinationsOf = (org: OrgName, kind: string) =>
    map(
      `shared.destinations where org_id = '${idOf('org', org)}' and ${kind}`,
      'id',
      object({ enabled: 'enabled', projects: 'project_ids' }),
    );
  const ofOrg = (org: OrgName) => {
    const s = schemaOf(org);
    const hasTables = withTables.includes(org);
    const own = (from: string, key: string, value: string) =>
      hasTables ? map(`${s}.${from}`, key, value) : `'{}'::json`;
    return object({
      hasTables: String(hasTables),
      rule: `(select tokens_on_role_loss from shared.orgs where id = '${idOf('org', org)}')`,
      members: map(
        `shared.memberships where org_id = '${idOf('org', org)}'`,
        'user_id',
        object({
          role: 'role',
          invited: 'invited_email',
          confirmed: 'confirmed_at is not null',
          unseen: 'coalesce(confirmed_at = created_at, false)',
          limited: `project_access = 'assigned' and role <> 'owner'`,
          offered: `coalesce(role = 'admin' and owner_offer_until > now() and exists (select from shared.memberships o
            where o.org_id = memberships.org_id and o.user_id = memberships.owner_offer_by and o.role = 'owner'), false)`,
        }),
      ),
      flags: own('feature_flags', 'name', 'provisioned and enabled'),
      projects: own('projects where deleted_at is null', 'id', 'slug'),
      assigned: own('project_members', "project_id || ' ' || user_id", 'role'),
      scans: own('scans', 'scan_id', 'project_id'),
      findings: own('findings where proposed is not true', 'id', 'project_id'),
      comments: own(
        "finding_events where kind = 'comment'",
        'id',
        object({ finding: 'finding_id', author: 'actor_id' }),
      ),
      views: own('saved_views', 'id', object({ owner: 'owner_id', shared: 'shared' })),
      logged: own('audit_names', 'seq || side', 'name'),
      rules: own('rules where deleted_at is null', 'id', 'name'),
      webhooks: destinationsOf(org, `kind = 'webhook'`),
      integrations: destinationsOf(org, `kind <> 'webhook'`),
      deliveries: own('deliveries', "destination_id || ' ' || id", 'state'),
      exploits: own('exploits', 'id', 'finding_id'),
      changes: own(
        'changes',
        'id',
        object({ finding: 'finding_ids[1]', author: 'actor_id', undone: 'undone_at is not null' }),
      ),
      tokens: own(
        'api_tokens',
        'id',
        object({
          hash: 'token_hash',
          project: 'project_id',
          scopes: 'scopes',
          creator: 'created_by',
          revoked: 'revoked',
          expired: 'coalesce(expires_at <= now(), false)',
        }),
      ),
    });
  };
  return `select ${object({
    orgs: object(Object.fromEntries(ORGS.map((org) => [org, ofOrg(org)]))),
    users: map('shared.users', 'id', object({ mfa: 'mfa_enabled' })),
    emails: map(
      'shared.user_emails',
      'id',
      object({ user: 'user_id', email: 'email', primary: 'is_primary', verified: 'verified_at is not null' }),
    ),
    personal: map(
      'shared.personal_tokens',
      'id',
      object({
        user: 'user_id',
        hash: 'token_hash',
        org: 'org_id',
        scopes: 'scopes',
        expired: 'expires_at <= now()',
      }),
    ),
    devices: map('shared.mfa_devices', 'id', object({ user: 'user_id', type: 'type' })),
    sessions: map(
      'shared.sessions',
      'id',
      object({
        user: 'user_id',
        live: 'revoked_at is null and expires_at > now()',
        fresh: "greatest(created_at, stepped_up_at) > now() - interval '10 minutes'",
      }),
    ),
  })} as facts`;
}

// --- The properties ---

async function answered(call: Call, facts: Facts): Promise<Answered> {
  const { api } = apps[call.door.app];
  // One slash more: this is a path from the root.
  const answer = await api
    .call(call.endpoint.method, `/${call.path}`, optionsOf(call, facts))
    .catch((cause: Error) => {
      throw new Error(`${call}\n  ${cause.message}`, { cause });
    });
  return { call, answer };
}

/** @param calls that led there */
function complain(calls: Call[], faults: string[]) {
  const lines = [...new Set(faults)].map((fault) => `  ${readable(fault)}`);
  if (lines.length > 0) throw new Error([...calls, ...lines].join('\n'));
}

let made = 0;
/** First writes that have left something. */
let first = 0;
const wasAskedOftenEnough = () => made > RUNS / 4 && (WITHOUT_TABLES.length === 0 || first > RUNS / 60);

/** Checks many runs, each of several calls in the same world, and fails with what a person can read. */
async function hunt(
  call: fc.Arbitrary<Call>,
  story: fc.Arbitrary<Call[]>,
  runs: number,
  run: (calls: Call[], facts: Facts, written: Change[]) => Promise<void>,
) {
  const facts = await readFacts();
  // A slow machine asks less, but enough; fast-check's own limit would leave a run behind.
  const deadline = performance.now() + (ISOLATION_RUNS ? Infinity : TIME_LIMIT);
  let isShrinking = false;
  const property = fc.asyncProperty(
    fc.array(story, { maxLength: WITHOUT_TABLES.length > 0 ? 2 : 0, size: 'max' }),
    fc.array(call, { minLength: 1, maxLength: CALLS_PER_RUN, size: 'max' }),
    async (stories, others) => {
      const calls = [...stories.flat(), ...others];
      if (!isShrinking && performance.now() > deadline && wasAskedOftenEnough()) return;
      const written: Change[] = [];
      try {
        await run(calls, facts, written);
      } catch (error) {
        isShrinking = true;
        throw error;
      } finally {
        await undo([...written, ...(await readJournal())]);
      }
    },
  );
  const { failed, errorInstance, seed, counterexamplePath, numRuns } = await fc.check(property, {
    numRuns: runs,
    ...again,
  });
  if (!failed) return;
  const path = `ISOLATION_SEED=${seed} ISOLATION_PATH=${counterexamplePath}`;
  throw new Error(`${(errorInstance as Error).message}\nRun ${numRuns}, again: ${path}`, {
    cause: errorInstance,
  });
}

it(
  'shows and changes only what is the caller’s',
  async () => {
    await hunt(anyCall(ENDPOINTS), anyFirstWrite, RUNS, async (calls, facts, written) => {
      let before = facts;
      for (const [index, call] of calls.entries()) {
        const one = await answered(call, before);
        const changes = await readJournal();
        written.push(...changes);
        const after = changes.some(({ op }) => op !== 'TOUCH') ? await readFacts() : before;
        complain(calls.slice(0, index + 1), [
          ...answerFaults(one, before, after),
          ...changeFaults([one], changes, before, after),
        ]);
        before = after;
        made++;
        if (one.answer.status < 300 && changes.some(({ table }) => table === 'org_migrations')) first++;
      }
    });
  },
  TIMEOUT,
);

it(
  'does so for calls at the same time',
  async () => {
    // Operations that change neither permissions nor ids that others may name.
    const isSteady = (name: EndpointName) => {
      const { access, method } = endpoints[name];
      const reads = access.kind === 'cookieOrg' && method === 'GET';
      return (
        reads || name.startsWith('updateFinding') || (access.kind === 'bearer' && name !== 'registerScan')
      );
    };
    await hunt(
      anyCall(ENDPOINTS.filter(isSteady)),
      anyFirstWrites,
      RUNS / 6,
      async (calls, before, written) => {
        // All are waited for also when one throws: none may write into the next run.
        const settled = await Promise.allSettled(calls.map((call) => answered(call, before)));
        const all = settled.map((one) => {
          if (one.status === 'rejected') throw one.reason;
          return one.value;
        });
        written.push(...(await readJournal()));
        const after = await readFacts();
        complain(calls, [
          ...all.flatMap((one) =>
            answerFaults(one, before, after).map((fault) => `#${calls.indexOf(one.call) + 1} ${fault}`),
          ),
          ...changeFaults(all, written, before, after),
        ]);
        made += calls.length;
      },
    );
  },
  TIMEOUT,
);

it('was asked often enough', () => expect(wasAskedOftenEnough()).toBe(true));
