import { fingerprintOf, identifyCode } from '../identity/identity.ts';
import { sourceIdentity } from '../identity/literals.ts';
import { type Importer, read } from '../importer.ts';
import {
  flagsOf,
  GitlabLocation,
  gitlabScanOf,
  gitlabSeverity,
  linksOf,
  ruleOf,
  scannedVulnerabilities,
} from '../kinds/gitlab.ts';
import { nameIn } from '../scanned.ts';
import { relativePath } from '../support.ts';
import { describeFinding, escapeMarkdown, formatLocation } from '../text/markdown.ts';
import { mapMasked, REVOKE_SECRET } from '../text/secrets.ts';

/** `gl-secret-detection-report.json` */
export const gitlabSecretDetection: Importer = {
  name: 'gitlab-secret-detection',
  about: {
    tool: '[GitLab secret detection](https://docs.gitlab.com/user/application_security/secret_detection/)',
    command: 'the artifact `gl-secret-detection-report.json` of the job',
    versions: 'schema 14.0; also without the fields that 15 removed',
    identity: 'rule, file, secret',
  },

  detects: (report) => gitlabScanOf(report) === 'secret_detection',

  category: (report) => nameIn(report, 'scan', 'analyzer', 'id'),

  results(report, context) {
    const { found, scanner } = scannedVulnerabilities(report, ['secret_detection'], context);
    const entries = found.map((vulnerability) => {
      const { file, start_line: line, commit } = read(GitlabLocation.code, vulnerability.location);
      const { raw_source_code_extract: secret } = vulnerability;
      const secrets = secret ? [secret] : [];
      return { vulnerability, commit, location: { file: relativePath(file, context), line, secrets } };
    });
    return mapMasked(entries, context, ({ vulnerability, commit, location }, mask) => {
      const { file, line, secrets } = location;
      const [type, rule] = ruleOf(vulnerability);
      const [secret] = secrets;
      const name = mask(vulnerability.name ?? rule);
      const found = vulnerability.message ?? vulnerability.description ?? 'A secret was found.';
      const shas = /^0*$/.test(commit?.sha ?? '') ? undefined : commit?.sha;
      return {
        entries: [vulnerability],
        identify: secret
          ? (path) => fingerprintOf('gitlab-secrets', type, rule, path, ...sourceIdentity(secret, secrets))
          : identifyCode('gitlab-secrets', [type, rule], location, context),
        title: `Secret (${name})${file ? ` in ${mask(file)}` : ''}`,
        rule_id: mask(rule),
        severity: gitlabSeverity(vulnerability),
        description: describeFinding({
          what: escapeMarkdown(mask(found)),
          facts: {
            Rule: mask(rule),
            Location: formatLocation(file, line),
            Commit: shas,
            Secret: secret ? mask(secret) : undefined,
            Scanner: vulnerability.scanner?.name ?? scanner,
            Flags: flagsOf(vulnerability),
          },
          fix: REVOKE_SECRET,
          references: linksOf(vulnerability).map((link) => mask(link ?? '')),
        }),
        cwe: 'CWE-798',
        file: file && mask(file),
        line,
      };
    });
  },
};
