/**
 * The suites of the API. Left out are those of Node's own parts, and those that try one part with thousands of inputs
 * which knows no runtime: `input` and `hostile/inputs` (schemas), `finding-pages` and `counts` (SQL).
 */
export const SUITES = [
  'tests/http/access.test.ts',
  'tests/accounts/accounts.test.ts',
  'tests/accounts/auth.test.ts',
  'tests/http/client.test.ts',
  'tests/findings/dashboard.test.ts',
  'tests/http/errors.test.ts',
  'tests/findings/between-scans.test.ts',
  'tests/findings/export.test.ts',
  'tests/findings/findings.test.ts',
  'tests/accounts/hostile-cookies.test.ts',
  'tests/mail/hostile.test.ts',
  'tests/http/hostile/markup.test.ts',
  'tests/http/http.test.ts',
  'tests/findings/batch.test.ts',
  'tests/findings/ingest.test.ts',
  'tests/findings/previous-fingerprints.test.ts',
  'tests/orgs/isolation.test.ts',
  'tests/members/roles.test.ts',
  'tests/members/members.test.ts',
  'tests/orgs/features.test.ts',
  'tests/orgs/orgs.test.ts',
  'tests/accounts/passkeys.test.ts',
  'tests/accounts/passwords.test.ts',
  'tests/projects/projects.test.ts',
  'tests/http/read-only.test.ts',
  'tests/scans/changes.test.ts',
  'tests/scans/scans.test.ts',
  'tests/accounts/sign-in-attacks.test.ts',
  'tests/accounts/step-up.test.ts',
  'tests/accounts/strict.test.ts',
  'tests/tokens/tokens.test.ts',
  'tests/findings/revision.test.ts',
  'tests/findings/triage.test.ts',
  'tests/rules/apply.test.ts',
  'tests/rules/push.test.ts',
  'tests/rules/rules.test.ts',
  'tests/reports/import.test.ts',
  'tests/sso/sign-in.test.ts',
  'tests/sso/access.test.ts',
  'tests/orgs/access-limits.test.ts',
];

const MIGRATIONS = 'passes migrations of its own, which are a part of the bundle; tests/edge has the like';
const POOL = "looks at Node's pool";
const ONE_BACKEND = 'ends the only connection of a pool; tests/edge has the like';

/** Tests of these suites that are left out, with the reason: by suite and name. */
export const NODE_ONLY: Record<string, Record<string, string>> = {
  'tests/findings/batch.test.ts': {
    'a batch > is refused whole if the database is unavailable': POOL,
  },
  'tests/accounts/auth.test.ts': {
    'registration > leaves nothing behind when it fails': MIGRATIONS,
  },
  'tests/findings/export.test.ts': {
    'a long file > begins before it is made, and is whole: csv': POOL,
    'a long file > begins before it is made, and is whole: sarif': POOL,
    'a long file > does not end as if it were whole when it breaks off: csv': ONE_BACKEND,
    'a long file > does not end as if it were whole when it breaks off: sarif': ONE_BACKEND,
  },
  'tests/http/http.test.ts': {
    'a body > of more is refused, with or without its length announced':
      'announces a length that is no number, which workerd refuses before the worker sees it',
    'a body > of a chunked request is cut off where it gets too long':
      'workerd ends the connection with the answer, and who still sends does not always read it',
    'metrics > tell how many findings were written together': 'on the edge each push is written by itself',
    'metrics > tell what waits, when somebody has looked, and nothing when that failed':
      'looks by itself, in process',
    'metrics > of the pool > show a running query while it runs': POOL,
    'metrics > of the pool > show a transaction while it is open, also between its queries': POOL,
    'metrics > of the pool > show a long list while it is read, and nothing once it was left': POOL,
    'a failure > while a query runs is told as the database being unavailable': ONE_BACKEND,
    'a list that breaks off > is said in the log alone': ONE_BACKEND,
  },
  'tests/orgs/orgs.test.ts': {
    'creating an organization > leaves nothing behind when it fails half way': MIGRATIONS,
    'an organization that is behind > is migrated by the request that names it': MIGRATIONS,
    'an organization that is behind > is migrated once by many requests through several processes':
      MIGRATIONS,
    'an organization that is behind > comes from the first step as well': MIGRATIONS,
    'an organization that is behind > is left as it was when its migration fails, and only it is unavailable':
      MIGRATIONS,
  },
};
