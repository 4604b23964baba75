import { SUITES as API_SUITES } from '../edge/suites.ts';

/** They add triggers to the tables of organizations, which Citus refuses. */
const WITH_TRIGGERS = ['tests/orgs/isolation.test.ts'];

/** The suites of the API, and those of statements that write findings. */
export const SUITES = [
  ...API_SUITES.filter((suite) => !WITH_TRIGGERS.includes(suite)),
  'tests/findings/activity.test.ts',
  'tests/findings/bulk-by-filter.test.ts',
  'tests/findings/changes.test.ts',
  'tests/findings/counts.test.ts',
  'tests/findings/delete.test.ts',
  'tests/findings/due-dates.test.ts',
  'tests/findings/fields.test.ts',
  'tests/findings/filters.test.ts',
  'tests/findings/groups.test.ts',
  'tests/findings/mentions.test.ts',
  'tests/findings/metrics.test.ts',
  'tests/findings/pages.test.ts',
  'tests/findings/project-weeks.test.ts',
  'tests/findings/regressed.test.ts',
  'tests/findings/retention.test.ts',
  'tests/findings/similar.test.ts',
  'tests/findings/views.test.ts',
  'tests/reports/preview.test.ts',
  'tests/scans/gone.test.ts',
  'tests/scans/missing.test.ts',
  'tests/scans/refs.test.ts',
  'tests/audit/audit.test.ts',
  'tests/events/audit-log.test.ts',
  'tests/events/causes.test.ts',
  'tests/events/delivery.test.ts',
  'tests/events/outbox.test.ts',
  'tests/events/stream.test.ts',
  'tests/integrations/integrations.test.ts',
  'tests/integrations/issues/access.test.ts',
  'tests/integrations/issues/closed.test.ts',
  'tests/integrations/issues/creating.test.ts',
  'tests/integrations/issues/links.test.ts',
  'tests/integrations/issues/nightly.test.ts',
  'tests/integrations/issues/processes.test.ts',
  'tests/integrations/issues/regressions.test.ts',
  'tests/integrations/issues/rules.test.ts',
  'tests/integrations/sending.test.ts',
  'tests/integrations/trackers.test.ts',
  'tests/notifications/digests.test.ts',
  'tests/notifications/expiring-tokens.test.ts',
  'tests/notifications/recipients.test.ts',
  'tests/notifications/settings.test.ts',
  'tests/notifications/turns.test.ts',
  'tests/webhooks/deliveries.test.ts',
  'tests/webhooks/sending.test.ts',
  'tests/webhooks/webhooks.test.ts',
  'tests/scim/entra.test.ts',
  'tests/scim/okta.test.ts',
  'tests/scim/scim.test.ts',
];

const PUSH_TEXT = 'recognizes pushes by the text of the statement for PostgreSQL';
const OWN_TRIGGER = 'adds a trigger to a table of the organization, which Citus rejects';
const WORKERS_DOWN = 'the answer also has workers_down, which tests/citus checks';

/** Tests of these suites that are left out, with the reason: by suite and name. */
export const LEFT_OUT: Record<string, Record<string, string>> = {
  'tests/http/http.test.ts': {
    '//healthz > says that the database answers': WORKERS_DOWN,
    '//readyz > says that the database answers': WORKERS_DOWN,
  },
  'tests/findings/batch.test.ts': {
    'an idempotency key > continues a batch of which a part was not written': OWN_TRIGGER,
  },
  'tests/findings/delete.test.ts': {
    'a finding > waits for a comment that is being written, and removes it':
      'waits for a lock that the coordinator does not show',
  },
  'tests/findings/counts.test.ts': {
    'a finding that is seen again > touches neither counts nor indexes, unless its severity is another one':
      'reads statistics that are on the worker',
  },
  'tests/scans/missing.test.ts': {
    'a project that closes findings > leaves a finding alone that is seen again while it is closed':
      'waits for a lock that the coordinator does not show',
  },
  'tests/rules/push.test.ts': {
    'statements > of pushes are no more without rules, and without a condition on the persona': PUSH_TEXT,
    'statements > read the persona of a scan once': PUSH_TEXT,
  },
  'tests/findings/bulk-by-filter.test.ts': {
    'PATCH /findings with a filter > leaves alone what somebody decides between selection and change':
      'its own UPDATE calls a volatile function',
  },
};
