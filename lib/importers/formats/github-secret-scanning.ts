import { z } from 'zod';
import { fingerprintOf } from '../identity/identity.ts';
import { sourceIdentity } from '../identity/literals.ts';
import { type Importer, readList } from '../importer.ts';
import { fields, flag, number, object, requiredText, text } from '../read/schema.ts';
import { relativePath } from '../support.ts';
import { describeFinding, formatLocation } from '../text/markdown.ts';
import { mask, maskSecrets, REVOKE_SECRET } from '../text/secrets.ts';
import { alertsOf, hasProperties, isOpen, numberOf } from '../tools/github-alerts.ts';

const Alert = z.object({
  number,
  ...fields(text, 'url', 'html_url', 'state', 'resolution', 'secret_type_display_name', 'secret', 'validity'),
  secret_type: requiredText,
  ...fields(flag, 'publicly_leaked', 'multi_repo', 'push_protection_bypassed', 'has_more_locations'),
  first_location_detected: object({ path: text, start_line: number, commit_sha: text }),
});

/** The alerts of `/repos/OWNER/REPO/secret-scanning/alerts`. */
export const githubSecretScanning: Importer = {
  name: 'github-secret-scanning',
  about: {
    tool: '[GitHub secret scanning](https://docs.github.com/rest/secret-scanning/secret-scanning)',
    command: '`gh api --paginate "repos/OWNER/REPO/secret-scanning/alerts?state=open" > report.json`',
    versions: 'the API names no version: alerts of 2020 and 2021',
    identity: 'repository and number of the alert',
    severity: 'critical if the secret is valid or public, otherwise high',
  },

  detects: (report) => hasProperties(report, 'number', 'secret_type'),

  results(report, context) {
    const alerts = readList(Alert, alertsOf(report), '', context).filter(({ state, resolution }) =>
      isOpen(state, resolution, context),
    );
    return alerts.map((alert) => {
      const { secret, secret_type: type, first_location_detected: place } = alert;
      const known = numberOf(alert);
      const file = relativePath(maskSecrets(place?.path ?? '', [secret]), context);
      const line = place?.start_line;
      const name = alert.secret_type_display_name ?? type;
      const isActive = alert.validity === 'active' || alert.publicly_leaked === true;
      return {
        entries: [alert],
        identify: known
          ? () => fingerprintOf('github-secret-scanning', ...known)
          : (path) =>
              fingerprintOf(
                'github-secret-scanning',
                type,
                path,
                ...sourceIdentity(secret ?? '', [secret ?? '']),
              ),
        title: `Secret (${name})${file ? ` in ${file}` : ''}`,
        rule_id: type,
        severity: isActive ? ('critical' as const) : ('high' as const),
        description: describeFinding({
          what: 'GitHub found a secret in the repository.',
          facts: {
            Type: type,
            Location: formatLocation(file, line),
            'Further locations': alert.has_more_locations ? 'yes' : undefined,
            Commit: place?.commit_sha,
            Secret: secret ? mask(secret) : undefined,
            Validity: alert.validity,
            Public: alert.publicly_leaked ? 'yes' : undefined,
            'In several repositories': alert.multi_repo ? 'yes' : undefined,
            'Push protection': alert.push_protection_bypassed ? 'bypassed' : undefined,
          },
          fix: REVOKE_SECRET,
          references: [alert.html_url],
        }),
        cwe: 'CWE-798',
        file,
        line,
      };
    });
  },
};
