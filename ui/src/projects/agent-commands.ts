import type { Site } from '../app/site.ts';

interface Target {
  site: Site;
  /** Slug of the organization. */
  org: string;
  /** Slug of the project. */
  project: string;
  /** The token, if it is known. */
  token?: string | undefined;
}

/** The settings of svc-agent for one project. */
function agentSettings({ site, org, project, token = 'svc_…' }: Target) {
  const needsOrg = site.baseDomain === '' && site.hostOrg === undefined;
  return {
    SVC_BASE_URL: new URL(site.orgUrl(org)).origin,
    ...(needsOrg && { SVC_ORG: org }),
    SVC_PROJECT_ID: project,
    SVC_API_KEY: token,
  };
}

/** The settings for CI: without the token, and with the only host that may receive it. */
export function ciSettings(target: Target): Record<string, string> {
  const { SVC_API_KEY: _, ...settings } = agentSettings(target);
  const { protocol, host, origin } = new URL(settings.SVC_BASE_URL);
  return { ...settings, SVC_TRUSTED_HOSTS: protocol === 'https:' ? host : origin };
}

/** Shell commands that send findings of a project (docs/agent.md). */
export function agentCommands(target: Target) {
  const settings = agentSettings(target);
  const file = `${settings.SVC_BASE_URL}/assets/svc-agent.mjs`;
  return {
    // macOS has shasum. A file that does not match is removed, so the next command cannot run it.
    download: `curl -fsSLO ${file} -O ${file}.sha256 && (sha256sum -c svc-agent.mjs.sha256 || shasum -a 256 -c svc-agent.mjs.sha256) || rm -f svc-agent.mjs`,
    settings: Object.entries(settings)
      .map(([name, value]) => `export ${name}=${value}`)
      .join('\n'),
    run: 'node svc-agent.mjs run --persona senku -- npm audit --json',
    report: 'node svc-agent.mjs report results.sarif',
  };
}
