/**
 * The suites of the API. Left out are those of Node's own parts, and those that try one part with thousands of inputs
 * which knows no runtime: `input` and `hostile` (schemas), `finding-pages` and `counts` (SQL).
 */
export const SUITES = [
  'tests/access.test.ts',
  'tests/accounts.test.ts',
  'tests/auth.test.ts',
  'tests/client.test.ts',
  'tests/dashboard.test.ts',
  'tests/errors.test.ts',
  'tests/findings-between-scans.test.ts',
  'tests/findings-export.test.ts',
  'tests/findings.test.ts',
  'tests/hostile-cookies.test.ts',
  'tests/hostile-mails.test.ts',
  'tests/hostile-markup.test.ts',
  'tests/http.test.ts',
  'tests/ingest.test.ts',
  'tests/isolation.test.ts',
  'tests/members-roles.test.ts',
  'tests/members.test.ts',
  'tests/org-features.test.ts',
  'tests/orgs.test.ts',
  'tests/passwords.test.ts',
  'tests/projects.test.ts',
  'tests/read-only.test.ts',
  'tests/scan-changes.test.ts',
  'tests/scans.test.ts',
  'tests/sign-in-attacks.test.ts',
  'tests/step-up.test.ts',
  'tests/strict.test.ts',
  'tests/tokens.test.ts',
  'tests/triage.test.ts',
];

const MIGRATIONS = 'passes migrations of its own, which are a part of the bundle; tests/edge has the like';
const POOL = "looks at Node's pool";
const ONE_BACKEND = 'ends the only connection of a pool; tests/edge has the like';

/** Tests of these suites that are left out, with the reason: by suite and name. */
export const NODE_ONLY: Record<string, Record<string, string>> = {
  'tests/auth.test.ts': {
    'registration > leaves nothing behind when it fails': MIGRATIONS,
  },
  'tests/findings-export.test.ts': {
    'a long file > begins before it is made, and is whole: csv': POOL,
    'a long file > begins before it is made, and is whole: sarif': POOL,
    'a long file > does not end as if it were whole when it breaks off: csv': ONE_BACKEND,
    'a long file > does not end as if it were whole when it breaks off: sarif': ONE_BACKEND,
  },
  'tests/http.test.ts': {
    'a body > of more is refused, with or without its length announced':
      'announces a length that is no number, which workerd refuses before the worker sees it',
    'a body > of a chunked request is cut off where it gets too long':
      'workerd ends the connection with the answer, and who still sends does not always read it',
    'over a socket > an announced length that is too long is refused': "of Node's HTTP server",
    'metrics > tell how many findings were written together': 'on the edge each push is written by itself',
    'metrics > tell what waits, when somebody has looked, and nothing when that failed':
      'looks by itself, in process',
    'metrics > of the pool > show a running query while it runs': POOL,
    'metrics > of the pool > show a transaction while it is open, also between its queries': POOL,
    'metrics > of the pool > show a long list while it is read, and nothing once it was left': POOL,
    'a failure > while a query runs is told as the database being unavailable': ONE_BACKEND,
    'a list that breaks off > is said in the log alone': ONE_BACKEND,
  },
  'tests/orgs.test.ts': {
    'creating an organization > leaves nothing behind when it fails half way': MIGRATIONS,
    'an organization that is behind > is migrated by the request that names it': MIGRATIONS,
    'an organization that is behind > is migrated once by many requests through several processes':
      MIGRATIONS,
    'an organization that is behind > comes from the first step as well': MIGRATIONS,
    'an organization that is behind > is left as it was when its migration fails, and only it is unavailable':
      MIGRATIONS,
  },
};
