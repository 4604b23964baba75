import type { Site } from '../site.ts';

interface Target {
  site: Site;
  /** Slug of the organization. */
  org: string;
  /** Slug of the project. */
  project: string;
  /** The token, where it is known. */
  token?: string | undefined;
}

/** The settings of svc-agent for one project. */
export function agentSettings({ site, org, project, token = 'svc_…' }: Target) {
  const needsOrg = site.baseDomain === '' && site.hostOrg === undefined;
  return {
    SVC_BASE_URL: new URL(site.orgUrl(org)).origin,
    ...(needsOrg && { SVC_ORG: org }),
    SVC_PROJECT_ID: project,
    SVC_API_KEY: token,
  };
}

/** Commands for a shell that send findings of a project: see docs/agent.md. */
export function agentCommands(target: Target) {
  const settings = agentSettings(target);
  return {
    download: `curl -fsSLo svc-agent.mjs ${settings.SVC_BASE_URL}/assets/svc-agent.mjs`,
    settings: Object.entries(settings)
      .map(([name, value]) => `export ${name}=${value}`)
      .join('\n'),
    run: 'node svc-agent.mjs run --persona senku -- npm audit --json',
    report: 'node svc-agent.mjs report results.sarif',
  };
}
