import { describe, expect, it } from 'vitest';
import {
  addressOf,
  type ChatIntegration,
  isElsewhere,
  isJiraCloud,
  type TrackerIntegration,
  toChanges,
  toNew,
  valuesOf,
} from '../../ui/src/integrations/values.ts';

/* The form of an integration sends what its fields show. */

const github: TrackerIntegration = {
  id: 'a',
  kind: 'github',
  name: 'Shop',
  url: 'https://github.com',
  project: 'acme/web-shop',
  labels: ['security'],
  on_resolved: 'close',
  on_closed: 'nothing',
  enabled: true,
  created_at: '2026-03-01T10:00:00Z',
  updated_at: '2026-03-01T10:00:00Z',
};
const jira: TrackerIntegration = {
  ...github,
  kind: 'jira',
  url: 'https://acme.atlassian.net',
  project: 'WEB',
  issue_type: 'Bug',
  email: 'ada@acme.example',
};
const slack: ChatIntegration = {
  id: 'b',
  kind: 'slack',
  name: 'Team',
  host: 'hooks.slack.com',
  min_severity: 'high',
  project_ids: ['p'],
  enabled: false,
  created_at: '2026-03-01T10:00:00Z',
  updated_at: '2026-03-01T10:00:00Z',
};

describe('a change of an integration', () => {
  const ofTracker = {
    ...{ name: 'Shop', enabled: true, project_ids: null, project: 'acme/web-shop', labels: ['security'] },
    ...{ on_resolved: 'close', on_closed: 'nothing' },
  };

  it('has no secret that was not entered', () => {
    expect(toChanges(github, valuesOf(github))).toEqual(ofTracker);
    expect(toChanges(slack, valuesOf(slack))).toEqual({
      ...{ name: 'Team', enabled: false, project_ids: ['p'], muted_project_ids: null, min_severity: 'high' },
    });
  });

  it('has the token and another address that were entered', () => {
    const values = { ...valuesOf(github), token: 't', url: 'https://github.acme.example' };
    expect(toChanges(github, values)).toEqual({ ...ofTracker, token: 't', url: values.url });
    // The service asks for the token with each address, so the same one is left out.
    expect(toChanges(github, { ...values, url: ' https://github.com ' })).toEqual({
      ...ofTracker,
      token: 't',
    });
  });

  it('needs the token for another address or project', () => {
    const values = valuesOf(github);
    expect(isElsewhere(github, { ...values, url: ' https://github.com ', project: 'acme/web-shop ' })).toBe(
      false,
    );
    expect(isElsewhere(github, { ...values, url: 'https://github.acme.example' })).toBe(true);
    expect(isElsewhere(github, { ...values, project: 'acme/api' })).toBe(true);
    expect(isElsewhere(slack, { ...values, project: 'acme/api' })).toBe(false);
  });

  it('has the fields of its kind', () => {
    expect(toChanges(jira, valuesOf(jira))).toMatchObject({ issue_type: 'Bug', email: 'ada@acme.example' });
    expect(toChanges(jira, { ...valuesOf(jira), email: ' ' })).not.toHaveProperty('email');
  });
});

it('a new integration has the fields of the chosen kind', () => {
  const values = { ...valuesOf(), name: 'Shop', url: 'https://gitlab.com', project: 'acme/shop', token: 't' };
  expect(toNew({ ...values, kind: 'gitlab' })).toEqual({
    ...{ kind: 'gitlab', name: 'Shop', url: 'https://gitlab.com', project: 'acme/shop', token: 't' },
    ...{ labels: [], on_resolved: 'close', on_closed: 'nothing', project_ids: null, enabled: true },
  });
  expect(toNew({ ...values, kind: 'jira' })).toMatchObject({ issue_type: 'Task' });
  expect(toNew({ ...values, kind: 'slack' })).toEqual({
    ...{ kind: 'slack', name: 'Shop', url: 'https://gitlab.com', enabled: true },
    ...{ project_ids: null, muted_project_ids: null, min_severity: null },
  });
});

it('only GitHub and GitLab have an address to begin with', () => {
  expect((['github', 'gitlab', 'jira', 'slack'] as const).map(addressOf)).toEqual([
    ...['https://github.com', 'https://gitlab.com', '', ''],
  ]);
});

it.each([
  ['https://acme.atlassian.net', true],
  [' https://acme.atlassian.net/jira', true],
  ['https://acme.atlassian.net.example.com', false],
  ['https://jira.acme.example/atlassian.net', false],
  ['', false],
])('%j is an address of Jira Cloud: %j', (url, isCloud) => expect(isJiraCloud(url)).toBe(isCloud));
